package fetch_test

import (
	"crypto/x509"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/plugin/fetch"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}

// server is an HTTPS server on 127.0.0.1.
type server struct {
	*httptest.Server
	host string // with the port, as in a policy
}

func newServer(t *testing.T, handler http.HandlerFunc) *server {
	t.Helper()
	s := httptest.NewUnstartedServer(handler)
	s.Config.ErrorLog = silent
	s.StartTLS()
	t.Cleanup(s.Close)
	return &server{s, strings.TrimPrefix(s.URL, "https://")}
}

func (s *server) port() string {
	_, port, _ := net.SplitHostPort(s.host)
	return port
}

// roots returns the authority that signs the certificates of all test servers: for 127.0.0.1, example.com and names
// below it.
func roots() *x509.CertPool {
	s := httptest.NewUnstartedServer(nil)
	s.StartTLS()
	defer s.Close()
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	return pool
}

var testRoots = roots()

// silent drops the messages of servers about broken connections, which are intended here.
var silent = log.New(io.Discard, "", 0)

// newClient makes a client that trusts the test servers.
func newClient(t *testing.T, p fetch.Policy, o fetch.Options) *fetch.Client {
	t.Helper()
	if o.Roots == nil {
		o.Roots = testRoots
	}
	c, err := fetch.NewWith(p, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return c
}

// to returns a policy that grants servers on 127.0.0.1.
func to(servers ...*server) fetch.Policy {
	p := fetch.Policy{Private: loopback}
	for _, s := range servers {
		p.Hosts = append(p.Hosts, s.host)
	}
	return p
}

func get(url string) *abi.FetchRequest { return &abi.FetchRequest{URL: url} }

// fails performs a request that must fail, and returns its error.
func fails(t *testing.T, c *fetch.Client, r *abi.FetchRequest) *fetch.Error {
	t.Helper()
	response, err := c.Do(t.Context(), r)
	require.Nil(t, response)
	var failure *fetch.Error
	require.ErrorAs(t, err, &failure)
	return failure
}

func succeeds(t *testing.T, c *fetch.Client, r *abi.FetchRequest) *abi.FetchResponse {
	t.Helper()
	response, err := c.Do(t.Context(), r)
	require.NoError(t, err)
	return response
}

// echo answers with what it received.
func echo(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("Content-Type", "text/plain")
	_, _ = io.WriteString(w, r.Method+" "+r.Host+" "+r.URL.RequestURI()+"\n")
	_ = r.Header.Write(w)
	_, _ = w.Write(body)
}

// unreachable returns a handler that must not be called.
func unreachable(t *testing.T) http.HandlerFunc {
	t.Helper()
	return func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("%s %s reached a server that was not granted", r.Method, r.URL)
	}
}
