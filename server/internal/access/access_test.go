package access_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/agenthost/agenthost/server/auth"
	"github.com/agenthost/agenthost/server/internal/access"
	"github.com/agenthost/agenthost/server/internal/detail"
	"github.com/agenthost/agenthost/server/internal/jsonbody"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var ok = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") })

// do sends a request with headers, given as pairs, to a handler.
func do(t *testing.T, h http.Handler, method, target string, pairs ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, target, http.NoBody)
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i] == "Host" {
			r.Host = pairs[i+1]
			continue
		}
		r.Header.Add(pairs[i], pairs[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestHosts(t *testing.T) {
	t.Parallel()
	hosts, err := access.Hosts("Agents.example.com", ".internal.example.")
	require.NoError(t, err)
	for host, want := range map[string]bool{
		"localhost": true, "localhost:8123": true, "LOCALHOST.": true, "127.0.0.1:8123": true, "[::1]:8123": true, "[::1]": true, "10.1.2.3": true,
		"agents.example.com": true, "agents.example.com:443": true, "AGENTS.example.com.": true, "internal.example": true, "a.b.internal.example": true,
		"example.com": false, "evil.example": false, "xagents.example.com": false, "xinternal.example": false, "localhost.evil.example": false,
		"127.0.0.1.evil.example": false, "agents.example.com@evil.example": false, "": false, ":80": false, "[::1": false, "a:b:c": false, "127.1": false, "0x7f000001": false,
	} {
		w := do(t, hosts(ok), http.MethodGet, "/", "Host", host)
		require.Equal(t, want, w.Code == http.StatusOK, host)
		if !want {
			require.Equal(t, http.StatusForbidden, w.Code)
			require.Contains(t, w.Body.String(), `{"detail":"the host `)
		}
	}
	all, err := access.Hosts("*")
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, do(t, all(ok), http.MethodGet, "/", "Host", "evil.example").Code)
	for _, bad := range []string{"", "https://a.example", "a.example:80", "*.example.com", "a..b", "."} {
		_, err := access.Hosts(bad)
		require.ErrorContains(t, err, "hosts: ", bad)
	}
}

func TestOrigins(t *testing.T) {
	t.Parallel()
	origins, err := access.Origins("https://chat.example.com", "http://localhost:3000")
	require.NoError(t, err)
	h := origins(ok)
	for name, test := range map[string]struct {
		method  string
		headers []string
		status  int
		allow   string
	}{
		"no origin":                {http.MethodPost, nil, 200, ""},
		"an allowed one":           {http.MethodPost, []string{"Origin", "https://chat.example.com"}, 200, "https://chat.example.com"},
		"the server's own":         {http.MethodPost, []string{"Host", "a.example", "Origin", "https://a.example"}, 200, ""},
		"another":                  {http.MethodPost, []string{"Origin", "https://evil.example"}, 403, ""},
		"another port":             {http.MethodPost, []string{"Origin", "http://localhost:3001"}, 403, ""},
		"null":                     {http.MethodPost, []string{"Origin", "null"}, 403, ""},
		"empty":                    {http.MethodPost, []string{"Origin", ""}, 403, ""},
		"two":                      {http.MethodPost, []string{"Origin", "https://chat.example.com", "Origin", "https://evil.example"}, 400, ""},
		"another reads":            {http.MethodGet, []string{"Origin", "https://evil.example"}, 200, ""},
		"another opens a socket":   {http.MethodGet, []string{"Origin", "https://evil.example", "Upgrade", "websocket"}, 403, ""},
		"an allowed one opens it":  {http.MethodGet, []string{"Origin", "http://localhost:3000", "Upgrade", "websocket"}, 200, "http://localhost:3000"},
		"its own page opens it":    {http.MethodGet, []string{"Host", "a.example", "Origin", "https://a.example", "Upgrade", "websocket"}, 200, ""},
		"another, with a token":    {http.MethodPost, []string{"Origin", "https://evil.example", "Authorization", "Bearer x"}, 200, ""},
		"another, with a key":      {http.MethodPost, []string{"Origin", "https://evil.example", "x-api-key", "x"}, 200, ""},
		"another, with a password": {http.MethodPost, []string{"Origin", "https://evil.example", "Authorization", "Basic x"}, 403, ""},
		"another, with a cookie":   {http.MethodPost, []string{"Origin", "https://evil.example", "Cookie", "x=y"}, 403, ""},
		"another asks": {
			http.MethodOptions, []string{"Origin", "https://evil.example", "Access-Control-Request-Method", "POST", "Authorization", "Bearer x"}, 400, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := do(t, h, test.method, "/threads", test.headers...)
			require.Equal(t, test.status, w.Code)
			require.Equal(t, test.allow, w.Header().Get("Access-Control-Allow-Origin"))
			require.Contains(t, w.Header().Values("Vary"), "Origin")
			if test.allow != "" {
				for _, name := range []string{"Content-Location", "Location", "X-Pagination-Total", "X-Pagination-Next"} {
					require.Contains(t, w.Header().Get("Access-Control-Expose-Headers"), name)
				}
			}
		})
	}
}

func TestPreflight(t *testing.T) {
	t.Parallel()
	origins, err := access.Origins("https://chat.example.com")
	require.NoError(t, err)
	w := do(t, origins(http.NotFoundHandler()), http.MethodOptions, "/threads", "Origin", "https://chat.example.com",
		"Access-Control-Request-Method", "DELETE", "Access-Control-Request-Headers", "authorization, x-api-key", "Access-Control-Request-Private-Network", "true")
	require.Equal(t, http.StatusOK, w.Code)
	for name, want := range map[string]string{
		"Access-Control-Allow-Origin": "https://chat.example.com", "Access-Control-Allow-Methods": "GET, POST, PUT, PATCH, DELETE",
		"Access-Control-Allow-Headers": "authorization, x-api-key", "Access-Control-Allow-Credentials": "true", "Access-Control-Allow-Private-Network": "true",
	} {
		require.Equal(t, want, w.Header().Get(name), name)
	}
	w = do(t, origins(ok), http.MethodOptions, "/", "Origin", "https://chat.example.com", "Access-Control-Request-Method", "GET", "Access-Control-Request-Headers", "a b")
	require.Empty(t, w.Header().Get("Access-Control-Allow-Headers"))

	all, err := access.Origins("*")
	require.NoError(t, err)
	w = do(t, all(ok), http.MethodPost, "/", "Origin", "https://any.example")
	require.Equal(t, "*", w.Header().Get("Access-Control-Allow-Origin"))
	require.Empty(t, w.Header().Get("Access-Control-Allow-Credentials"))
	for _, bad := range []string{"chat.example.com", "https://chat.example.com/", "https://Chat.example.com", "null", "", "https://*.example.com/x"} {
		_, err := access.Origins(bad)
		require.ErrorContains(t, err, "cors: origins: ", bad)
	}
}

// decode answers with what the body says.
var decode = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	var body any
	if err := jsonbody.Decode(r, &body); err != nil {
		detail.Write(w, err)
		return
	}
	fmt.Fprint(w, body)
})

func TestLargeBodies(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(access.Bodies(100, time.Minute)(decode))
	t.Cleanup(server.Close)
	for name, test := range map[string]struct {
		body   io.Reader
		status int
	}{
		"fits":                 {strings.NewReader(`"` + strings.Repeat("x", 98) + `"`), 200},
		"says that it is":      {strings.NewReader(`"` + strings.Repeat("x", 99) + `"`), 413},
		"does not say":         {io.MultiReader(strings.NewReader(`"` + strings.Repeat("x", 99) + `"`)), 413},
		"chunked, fits":        {io.MultiReader(strings.NewReader(`7`)), 200},
		"hundred million zero": {bytes.NewReader(make([]byte, 100_000_000)), 413},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, test.body)
			require.NoError(t, err)
			response, err := server.Client().Do(r)
			if name == "hundred million zero" && err != nil {
				return // the server has closed the connection while we still sent
			}
			require.NoError(t, err)
			require.NoError(t, response.Body.Close())
			require.Equal(t, test.status, response.StatusCode)
		})
	}
}

// serve serves a handler on a pipe within a bubble, and returns the client's end.
func serve(t *testing.T, h http.Handler) net.Conn {
	t.Helper()
	server := access.NewServer(h, slog.New(slog.DiscardHandler))
	listener := make(pipes, 1)
	client, conn := net.Pipe()
	listener <- conn
	done := make(chan struct{})
	go func() {
		_ = server.Serve(listener)
		close(done)
	}()
	t.Cleanup(func() {
		_ = client.Close()
		_ = server.Close()
		<-done
	})
	return client
}

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

func send(t *testing.T, c net.Conn, text string) {
	t.Helper()
	_, err := io.WriteString(c, text)
	require.NoError(t, err)
}

func receive(t *testing.T, c net.Conn) (status int, body string) {
	t.Helper()
	response, err := http.ReadResponse(bufio.NewReader(c), nil)
	require.NoError(t, err)
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	return response.StatusCode, string(text)
}

func TestSlowBody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		c := serve(t, access.Bodies(1000, 30*time.Second)(decode))
		send(t, c, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
		stopped := make(chan struct{})
		go func() {
			defer close(stopped)
			for { // a byte each second
				time.Sleep(time.Second)
				if _, err := c.Write([]byte(" ")); err != nil {
					return
				}
			}
		}()
		status, _ := receive(t, c)
		require.Equal(t, http.StatusRequestTimeout, status)
		require.Equal(t, 30*time.Second, time.Since(begun))
		require.NoError(t, c.Close())
		<-stopped
	})
}

func TestHandlerMayThinkAfterItReadTheBody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		thinks := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			decode(w, r)
			select {
			case <-time.After(time.Hour):
			case <-r.Context().Done():
				_, _ = io.WriteString(w, "cut off")
			}
		})
		c := serve(t, access.Chain(thinks, access.Bodies(1000, 30*time.Second), access.WriteDeadlines(time.Minute)))
		go func() { _, _ = io.WriteString(c, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n7") }()
		_, body := receive(t, c)
		require.Equal(t, "7", body)
	})
}

func TestSlowHeadersAndIdleConnections(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"": access.HeaderTimeout, "GET / HTTP/1.1\r\nHost: x\r\nX: ": access.HeaderTimeout, "GET / HTTP/1.1\r\nHost: x\r\n\r\n": access.IdleTimeout,
	} {
		synctest.Test(t, func(t *testing.T) {
			begun := time.Now()
			c := serve(t, ok)
			send(t, c, text)
			_, _ = io.ReadAll(c)
			require.Equal(t, want, time.Since(begun))
		})
	}
}

func TestClientThatDoesNotReadAnAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begun, failed := time.Now(), make(chan error, 1)
		c := serve(t, access.WriteDeadlines(time.Minute)(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			time.Sleep(10 * time.Minute)
			_, err := w.Write(make([]byte, 1<<20))
			failed <- err
		})))
		send(t, c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		require.ErrorIs(t, <-failed, os.ErrDeadlineExceeded)
		require.Equal(t, 11*time.Minute, time.Since(begun))
	})
}

func TestMalformedRequests(t *testing.T) {
	t.Parallel()
	for request, want := range map[string]int{
		"GET / HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("x", 80<<10) + "\r\n\r\n":                              431,
		"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n":                                                             400,
		"GET / HTTP/1.1\r\n\r\n":                                                                                   400,
		"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello":                        400,
		"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n":                               501,
		"POST / HTTP/1.1\r\nHost: x\r\nContent-Length : 5\r\n\r\nhello":                                            400,
		"GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n\tc: d\nX\x00: y\r\n\r\n":                                            400,
		"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n7\r\n0\r\n\r\n": 200, // the length does not count
	} {
		synctest.Test(t, func(t *testing.T) {
			c := serve(t, access.Bodies(100, time.Second)(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) })))
			go func() { _, _ = io.WriteString(c, request) }()
			status, _ := receive(t, c)
			require.Equal(t, want, status, "%.100q", request)
		})
	}
}

// logged returns a logger, and what was written.
func logged() (*slog.Logger, func() string) {
	var mu sync.Mutex
	var out bytes.Buffer
	return slog.New(slog.NewTextHandler(locked{&mu, &out}, &slog.HandlerOptions{Level: slog.LevelDebug})), func() string {
		mu.Lock()
		defer mu.Unlock()
		return out.String()
	}
}

type locked struct {
	mu *sync.Mutex
	w  io.Writer
}

func (l locked) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(b)
}

func keys(t *testing.T) auth.Authenticator {
	t.Helper()
	hash, err := auth.HashKey("0123456789abcdef")
	require.NoError(t, err)
	a, err := auth.Keys(auth.Key{SHA256: hash, Owner: "ada", Name: "laptop"})
	require.NoError(t, err)
	return a
}

func TestLogAndRequestID(t *testing.T) {
	t.Parallel()
	logger, text := logged()
	h := access.Chain(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, _ := auth.FromContext(r.Context())
		w.WriteHeader(http.StatusCreated)
		fmt.Fprint(w, p.Owner, " ", access.RequestID(r.Context()))
	}), access.RequestIDs(), access.Log(logger), access.Recover(logger), access.Authenticate(keys(t), nil, nil))
	w := do(t, h, http.MethodPost, "/threads?key=secret-1", "x-api-key", "0123456789abcdef", "X-Request-Id", "proxy-7", "Cookie", "secret-2")
	require.Equal(t, "ada proxy-7", w.Body.String())
	require.Equal(t, "proxy-7", w.Header().Get("X-Request-ID"))
	line := text()
	for _, part := range []string{"level=INFO", "method=POST", "path=/threads ", "status=201", "bytes=11", "who=keys:laptop", "request_id=proxy-7", "duration="} {
		require.Contains(t, line, part)
	}
	w = do(t, h, http.MethodGet, "/a%0Ab", "x-api-key", "secret-3-secret-3", "X-Request-Id", "a b\n")
	require.Equal(t, http.StatusUnauthorized, w.Code)
	require.Equal(t, `{"detail":"Invalid token"}`, w.Body.String())
	require.Equal(t, "Bearer", w.Header().Get("WWW-Authenticate"))
	require.Len(t, w.Header().Get("X-Request-ID"), 26)
	require.Contains(t, text(), `path="/a b"`)
	require.Contains(t, text(), "reason=")
	require.NotContains(t, text(), "secret")
}

// The text for a client may quote its body, which is not for the log.
func TestTheLogDoesNotQuoteBodies(t *testing.T) {
	t.Parallel()
	logger, text := logged()
	h := access.Chain(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		status, _ := strconv.Atoi(r.URL.Query().Get("status"))
		wrong := &detail.Error{Status: status, Text: "quoted", Cause: errors.New("the cause")}
		access.Note(r.Context(), wrong)
		detail.Write(w, wrong)
	}), access.Log(logger))
	do(t, h, http.MethodPost, "/threads?status=422")
	require.Contains(t, text(), "status=422")
	require.NotContains(t, text(), "quoted")
	do(t, h, http.MethodPost, "/threads?status=503")
	require.Contains(t, text(), "the cause")
}

func TestHealthChecksAreOpenAndQuiet(t *testing.T) {
	t.Parallel()
	logger, text := logged()
	h := access.Chain(ok, access.Log(logger), access.Authenticate(auth.First(), func(r *http.Request) bool { return r.URL.Path == "/ok" }, nil))
	require.Equal(t, http.StatusOK, do(t, h, http.MethodGet, "/ok").Code)
	require.Contains(t, text(), "level=DEBUG")
	require.Equal(t, http.StatusUnauthorized, do(t, h, http.MethodGet, "/ok/").Code)
}

// unavailable is an authenticator whose provider is down.
type unavailable struct{}

func (unavailable) Authenticate(*http.Request) (auth.Principal, error) {
	return auth.Principal{}, fmt.Errorf("10.0.0.7 refuses: %w", auth.ErrUnavailable)
}

func TestUnavailableProvider(t *testing.T) {
	t.Parallel()
	logger, text := logged()
	w := do(t, access.Chain(ok, access.Log(logger), access.Authenticate(unavailable{}, nil, nil)), http.MethodGet, "/threads")
	require.Equal(t, http.StatusServiceUnavailable, w.Code)
	require.Equal(t, "1", w.Header().Get("Retry-After"))
	require.NotContains(t, w.Body.String(), "10.0.0.7")
	require.Contains(t, text(), "10.0.0.7")
}

func TestRecover(t *testing.T) {
	t.Parallel()
	logger, text := logged()
	chain := func(h http.HandlerFunc) http.Handler {
		return access.Chain(h, access.RequestIDs(), access.Log(logger), access.Recover(logger))
	}
	w := do(t, chain(func(http.ResponseWriter, *http.Request) { panic("a secret\nthing") }), http.MethodGet, "/x", "X-Request-Id", "r1")
	require.Equal(t, http.StatusInternalServerError, w.Code)
	require.Equal(t, `{"detail":"Internal server error (request r1)"}`, w.Body.String())
	for _, part := range []string{`cause="a secret thing"`, "request_id=r1", "stack=", "access_test.go", "status=500", "level=ERROR"} {
		require.Contains(t, text(), part)
	}
	require.PanicsWithValue(t, http.ErrAbortHandler, func() {
		do(t, chain(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "half")
			panic("late")
		}), http.MethodGet, "/x")
	})
	require.PanicsWithValue(t, http.ErrAbortHandler, func() {
		do(t, chain(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }), http.MethodGet, "/x")
	})
}

func TestRates(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		rates, err := access.NewRates(access.RateConfig{PerSecond: 0.5, Burst: 2, Key: access.ByPrincipal, Buckets: 2})
		require.NoError(t, err)
		status := func(p auth.Principal, from string) (int, string) {
			r := httptest.NewRequestWithContext(auth.WithPrincipal(t.Context(), p), http.MethodGet, "/", http.NoBody)
			r.RemoteAddr = from
			w := httptest.NewRecorder()
			rates.Wrap(ok).ServeHTTP(w, r)
			return w.Code, w.Header().Get("Retry-After")
		}
		use := func(owner string) int {
			code, _ := status(auth.Principal{Owner: owner, Kind: "keys", Name: owner}, "10.0.0.1:1")
			return code
		}
		require.Equal(t, []int{200, 200, 429, 429}, []int{use("ada"), use("ada"), use("ada"), use("ada")})
		code, after := status(auth.Principal{Owner: "ada", Kind: "keys", Name: "ada"}, "10.0.0.2:1")
		require.Equal(t, 429, code)
		require.Equal(t, "2", after)
		require.Equal(t, 200, use("eve"), "another key has a bucket of its own")
		time.Sleep(2 * time.Second)
		require.Equal(t, []int{200, 429}, []int{use("ada"), use("ada")})

		// The bucket of eve is full again and makes room for bob's. Then all are in use, and the others share one.
		require.Equal(t, []int{200, 200, 200, 429}, []int{use("bob"), use("carl"), use("dora"), use("carl")})
		require.Equal(t, 429, use("ada"), "nobody loses a bucket by that")
		time.Sleep(4 * time.Second)
		require.Equal(t, []int{200, 200, 429}, []int{use("bob"), use("bob"), use("bob")}, "full buckets make room")
	})
	for _, bad := range []access.RateConfig{{}, {PerSecond: 1, Key: access.ByAddress}, {PerSecond: -1, Burst: 1, Key: access.ByAddress}, {PerSecond: 1, Burst: 1}} {
		_, err := access.NewRates(bad)
		require.Error(t, err)
	}
}

func TestByAddress(t *testing.T) {
	t.Parallel()
	for from, want := range map[string]string{
		"10.0.0.1:5": "address:10.0.0.1", "[::ffff:10.0.0.1]:5": "address:10.0.0.1", "[2001:db8::1]:5": "address:2001:db8::/64", "[2001:db8::2%eth0]:6": "address:2001:db8::/64",
		"@": "address:", "": "address:", "x:1": "address:",
	} {
		require.Equal(t, want, access.ByAddress(&http.Request{RemoteAddr: from}), from)
	}
}

func TestSlots(t *testing.T) {
	t.Parallel()
	slots := access.NewSlots("streams", 2, 3)
	first, err := slots.Acquire("ada")
	require.NoError(t, err)
	_, err = slots.Acquire("ada")
	require.NoError(t, err)
	_, err = slots.Acquire("ada")
	require.ErrorContains(t, err, "you have 2 streams at once")
	_, err = slots.Acquire("eve")
	require.NoError(t, err)
	_, err = slots.Acquire("bob")
	require.ErrorContains(t, err, "too many streams at the moment")
	first()
	first()
	own, all := slots.InUse("ada")
	require.Equal(t, []int{1, 2}, []int{own, all})
	_, err = slots.Acquire("bob")
	require.NoError(t, err)

	var group sync.WaitGroup
	many := access.NewSlots("runs", 5, 0)
	for range 200 {
		group.Go(func() {
			if release, err := many.Acquire("ada"); err == nil {
				release()
			}
		})
	}
	group.Wait()
	own, all = many.InUse("ada")
	require.Equal(t, []int{0, 0}, []int{own, all})
}
