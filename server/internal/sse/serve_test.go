package sse_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/server/internal/sse"
)

// batches is a source of fixed batches.
func batches(all ...[]sse.Event) sse.Source {
	return func(context.Context) ([]sse.Event, <-chan struct{}, error) {
		if len(all) == 0 {
			return nil, nil, io.EOF
		}
		next := all[0]
		all = all[1:]
		return next, nil, nil
	}
}

// start starts a server of one stream, and returns its address and the errors of Serve.
func start(t *testing.T, source sse.Source, config sse.Config) (string, <-chan error) {
	t.Helper()
	ended := make(chan error, 4)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Location", "/threads/t/runs/r")
		ended <- sse.Serve(w, r, source, config)
	}))
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetHTTP1(true)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Start()
	t.Cleanup(server.Close)
	return server.URL, ended
}

// clients are an HTTP/1.1 and an HTTP/2 client without TLS.
func clients(t *testing.T) map[string]*http.Client {
	t.Helper()
	out := map[string]*http.Client{}
	for name, set := range map[string]func(*http.Protocols){
		"HTTP/1.1": func(p *http.Protocols) { p.SetHTTP1(true) }, "HTTP/2.0": func(p *http.Protocols) { p.SetUnencryptedHTTP2(true) },
	} {
		transport := &http.Transport{Protocols: new(http.Protocols)}
		set(transport.Protocols)
		t.Cleanup(transport.CloseIdleConnections)
		out[name] = &http.Client{Transport: transport}
	}
	return out
}

// answer is a response whose body the test closes.
type answer struct {
	*http.Response

	Body io.ReadCloser
}

func get(t *testing.T, client *http.Client, url string) answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	require.NoError(t, err)
	r.Header.Set("Accept-Encoding", "gzip")
	response, err := client.Do(r)
	require.NoError(t, err)
	t.Cleanup(func() { _ = response.Body.Close() })
	return answer{response, response.Body}
}

func TestServeSendsExactBytes(t *testing.T) {
	t.Parallel()
	for name, client := range clients(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, ended := start(t, batches(
				[]sse.Event{{Name: "metadata", Data: []byte(`{"run_id":"r","attempt":1}`)}},
				[]sse.Event{{Name: "values", ID: "7", Data: []byte("{\n\"a\":\r1\r\n}")}, {Data: nil}, {ID: "8", Data: []byte("[DONE]")}},
			), sse.Config{})
			response := get(t, client, url)
			body, err := io.ReadAll(response.Body)
			require.NoError(t, err)
			require.NoError(t, <-ended)
			require.Equal(t, "event: metadata\ndata: {\"run_id\":\"r\",\"attempt\":1}\n\n"+
				"event: values\ndata: {\ndata: \"a\":\ndata: 1\ndata: }\nid: 7\n\ndata: \n\ndata: [DONE]\nid: 8\n\n", string(body))
			require.Equal(t, name, response.Proto)
			require.Equal(t, 200, response.StatusCode)
			for key, want := range map[string]string{
				"Content-Type": "text/event-stream; charset=utf-8", "Cache-Control": "no-store", "X-Accel-Buffering": "no",
				"Content-Encoding": "", "Content-Length": "", "Content-Location": "/threads/t/runs/r",
			} {
				require.Equal(t, want, response.Header.Get(key), key)
			}
		})
	}
}

func TestServeFlushesHeadersAndEachBatch(t *testing.T) {
	t.Parallel()
	for name, client := range clients(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			next := make(chan []sse.Event)
			url, ended := start(t, func(ctx context.Context) ([]sse.Event, <-chan struct{}, error) {
				select {
				case events, ok := <-next:
					if !ok {
						return []sse.Event{{Data: []byte("last")}}, nil, io.EOF
					}
					return events, nil, nil
				case <-ctx.Done():
					return nil, nil, ctx.Err()
				}
			}, sse.Config{})
			response := get(t, client, url) // returns before there is an event
			reader := sse.NewReader(response.Body, 0)
			for i := range 3 {
				next <- []sse.Event{{Data: fmt.Append(nil, i)}}
				e, err := reader.Next()
				require.NoError(t, err)
				require.Equal(t, fmt.Sprint(i), string(e.Data))
			}
			close(next)
			e, err := reader.Next()
			require.NoError(t, err)
			require.Equal(t, "last", string(e.Data))
			_, err = reader.Next()
			require.ErrorIs(t, err, io.EOF)
			require.NoError(t, <-ended)
		})
	}
}

// pipes is a listener of connections in memory, whose deadlines follow the clock of a bubble.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	conn, ok := <-p
	if !ok {
		return nil, net.ErrClosed
	}
	return conn, nil
}
func (p pipes) Close() error { close(p); return nil }
func (pipes) Addr() net.Addr { return &net.TCPAddr{} }

// bubble serves a stream on a pipe within a bubble, and returns the client's end and the errors of Serve. It sends a request.
func bubble(t *testing.T, source sse.Source) (net.Conn, <-chan error) {
	t.Helper()
	return bubbleOf(t, source, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
}

// bubbleOf is bubble with another request.
func bubbleOf(t *testing.T, source sse.Source, request string) (net.Conn, <-chan error) {
	t.Helper()
	ended := make(chan error, 1)
	server := &http.Server{
		ReadTimeout: 2 * time.Second, WriteTimeout: 3 * time.Second,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { ended <- sse.Serve(w, r, source, sse.Config{}) }),
	}
	listener := make(pipes)
	go func() { _ = server.Serve(listener) }()
	client, conn := net.Pipe()
	listener <- conn
	_, err := io.WriteString(client, request)
	require.NoError(t, err)
	t.Cleanup(func() {
		_ = client.Close()
		_ = server.Close()
	})
	return client, ended
}

func TestHeadersWaitForTheEndOfABody(t *testing.T) {
	t.Parallel()
	for request, want := range map[string]time.Duration{
		"GET / HTTP/1.1\r\nHost: x\r\n\r\n":                                                    0,
		"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}":                            10 * time.Millisecond,
		"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n": 10 * time.Millisecond,
	} {
		synctest.Test(t, func(t *testing.T) {
			begun := time.Now()
			client, ended := bubbleOf(t, batches([]sse.Event{{Data: []byte("x")}}), request)
			buffer := make([]byte, 4096)
			n, err := client.Read(buffer)
			require.NoError(t, err)
			require.Contains(t, string(buffer[:n]), "200 OK")
			require.Equal(t, want, time.Since(begun), request)
			go func() { _, _ = io.Copy(io.Discard, client) }()
			require.NoError(t, <-ended)
		})
	}
}

func TestHeartbeatsAreEven(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begun, n := time.Now(), 0
		client, ended := bubble(t, func(ctx context.Context) ([]sse.Event, <-chan struct{}, error) {
			n++
			if n > 8 {
				return nil, nil, io.EOF
			}
			select { // an event every 3 s, which must not put off the heartbeats
			case <-time.After(3 * time.Second):
				return []sse.Event{{Data: []byte("x")}}, nil, nil
			case <-ctx.Done():
				return nil, nil, ctx.Err()
			}
		})
		var beats []time.Duration
		buffer := make([]byte, 4096)
		for {
			k, err := client.Read(buffer)
			require.NoError(t, err)
			if text := string(buffer[:k]); strings.Contains(text, ": heartbeat\n\n") {
				beats = append(beats, time.Since(begun))
			} else if strings.HasSuffix(text, "0\r\n\r\n") {
				break
			}
		}
		require.NoError(t, <-ended)
		require.Equal(t, []time.Duration{5 * time.Second, 10 * time.Second, 15 * time.Second, 20 * time.Second}, beats)
	})
}

func TestClientThatNeverReads(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begun, released := time.Now(), make(chan struct{})
		_, ended := bubble(t, func(ctx context.Context) ([]sse.Event, <-chan struct{}, error) {
			<-ctx.Done()
			close(released)
			return nil, nil, ctx.Err()
		})
		require.ErrorIs(t, <-ended, sse.ErrClientGone) // a pipe has no buffer, so not even the headers arrive
		require.Equal(t, sse.DefaultWriteTimeout, time.Since(begun))
		select {
		case <-released:
		default: // the source may not have been asked at all
		}
	})
}

func TestClientThatStopsReading(t *testing.T) {
	t.Parallel()
	for name, client := range clients(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			big := make([]byte, 1<<20)
			for i := range big {
				big[i] = 'x'
			}
			url, ended := start(t, func(ctx context.Context) ([]sse.Event, <-chan struct{}, error) {
				return []sse.Event{{Data: big}}, nil, ctx.Err()
			}, sse.Config{WriteTimeout: 200 * time.Millisecond})
			response := get(t, client, url)
			require.ErrorIs(t, <-ended, sse.ErrClientGone)
			require.NoError(t, response.Body.Close())
		})
	}
}

func TestClientThatLeavesEndsTheSource(t *testing.T) {
	t.Parallel()
	for name, client := range clients(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, ended := start(t, func(ctx context.Context) ([]sse.Event, <-chan struct{}, error) {
				<-ctx.Done()
				return nil, nil, errors.New("the database was interrupted")
			}, sse.Config{})
			require.NoError(t, get(t, client, url).Body.Close())
			require.ErrorIs(t, <-ended, sse.ErrClientGone)
		})
	}
}

func TestConnectionServesAnotherRequestAfterAStream(t *testing.T) {
	t.Parallel()
	url, ended := start(t, func(context.Context) ([]sse.Event, <-chan struct{}, error) { return nil, nil, io.EOF }, sse.Config{})
	client := clients(t)["HTTP/1.1"]
	for range 2 {
		_, err := io.ReadAll(get(t, client, url).Body)
		require.NoError(t, err)
		require.NoError(t, <-ended)
	}
}

func TestFailuresOfTheSource(t *testing.T) {
	t.Parallel()
	broken := errors.New("the store is gone")
	for name, test := range map[string]struct {
		source sse.Source
		want   error
	}{
		"error":         {func(context.Context) ([]sse.Event, <-chan struct{}, error) { return nil, nil, broken }, broken},
		"name of lines": {batches([]sse.Event{{Name: "a\nb"}}), sse.ErrInvalidEvent},
		"id of lines":   {batches([]sse.Event{{ID: "a\rb"}}), sse.ErrInvalidEvent},
		"id with zero":  {batches([]sse.Event{{ID: "a\x00b"}}), sse.ErrInvalidEvent},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, ended := start(t, test.source, sse.Config{})
			body, err := io.ReadAll(get(t, clients(t)["HTTP/1.1"], url).Body)
			require.NoError(t, err)
			require.Empty(t, body)
			require.ErrorIs(t, <-ended, test.want)
		})
	}
}

func TestPanicOfTheSourceReachesTheHandler(t *testing.T) {
	t.Parallel()
	w, r := httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
	require.PanicsWithValue(t, "broken source", func() {
		_ = sse.Serve(deadlines{w}, r, func(context.Context) ([]sse.Event, <-chan struct{}, error) { panic("broken source") }, sse.Config{})
	})
	require.Error(t, sse.Serve(httptest.NewRecorder(), r, batches(), sse.Config{}), "a connection without deadlines")
}

// deadlines is a recorder that accepts deadlines.
type deadlines struct{ *httptest.ResponseRecorder }

func (deadlines) SetReadDeadline(time.Time) error  { return nil }
func (deadlines) SetWriteDeadline(time.Time) error { return nil }

// A source that waits for news is asked again when there are some, and nothing runs for it meanwhile.
func TestASourceThatWaitsForNews(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		news := make(chan struct{}, 1)
		var ready []sse.Event
		asked := 0
		client, ended := bubble(t, func(ctx context.Context) ([]sse.Event, <-chan struct{}, error) {
			asked++
			out := ready
			ready = nil
			if asked == 3 {
				return out, nil, io.EOF
			}
			return out, news, ctx.Err()
		})
		text := make(chan string, 100)
		go func() {
			defer close(text)
			buffer := make([]byte, 4096)
			for {
				n, err := client.Read(buffer)
				if err != nil {
					return
				}
				text <- string(buffer[:n])
			}
		}()
		require.Contains(t, <-text, "200 OK")
		time.Sleep(time.Minute)
		synctest.Wait()
		require.Equal(t, 1, asked, "time alone is no news")
		for range 12 {
			require.Contains(t, <-text, ": heartbeat\n\n")
		}
		for _, data := range []string{"first", "last"} {
			synctest.Wait()
			ready = []sse.Event{{Data: []byte(data)}}
			news <- struct{}{}
			require.Contains(t, <-text, "data: "+data+"\n\n")
		}
		require.NoError(t, <-ended)
		require.Equal(t, 3, asked)
	})
}

func TestAServerThatStopsEndsStreams(t *testing.T) {
	t.Parallel()
	for name, source := range map[string]sse.Source{
		"that are silent": func(context.Context) ([]sse.Event, <-chan struct{}, error) { return nil, make(chan struct{}), nil },
		"that are busy": func(ctx context.Context) ([]sse.Event, <-chan struct{}, error) {
			<-ctx.Done()
			return nil, nil, ctx.Err()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			closing := make(chan struct{})
			url, ended := start(t, source, sse.Config{Closing: closing})
			response := get(t, clients(t)["HTTP/1.1"], url)
			close(closing)
			body, err := io.ReadAll(response.Body)
			require.NoError(t, err)
			require.Empty(t, body)
			require.NoError(t, <-ended, "its client comes back to another server")
		})
	}
}
