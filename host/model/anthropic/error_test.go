package anthropic_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/anthropic"
	"github.com/agenthost/agenthost/host/model/internal/provider"
)

// both asks once and piece by piece, and hands over both errors.
func both(t *testing.T, ctx context.Context, m model.Streamer, check func(t *testing.T, err error)) { //nolint:revive // as all helpers have it
	t.Helper()
	_, err := m.Generate(ctx, request(abi.Human("hi")))
	check(t, err)
	err = nil
	for _, e := range m.Stream(ctx, request(abi.Human("hi"))) {
		require.NoError(t, err, "nothing comes behind an error")
		err = e
	}
	check(t, err)
}

func TestRefusedRequests(t *testing.T) {
	t.Parallel()
	said := func(kind, message string) string {
		return `{"type":"error","error":{"type":"` + kind + `","message":"` + message + `"},"request_id":"req_01"}`
	}
	for _, test := range []struct {
		name      string
		status    int
		body      string
		header    map[string]string
		kind      model.ErrorKind
		retryable bool
		wait      time.Duration
	}{
		{"400", 400, said("invalid_request_error", "max_tokens: Field required"), nil, model.ErrorInvalidRequest, false, 0},
		{"400 as it is too long", 400, said("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"), nil, model.ErrorContextLength, false, 0},
		{"400 of aimock", 400, file(t, "errors", "400ctx.json"), nil, model.ErrorContextLength, false, 0},
		{"401", 401, file(t, "errors", "401.json"), nil, model.ErrorAuthentication, false, 0},
		{"402", 402, said("billing_error", "no credit"), nil, model.ErrorQuota, false, 0},
		{"403", 403, said("permission_error", "no"), nil, model.ErrorPermission, false, 0},
		{"404", 404, said("not_found_error", "model: claude-x"), nil, model.ErrorNotFound, false, 0},
		{"404 of aimock", 404, file(t, "errors", "nomatch.json"), nil, model.ErrorNotFound, false, 0},
		{"409", 409, said("conflict_error", "x"), nil, model.ErrorServer, true, 0},
		{"413", 413, said("request_too_large", "32 MB"), nil, model.ErrorContextLength, false, 0},
		{"429", 429, file(t, "errors", "429.json"), map[string]string{"Retry-After": "7"}, model.ErrorRateLimit, true, 7 * time.Second},
		{"429, not to be tried again", 429, file(t, "errors", "429.json"), map[string]string{"X-Should-Retry": "false"}, model.ErrorRateLimit, false, 0},
		{"500", 500, file(t, "errors", "500.json"), nil, model.ErrorServer, true, 0},
		{"503", 503, file(t, "errors", "503.json"), nil, model.ErrorOverloaded, true, 0},
		{"504", 504, said("timeout_error", "slow"), nil, model.ErrorTimeout, true, 0},
		{"529", 529, file(t, "errors", "529.json"), map[string]string{"Retry-After-Ms": "250"}, model.ErrorOverloaded, true, 250 * time.Millisecond},
		{"a page", 502, "<html>Bad gateway</html>", nil, model.ErrorServer, true, 0},
		{"a redirection", 307, "", map[string]string{"Location": "https://example.com/"}, model.ErrorResponse, false, 0},
		{"nothing", 500, "", nil, model.ErrorServer, true, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, func(w http.ResponseWriter, r *http.Request) {
				for name, v := range test.header {
					w.Header().Set(name, v)
				}
				says(test.status, "application/json", test.body)(w, r)
			})
			both(t, t.Context(), s.model(t), func(t *testing.T, err error) {
				t.Helper()
				failed := failure(t, err)
				require.Equal(t, test.kind, failed.Kind)
				require.Equal(t, test.status, failed.Status)
				require.Equal(t, test.retryable, failed.Retryable)
				require.Equal(t, test.wait, failed.RetryAfter)
			})
			require.Len(t, s.requests, 2, "nothing is tried again")
		})
	}
}

func TestConnectionsThatBreak(t *testing.T) {
	t.Parallel()
	hijack := func(before string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				_, _ = io.WriteString(conn, before)
				_ = conn.Close()
			}
		}
	}
	for name, handler := range map[string]http.HandlerFunc{
		"before the answer": hijack(""),
		"in the answer":     hijack("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 100\r\n\r\n" + events(begin)[:50]),
		"in a chunk":        hijack("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n40\r\n: x"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			both(t, t.Context(), serve(t, handler).model(t), func(t *testing.T, err error) {
				t.Helper()
				require.Equal(t, model.ErrorConnection, failure(t, err).Kind, err.Error())
				require.True(t, failure(t, err).Retryable)
			})
		})
	}
	t.Run("there is nobody", func(t *testing.T) {
		t.Parallel()
		s := httptest.NewServer(http.NotFoundHandler())
		s.Close()
		both(t, t.Context(), &anthropic.Model{Name: "m", BaseURL: s.URL}, func(t *testing.T, err error) {
			t.Helper()
			require.Equal(t, model.ErrorConnection, failure(t, err).Kind)
			var network *net.OpError
			require.ErrorAs(t, err, &network)
		})
	})
}

func TestResponsesThatAreTooLarge(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1<<20)
	endless := func(contentType, before, piece string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", contentType)
			_, err := io.WriteString(w, before)
			for err == nil && r.Context().Err() == nil {
				_, err = io.WriteString(w, piece)
			}
		}
	}
	for name, handler := range map[string]http.HandlerFunc{
		"one text":           endless("application/json", `{"content":[{"type":"text","text":"`, long),
		"one event":          endless("text/event-stream", `data: {"type":"x","y":"`, long),
		"events without end": endless("text/event-stream", events(begin, text), strings.Repeat("event: ping\ndata: "+long[:1<<16]+"\n\n", 16)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			both(t, t.Context(), serve(t, handler).model(t), func(t *testing.T, err error) {
				t.Helper()
				failed := failure(t, err)
				require.Equal(t, model.ErrorResponse, failed.Kind)
				require.ErrorAs(t, err, new(*provider.TooLargeError))
				require.False(t, failed.Retryable)
			})
		})
	}
}

var errWhy = errors.New("why")

// hanging sends what it is told, says that it has, and waits for the client to go.
func hanging(t testing.TB, body string) (s *server, sent, gone chan struct{}) {
	t.Helper()
	sent, gone = make(chan struct{}, 1), make(chan struct{}, 1)
	s = serve(t, func(w http.ResponseWriter, r *http.Request) {
		if body != "" {
			streams(body)(w, r)
			_ = http.NewResponseController(w).Flush()
		}
		sent <- struct{}{}
		<-r.Context().Done()
		gone <- struct{}{}
	})
	return s, sent, gone
}

func TestCancellation(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, body string }{{"before the answer", ""}, {"in the answer", events(begin, text, more)}} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s, sent, gone := hanging(t, test.body)
			m := s.model(t)
			for _, ask := range []func(ctx context.Context) error{
				func(ctx context.Context) error {
					_, err := m.Generate(ctx, request(abi.Human("hi")))
					return err
				},
				func(ctx context.Context) (last error) {
					for _, err := range m.Stream(ctx, request(abi.Human("hi"))) {
						last = err
					}
					return last
				},
			} {
				ctx, cancel := context.WithCancelCause(t.Context())
				done := make(chan error, 1)
				go func() { done <- ask(ctx) }()
				<-sent
				cancel(errWhy)
				require.ErrorIs(t, <-done, errWhy)
				<-gone
			}
		})
	}
}

func TestCancellationBetweenChunks(t *testing.T) {
	t.Parallel()
	s, _, gone := hanging(t, events(begin, text, more, more, more, ended, end))
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	var last error
	n := 0
	for chunk, err := range s.model(t).Stream(ctx, request(abi.Human("hi"))) {
		n++
		last = err
		if err == nil {
			require.Equal(t, "hi", chunk.Text)
			cancel(errWhy)
		}
	}
	require.ErrorIs(t, last, errWhy)
	require.Equal(t, 2, n)
	<-gone
}

func TestAConsumerThatStops(t *testing.T) {
	t.Parallel()
	s, _, gone := hanging(t, events(begin, text, more))
	for chunk, err := range s.model(t).Stream(t.Context(), request(abi.Human("hi"))) {
		require.NoError(t, err)
		require.Equal(t, "hi", chunk.Text)
		break
	}
	<-gone
	for chunk, err := range serve(t, streams(events(begin, text, ended, end))).model(t).Stream(t.Context(), request(abi.Human("hi"))) {
		require.NoError(t, err)
		require.NotNil(t, chunk.Response)
		break
	}
	for _, err := range serve(t, streams("")).model(t).Stream(t.Context(), request(abi.Human("hi"))) {
		require.Error(t, err)
		break
	}
}

func TestTimeout(t *testing.T) {
	t.Parallel()
	s, _, _ := hanging(t, events(begin, text))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	both(t, ctx, s.model(t), func(t *testing.T, err error) {
		t.Helper()
		require.Equal(t, model.ErrorTimeout, failure(t, err).Kind, err.Error())
		require.True(t, failure(t, err).Retryable)
	})
}

func TestAnEndedContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errWhy)
	s := serve(t, answers(plain))
	both(t, ctx, s.model(t), func(t *testing.T, err error) {
		t.Helper()
		require.ErrorIs(t, err, errWhy)
	})
	require.Empty(t, s.requests)
}
