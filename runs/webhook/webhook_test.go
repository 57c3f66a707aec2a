package webhook_test

import (
	"context"
	"crypto/x509"
	"encoding/binary"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/agenthost/agenthost/runs/webhook"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}

func open(t *testing.T, c webhook.Config) *webhook.Sender {
	t.Helper()
	s, err := webhook.New(c)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func TestDeliver(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Method != http.MethodPost || r.URL.RequestURI() != "/hook?key=1" || string(body) != `{"status":"success"}` ||
			r.Header.Get("Content-Type") != "application/json" || r.Header.Get("Webhook-Id") != "run-1" || r.Header.Get("Accept-Encoding") != "" {
			w.WriteHeader(http.StatusTeapot)
		}
		_, _ = w.Write(make([]byte, 1<<20))
	}))
	t.Cleanup(server.Close)
	s := open(t, webhook.Config{Private: loopback, Attempts: 1})
	require.NoError(t, s.Deliver(t.Context(), webhook.Delivery{ID: "run-1", URL: server.URL + "/hook?key=1#part", Body: []byte(`{"status":"success"}`)}))
	err := s.Deliver(t.Context(), webhook.Delivery{ID: "run-2", URL: server.URL + "/hook?key=1"})
	var status *webhook.StatusError
	require.ErrorAs(t, err, &status)
	require.Equal(t, http.StatusTeapot, status.Status)
	require.NotContains(t, err.Error(), "key=1")

	err = open(t, webhook.Config{}).Deliver(t.Context(), webhook.Delivery{URL: server.URL})
	require.ErrorIs(t, err, webhook.ErrRefused, "loopback is not public")
}

func TestCheck(t *testing.T) {
	t.Parallel()
	s := open(t, webhook.Config{})
	for _, good := range []string{
		"https://example.com/hook?a=b", "http://example.com:8080", "https://1.1.1.1/", "https://[2606:4700::1111]/x", "https://EXAMPLE.com./", "https://localhost.example.com/",
	} {
		require.NoError(t, s.Check(good), good)
	}
	bad := []string{
		"", "/hook", "example.com", "ftp://example.com", "file:///etc/passwd", "https:example.com", "https://", "https://:443/", "https://user:pass@example.com/",
		"https://example.com:0/", "https://example.com:99999/", "https://example.com:x/", "https://exa mple.com/", "https://example.com/\n", `https:\\example.com`, "https://éxample.com/",
		"http://127.0.0.1/", "http://127.1/", "http://2130706433/", "http://0x7f000001/", "http://0x7f.1/", "http://0177.0.0.1/", "http://localhost/", "http://a.localhost./",
		"http://LOCALHOST:8123", "http://10.0.0.1/", "http://169.254.169.254/latest/meta-data", "http://metadata.google.internal/", "http://[::1]/", "http://[::ffff:127.0.0.1]/",
		"http://[fe80::1%25eth0]/", "http://[fd00::1]/", "http://0.0.0.0/", "http://[64:ff9b::7f00:1]/", "https://" + strings.Repeat("a", 9000), "unix:///run/docker.sock",
	}
	for _, address := range bad {
		require.ErrorIs(t, s.Check(address), webhook.ErrRefused, address)
		require.ErrorIs(t, s.Deliver(t.Context(), webhook.Delivery{URL: address}), webhook.ErrRefused, address)
	}
	granted := open(t, webhook.Config{Private: []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16")}})
	require.NoError(t, granted.Check("http://10.1.2.3/"))
	require.NoError(t, granted.Check("http://hooks.internal/"), "its address is checked when it is called")
	require.ErrorIs(t, granted.Check("http://10.2.2.3/"), webhook.ErrRefused)
}

func TestConfigurationsThatAreRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []webhook.Config{
		{Timeout: time.Hour}, {Timeout: -1}, {Attempts: 21}, {Attempts: -1}, {Private: []netip.Prefix{netip.MustParsePrefix("10.0.0.1/8")}}, {Private: []netip.Prefix{{}}},
	} {
		_, err := webhook.New(c)
		require.Error(t, err)
	}
}

// TestANameThatChangesItsAddress tries DNS rebinding: a name that leads to an allowed network at first, and then inside.
func TestANameThatChangesItsAddress(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { calls.Add(1) }))
	t.Cleanup(server.Close)
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	require.NoError(t, err)
	var address atomic.Pointer[string]
	s := open(t, webhook.Config{Private: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}, Resolver: resolver(t, &address)})
	deliver := func() error {
		return s.Deliver(t.Context(), webhook.Delivery{URL: "http://hooks.example.com:" + port})
	}
	address.Store(new("127.0.0.1"))
	require.NoError(t, deliver())
	for _, inside := range []string{"127.0.0.2", "169.254.169.254", "10.0.0.1", "0.0.0.0"} {
		address.Store(&inside)
		err := deliver()
		require.ErrorIs(t, err, webhook.ErrRefused, inside)
		require.ErrorContains(t, err, "attempt 1:", "it is not tried again")
		require.NotContains(t, err.Error(), inside, "a client learns nothing of the network")
	}
	require.EqualValues(t, 1, calls.Load())
}

// resolver asks a name server that answers every question for an IPv4 address with the present one.
func resolver(t *testing.T, address *atomic.Pointer[string]) *net.Resolver {
	t.Helper()
	conn, err := (&net.ListenConfig{}).ListenPacket(t.Context(), "udp", "127.0.0.1:0")
	require.NoError(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		query := make([]byte, 1500)
		for {
			n, from, err := conn.ReadFrom(query)
			if err != nil {
				return
			}
			_, _ = conn.WriteTo(answer(query[:n], netip.MustParseAddr(*address.Load())), from)
		}
	}()
	t.Cleanup(func() {
		require.NoError(t, conn.Close())
		<-done
	})
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

// answer makes the answer to a query, which has one question, at byte 12.
func answer(query []byte, addr netip.Addr) []byte {
	end := 12
	for query[end] != 0 {
		end += 1 + int(query[end])
	}
	isA := binary.BigEndian.Uint16(query[end+1:]) == 1
	out := append([]byte(nil), query[:end+5]...)
	out[2], out[3], out[7] = 0x85, 0x80, 0
	clear(out[8:12])
	if isA {
		out[7] = 1
		out = append(append(out, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4), addr.AsSlice()...)
	}
	return out
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	var inside atomic.Int32
	secret := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { inside.Add(1) }))
	t.Cleanup(secret.Close)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, secret.URL, http.StatusTemporaryRedirect)
	}))
	t.Cleanup(server.Close)
	err := open(t, webhook.Config{Private: loopback}).Deliver(t.Context(), webhook.Delivery{URL: server.URL, Body: []byte("{}")})
	require.ErrorContains(t, err, "attempt 1: the server answered with the status 307; redirects are not followed")
	require.Zero(t, inside.Load())
}

func TestServerThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	leave := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-leave }))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(leave) })
	err := open(t, webhook.Config{Private: loopback, Timeout: 50 * time.Millisecond, Attempts: 1}).Deliver(t.Context(), webhook.Delivery{URL: server.URL})
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

func TestUnknownAuthorityIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	err := open(t, webhook.Config{Private: loopback}).Deliver(t.Context(), webhook.Delivery{URL: server.URL})
	require.ErrorContains(t, err, "attempt 1: tls:")
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	err = open(t, webhook.Config{Private: loopback, Roots: roots, Attempts: 1}).Deliver(t.Context(), webhook.Delivery{URL: server.URL})
	var status *webhook.StatusError
	require.ErrorAs(t, err, &status)
	require.Equal(t, http.StatusNotFound, status.Status)
}

// script answers requests one after another, and notes when they came.
type script struct {
	begun time.Time
	steps []step
	at    []time.Duration
}

type step struct {
	status int
	after  string // Retry-After
	err    error
}

func (s *script) RoundTrip(r *http.Request) (*http.Response, error) {
	s.at = append(s.at, time.Since(s.begun))
	next := s.steps[0]
	s.steps = s.steps[1:]
	if next.err != nil {
		return nil, next.err
	}
	header := http.Header{}
	if next.after != "" {
		header.Set("Retry-After", next.after)
	}
	return &http.Response{StatusCode: next.status, Header: header, Body: http.NoBody, Request: r}, nil
}

func TestRepetitions(t *testing.T) {
	t.Parallel()
	broken, second := errors.New("connection refused"), time.Second
	for name, test := range map[string]struct {
		steps []step
		at    []time.Duration
		err   string
	}{
		"at once":         {[]step{{status: 204}}, []time.Duration{0}, ""},
		"pauses double":   {[]step{{status: 500}, {err: broken}, {status: 429}, {status: 503}, {status: 200}}, []time.Duration{0, second, 3 * second, 7 * second, 15 * second}, ""},
		"attempts end":    {[]step{{status: 500}, {status: 500}, {status: 500}, {status: 500}, {status: 502}}, []time.Duration{0, second, 3 * second, 7 * second, 15 * second}, "attempt 5: the server answered with the status 502"},
		"not again":       {[]step{{status: 400}}, []time.Duration{0}, "attempt 1: the server answered with the status 400"},
		"gone":            {[]step{{status: 410}}, []time.Duration{0}, "410"},
		"the server asks": {[]step{{status: 429, after: "60"}, {status: 503, after: "60000"}, {status: 200}}, []time.Duration{0, time.Minute, 6 * time.Minute}, ""},
		"asks nonsense":   {[]step{{status: 429, after: "-1"}, {status: 429, after: "soon"}, {status: 200}}, []time.Duration{0, second, 3 * second}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := open(t, webhook.Config{})
				network := &script{begun: time.Now(), steps: test.steps}
				s.SetTransport(network)
				err := s.Deliver(t.Context(), webhook.Delivery{URL: "https://example.com/secret"})
				require.Equal(t, test.at, network.at)
				if test.err == "" {
					require.NoError(t, err)
					return
				}
				require.ErrorContains(t, err, test.err)
				require.NotContains(t, err.Error(), "secret")
			})
		})
	}
}

func TestContextEndsADelivery(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := open(t, webhook.Config{})
		network := &script{begun: time.Now(), steps: []step{{status: 500}, {status: 500}, {status: 500}}}
		s.SetTransport(network)
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		err := s.Deliver(ctx, webhook.Delivery{URL: "https://example.com"})
		require.ErrorContains(t, err, "attempt 2: the server answered with the status 500")
		require.Equal(t, 2*time.Second, time.Since(network.begun))
	})
}

func FuzzCheck(f *testing.F) {
	for _, text := range []string{"https://example.com", "http://127.0.0.1", "http://[::1]:80/", "http://a%00b/", "//x", "http://0x7f.0.0.1", "https://a@b"} {
		f.Add(text)
	}
	s, err := webhook.New(webhook.Config{})
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, address string) {
		if err := s.Check(address); err != nil {
			require.ErrorIs(t, err, webhook.ErrRefused)
			return
		}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, http.NoBody)
		require.NoError(t, err)
		if addr, err := netip.ParseAddr(r.URL.Hostname()); err == nil {
			require.False(t, addr.IsLoopback() || addr.IsPrivate() || addr.IsLinkLocalUnicast() || addr.IsUnspecified())
		}
	})
}
