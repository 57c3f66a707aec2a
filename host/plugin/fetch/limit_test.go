package fetch_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/plugin/fetch"
)

// rawHost returns a network with one host, which reads the head of a request and then runs a function of the test.
func rawHost(answer func(conn net.Conn)) fetch.Options {
	return fetch.Options{Dial: func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go func() {
			defer func() { _ = server.Close() }()
			if _, err := server.Read(make([]byte, 64<<10)); err == nil {
				answer(server)
			}
		}()
		return client, nil
	}}
}

// raw returns a client for a host that sends this answer.
func raw(t *testing.T, answer string) *fetch.Client {
	t.Helper()
	return newClient(t, fetch.Policy{Hosts: []string{"http://raw.example"}}, rawHost(func(conn net.Conn) {
		_, _ = io.WriteString(conn, answer)
	}))
}

func TestTheBodyOfARequestIsLimited(t *testing.T) {
	t.Parallel()
	s := newServer(t, echo)
	p := to(s)
	p.MaxRequest = 10
	c := newClient(t, p, fetch.Options{})
	response := succeeds(t, c, &abi.FetchRequest{Method: "POST", URL: s.URL, Body: []byte("0123456789")})
	require.Contains(t, string(response.Body), "Content-Length: 10\r\n")
	require.True(t, strings.HasSuffix(string(response.Body), "0123456789"))
	failure := fails(t, c, &abi.FetchRequest{Method: "POST", URL: s.URL, Body: []byte("0123456789x")})
	require.Equal(t, &fetch.Error{Kind: fetch.KindLimit, Text: "the body of the request has 11 bytes; the limit is 10"}, failure)
	require.Equal(t, abi.StatusFailed, failure.Status())
	require.Equal(t, &abi.Error{Type: "http_limit", Message: failure.Text}, failure.Document())
}

func TestTheHeadersOfARequestAreLimited(t *testing.T) {
	t.Parallel()
	s := newServer(t, echo)
	p := to(s)
	p.MaxHeaders = 1000
	c := newClient(t, p, fetch.Options{})
	fill := func(n int) *abi.FetchRequest {
		return &abi.FetchRequest{URL: s.URL, Headers: []abi.Header{{Name: "x", Value: strings.Repeat("x", n-5)}}}
	}
	succeeds(t, c, fill(1000))
	require.Equal(t, fetch.KindLimit, fails(t, c, fill(1001)).Kind)
	require.Equal(t, fetch.KindLimit, fails(t, c, fill(1<<20)).Kind)
	many := &abi.FetchRequest{URL: s.URL, Headers: make([]abi.Header, 10_000)}
	for i := range many.Headers {
		many.Headers[i].Name = "x"
	}
	require.Equal(t, fetch.KindLimit, fails(t, c, many).Kind)
}

func TestTheBodyOfAResponseIsLimited(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/endless":
			for {
				if _, err := w.Write(make([]byte, 1000)); err != nil {
					return
				}
			}
		case "/chunks":
			_ = http.NewResponseController(w).Flush()
			_, _ = w.Write(make([]byte, 1000))
		case "/more":
			_, _ = w.Write(make([]byte, 1001))
		default:
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write(make([]byte, 1000))
		}
	})
	p := to(s)
	p.MaxResponse = 1000
	c := newClient(t, p, fetch.Options{})
	require.Len(t, succeeds(t, c, get(s.URL+"/")).Body, 1000)
	require.Len(t, succeeds(t, c, get(s.URL+"/chunks")).Body, 1000)
	for _, path := range []string{"/more", "/endless"} {
		require.Equal(t, &fetch.Error{
			Kind: fetch.KindLimit, Text: "the body of the response is larger than 1000 bytes", Sent: true,
		}, fails(t, c, get(s.URL+path)))
	}
	succeeds(t, c, &abi.FetchRequest{Method: "HEAD", URL: s.URL + "/more"})
}

func TestTheHeadersOfAResponseAreLimited(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/one":
			w.Header().Set("X", strings.Repeat("x", 1<<20))
		case "/many":
			for i := range 10_000 {
				w.Header().Set(fmt.Sprint("X-", i), "some value")
			}
		default:
			for range 10_000 {
				w.Header().Set("Link", strings.Repeat("x", 100))
				w.WriteHeader(http.StatusEarlyHints)
			}
		}
	})
	c := newClient(t, to(s), fetch.Options{})
	for _, path := range []string{"/one", "/many", "/hints"} {
		require.Equal(t, &fetch.Error{
			Kind: fetch.KindLimit, Text: "the headers of the response are larger than the limit", Sent: true,
		}, fails(t, c, get(s.URL+path)), path)
	}
}

func TestWhatIsNoHTTP(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, answer, text string }{
		{"nothing", "", "the connection ended before the response did"},
		{"something else", "SSH-2.0-OpenSSH_9.7 hunter2\r\n", "the host's answer does not follow HTTP"},
		{"half a head", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n", "the connection ended before the response did"},
		{"half a body", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", "the connection ended before the response did"},
		{"two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", "the host's answer does not follow HTTP"},
		{"another protocol", "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n", "the host's answer does not follow HTTP"},
		{"a broken chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", "the host's answer does not follow HTTP"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			failure := fails(t, raw(t, tc.answer), get("http://raw.example/"))
			require.Equal(t, &fetch.Error{Kind: fetch.KindNetwork, Text: tc.text, Sent: true, Retryable: true}, failure)
		})
	}
}

func TestWhatIsNoTLS(t *testing.T) {
	t.Parallel()
	s := newServer(t, echo)
	for _, tc := range []struct {
		name   string
		client func(t *testing.T) *fetch.Client
		url    string
		text   string
	}{
		{"an authority that nobody trusts", func(t *testing.T) *fetch.Client {
			t.Helper()
			c, err := fetch.New(to(s))
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, c.Close()) })
			return c
		}, s.URL, "the host's certificate comes from an untrusted authority"},
		{"another name", func(t *testing.T) *fetch.Client {
			t.Helper()
			return newClient(t, fetch.Policy{Hosts: []string{"localhost:" + s.port()}, Private: loopback}, fetch.Options{})
		}, "https://localhost:" + s.port(), "the host's certificate is for another name"},
		{"plain HTTP", func(t *testing.T) *fetch.Client {
			t.Helper()
			return newClient(t, fetch.Policy{Hosts: []string{"raw.example"}}, rawHost(func(conn net.Conn) {
				_, _ = io.WriteString(conn, "HTTP/1.1 400 Bad Request\r\n\r\n")
			}))
		}, "https://raw.example", "the host does not speak TLS correctly"},
		{"nobody listens", func(t *testing.T) *fetch.Client {
			t.Helper()
			l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.9:0")
			require.NoError(t, err)
			_, port, _ := net.SplitHostPort(l.Addr().String())
			require.NoError(t, l.Close())
			return newClient(t, fetch.Policy{Hosts: []string{"example.com:443"}, Private: loopback}, fetch.Options{
				Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
					return (&net.Dialer{}).DialContext(ctx, "tcp", "127.0.0.9:"+port)
				},
			})
		}, "https://example.com/", "the host refused the connection"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			failure := fails(t, tc.client(t), get(tc.url))
			require.Equal(t, &fetch.Error{Kind: fetch.KindNetwork, Text: tc.text, Retryable: true}, failure)
		})
	}
}

// TestTheWholeExchangeHasOneDeadline lets a host send one byte a second, at each place where a host can be slow. The
// clock is virtual.
func TestTheWholeExchangeHasOneDeadline(t *testing.T) {
	t.Parallel()
	drip := func(conn net.Conn, text string) {
		for i := range len(text) {
			time.Sleep(time.Second)
			if _, err := conn.Write([]byte{text[i]}); err != nil {
				return
			}
		}
	}
	long := strings.Repeat("x", 1000)
	for _, tc := range []struct {
		name   string
		answer func(conn net.Conn)
	}{
		{"no answer", func(conn net.Conn) { _, _ = conn.Read(make([]byte, 1)) }},
		{"a slow head", func(conn net.Conn) { drip(conn, "HTTP/1.1 200 OK\r\nX: "+long+"\r\n\r\n") }},
		{"a slow body", func(conn net.Conn) {
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
			drip(conn, long)
		}},
		{"a slow redirect", func(conn net.Conn) {
			_, _ = io.WriteString(conn, "HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 1000\r\n\r\n")
			drip(conn, long)
		}},
		{"slow redirects", func(conn net.Conn) {
			time.Sleep(10 * time.Second)
			_, _ = io.WriteString(conn, "HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
		}},
	} {
		for _, asked := range []time.Duration{0, 5 * time.Second, time.Hour} {
			t.Run(fmt.Sprint(tc.name, " ", asked), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					c := newClient(t, fetch.Policy{Hosts: []string{"http://raw.example"}}, rawHost(tc.answer))
					start := time.Now()
					failure := fails(t, c, &abi.FetchRequest{URL: "http://raw.example", TimeoutMS: uint64(asked / time.Millisecond)})
					require.Equal(t, &fetch.Error{
						Kind: fetch.KindTimeout, Text: "there was no complete response in time", Sent: true, Retryable: true,
					}, failure)
					want := asked
					if asked == 0 || asked > 30*time.Second {
						want = 30 * time.Second
					}
					require.Equal(t, want, time.Since(start))
					time.Sleep(time.Minute) // until the host has noticed
				})
			})
		}
	}
}

func TestATimeoutThatOverflows(t *testing.T) {
	t.Parallel()
	s := newServer(t, echo)
	succeeds(t, newClient(t, to(s), fetch.Options{}), &abi.FetchRequest{URL: s.URL, TimeoutMS: 1<<64 - 1})
}

func TestAPostIsNotRetryableOnceItWasSent(t *testing.T) {
	t.Parallel()
	c := raw(t, "")
	require.False(t, fails(t, c, &abi.FetchRequest{Method: "POST", URL: "http://raw.example"}).Retryable)
	require.True(t, fails(t, c, &abi.FetchRequest{Method: "GET", URL: "http://raw.example"}).Retryable)
}

func TestTheContextEndsAnExchange(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("the run was stopped")
	s := newServer(t, func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).Flush()
		cancel(stopped)
		<-r.Context().Done()
	})
	_, err := newClient(t, to(s), fetch.Options{}).Do(ctx, get(s.URL))
	require.ErrorIs(t, err, stopped)
	var failure *fetch.Error
	require.NotErrorAs(t, err, &failure, "a cancellation is not an error of the exchange")
}

func TestAClosedClientRefuses(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	began := make(chan struct{})
	s := newServer(t, func(http.ResponseWriter, *http.Request) {
		close(began)
		<-release
	})
	c := newClient(t, to(s), fetch.Options{})
	var under sync.WaitGroup
	under.Go(func() {
		_, err := c.Do(t.Context(), get(s.URL))
		if err != nil {
			t.Error(err)
		}
	})
	<-began
	require.NoError(t, c.Close())
	require.Equal(t, "http.fetch: network: the client is closed", fails(t, c, get(s.URL)).Error())
	close(release)
	under.Wait()
}

func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	s := newServer(t, echo)
	p := to(s)
	p.Secrets = map[string]fetch.Secret{"KEY": {Value: "correct horse", Hosts: p.Hosts}}
	c := newClient(t, p, fetch.Options{})
	var workers sync.WaitGroup
	for i := range 16 {
		workers.Go(func() {
			for range 10 {
				body := fmt.Sprint("body ", i)
				response, err := c.Do(t.Context(), &abi.FetchRequest{
					Method: "POST", URL: s.URL, Body: []byte(body), Headers: []abi.Header{{Name: "x", Value: "${secret:KEY}"}},
				})
				if err != nil || !strings.HasSuffix(string(response.Body), body) || strings.Contains(string(response.Body), "correct horse") {
					t.Errorf("%v: %v", err, response)
				}
			}
		})
	}
	workers.Wait()
}
