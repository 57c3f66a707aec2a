package provider_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/internal/provider"
)

// answer is what a server does with one request.
type answer struct {
	status int // 0: the connection fails
	header http.Header
	body   func(ctx context.Context) io.ReadCloser // nil: an empty JSON object
	silent bool                                    // it never answers
}

// server is a transport that answers requests without a network, so that time can be virtual.
type server struct {
	answers []answer
	asked   []time.Duration // when the requests came, after the first one
	start   time.Time
}

func (s *server) RoundTrip(req *http.Request) (*http.Response, error) {
	if s.start.IsZero() {
		s.start = time.Now()
	}
	s.asked = append(s.asked, time.Since(s.start))
	a := s.answers[min(len(s.asked), len(s.answers))-1]
	if a.silent {
		<-req.Context().Done()
		return nil, req.Context().Err()
	}
	if a.status == 0 {
		return nil, &net.OpError{Op: "dial", Err: errors.New("connection refused")}
	}
	body := io.NopCloser(strings.NewReader("{}"))
	if a.body != nil {
		body = a.body(req.Context())
	}
	header := a.header
	if header == nil {
		header = http.Header{}
	}
	return &http.Response{StatusCode: a.status, Header: header, Body: body, Request: req}, nil
}

func (s *server) connect(t *testing.T, limits model.Limits) *provider.Endpoint {
	t.Helper()
	service := &provider.Service{BaseURL: "https://api.example.com/", Variables: []string{"KEY"}, KeyHeader: "X-Key"}
	e, err := service.Connect(&provider.Options{Name: "example", APIKey: "secret-key", HTTPClient: &http.Client{Transport: s}, Limits: limits})
	require.NoError(t, err)
	return e
}

func failureOf(t *testing.T, err error) *model.Error {
	t.Helper()
	var failed *model.Error
	require.ErrorAs(t, err, &failed)
	return failed
}

func TestRequestsThatMayPassAreSentAgain(t *testing.T) {
	t.Parallel()
	for _, status := range []int{0, 408, 409, 429, 500, 502, 503, 504, 529} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &server{answers: []answer{{status: status}, {status: status}, {status: http.StatusOK}}}

				text, err := s.connect(t, model.Limits{}).Ask(t.Context(), provider.Call{})

				require.NoError(t, err)
				require.Equal(t, "{}", string(text))
				require.Len(t, s.asked, 3)
				require.InDelta(t, 437, s.asked[1].Milliseconds(), 63)
				require.InDelta(t, 875, (s.asked[2] - s.asked[1]).Milliseconds(), 125)
			})
		})
	}
}

func TestRequestsThatCannotPassAreSentOnce(t *testing.T) {
	t.Parallel()
	for name, a := range map[string]answer{
		"400": {status: 400}, "401": {status: 401}, "403": {status: 403}, "404": {status: 404}, "422": {status: 422},
		"said not to":       {status: 500, header: http.Header{"X-Should-Retry": {"false"}}},
		"after a long time": {status: 429, header: http.Header{"Retry-After": {"3600"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &server{answers: []answer{a}}
				_, err := s.connect(t, model.Limits{}).Ask(t.Context(), provider.Call{})
				require.Equal(t, a.status, failureOf(t, err).Status)
				require.Len(t, s.asked, 1)
			})
		})
	}
}

func TestRetriesHaveALimit(t *testing.T) {
	t.Parallel()
	for retries, want := range map[int]int{-1: 1, 0: 3, 1: 2, 5: 6} {
		synctest.Test(t, func(t *testing.T) {
			s := &server{answers: []answer{{status: 503}}}
			_, err := s.connect(t, model.Limits{MaxRetries: retries}).Ask(t.Context(), provider.Call{})
			require.Equal(t, 503, failureOf(t, err).Status)
			require.Len(t, s.asked, want)
		})
	}
}

func TestRetriesWaitAsLongAsTheServerAsks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &server{answers: []answer{{status: 429, header: http.Header{"Retry-After": {"7"}}}, {status: http.StatusOK}}}
		_, err := s.connect(t, model.Limits{}).Ask(t.Context(), provider.Call{})
		require.NoError(t, err)
		require.Equal(t, 7*time.Second, s.asked[1])
	})
}

func TestACancelledCallIsNotSentAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		s := &server{answers: []answer{{status: 503}}}
		_, err := s.connect(t, model.Limits{}).Ask(ctx, provider.Call{})
		require.Error(t, err)
		require.Len(t, s.asked, 1)
	})
}

func TestACallHasATimeLimit(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		limits model.Limits
		stream bool
		says   string
	}{
		"whole call": {model.Limits{Timeout: time.Minute}, false, "the call took longer than 1m0s; raise timeout"},
		"by default": {model.Limits{}, false, "the call took longer than 10m0s; raise timeout"},
		"of a stream": {
			model.Limits{MaxRetries: -1}, true, "there was no token within 2m0s; raise first_token_timeout",
		},
		"of a stream, whole": {model.Limits{Timeout: time.Minute}, true, "the call took longer than 1m0s; raise timeout"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &server{answers: []answer{{silent: true}}}
				_, err := s.connect(t, test.limits).Send(t.Context(), provider.Call{Stream: test.stream}) //nolint:bodyclose // there is none
				failed := failureOf(t, err)
				require.Equal(t, model.ErrorTimeout, failed.Kind)
				require.True(t, failed.Retryable)
				require.Contains(t, failed.Error(), test.says)
			})
		})
	}
}

// piece is a part of a body that a server sends after a delay.
type piece struct {
	after time.Duration
	text  string
}

// delayed is a body that comes in pieces.
func delayed(all ...piece) func(ctx context.Context) io.ReadCloser {
	return func(ctx context.Context) io.ReadCloser {
		r, w := io.Pipe()
		go func() {
			for _, p := range all {
				select {
				case <-time.After(p.after):
					_, _ = io.WriteString(w, p.text)
				case <-ctx.Done():
					_ = w.CloseWithError(ctx.Err())
					return
				}
			}
			_ = w.Close()
		}()
		return r
	}
}

func TestAStreamMayNotBeIdle(t *testing.T) {
	t.Parallel()
	const token, comment, ping = "data: {}\n\n", ": keep-alive\n\n", "event: ping\ndata: {}\n\n"
	alive := make([]piece, 40)
	pinged := make([]piece, 40)
	tokens := make([]piece, 10)
	for n := range alive {
		alive[n], pinged[n] = piece{10 * time.Second, comment}, piece{10 * time.Second, ping}
	}
	for n := range tokens {
		tokens[n] = piece{50 * time.Second, token}
	}
	for name, test := range map[string]struct {
		body   []piece
		tokens int
		says   string
	}{
		"tokens in time":                    {tokens, 10, ""},
		"silence after a token":             {[]piece{{time.Second, token}, {70 * time.Second, token}}, 1, "no token has come for 1m0s; raise idle_timeout"},
		"comments before the first token":   {alive, 0, "there was no token within 2m0s; raise first_token_timeout"},
		"comments after a token":            {append([]piece{{0, token}}, alive...), 1, "no token has come for 1m0s; raise idle_timeout"},
		"pings":                             {pinged, 11, "there was no token within 2m0s"},
		"a first token that takes its time": {[]piece{{119 * time.Second, token}}, 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &server{answers: []answer{{status: http.StatusOK, body: delayed(test.body...)}}}
				resp, err := s.connect(t, model.Limits{}).Send(t.Context(), provider.Call{Stream: true})
				require.NoError(t, err)
				defer func() { require.NoError(t, resp.Body.Close()) }()
				events, got := provider.NewEvents(resp.Body), 0
				for {
					if _, err = events.Next(); err != nil {
						break
					}
					got++
					time.Sleep(time.Hour / 60 / 10) // what the consumer takes does not count
				}
				require.Equal(t, test.says == "", errors.Is(err, io.EOF), "%v", err)
				if test.says != "" {
					failed := failureOf(t, err)
					require.Equal(t, model.ErrorTimeout, failed.Kind)
					require.Contains(t, failed.Error(), test.says)
				}
				if name != "pings" {
					require.Equal(t, test.tokens, got)
				}
			})
		})
	}
}

func TestAStreamReadThroughABufferIsWatched(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		body := delayed(piece{0, "data: 1\n\n"}, piece{59 * time.Second, "data: 2\n\n"}, piece{59 * time.Second, "data: 3\n\n"}, piece{time.Hour, "data: 4\n\n"})
		s := &server{answers: []answer{{status: http.StatusOK, body: body}}}
		resp, err := s.connect(t, model.Limits{}).Send(t.Context(), provider.Call{Stream: true})
		require.NoError(t, err)
		defer func() { require.NoError(t, resp.Body.Close()) }()
		events := provider.NewEvents(bufio.NewReader(resp.Body))
		events.Watch(resp.Body)
		for range 3 {
			_, err = events.Next()
			require.NoError(t, err)
		}
		_, err = events.Next()
		require.Contains(t, failureOf(t, err).Error(), "no token has come for 1m0s")
	})
}
