package temporal_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/engine/temporal"
	"github.com/agenthost/agenthost/runs"
)

// guard stands in front of a server, and lets in those who have the present key and certificate.
type guard struct {
	*httptest.Server

	mu      sync.Mutex
	key     string
	serial  int64
	refused []string // what those had who were refused
	let     int      // how many requests were let in since the last change
}

func newGuard(t *testing.T, address string) *guard {
	t.Helper()
	var protocols http.Protocols
	protocols.SetUnencryptedHTTP2(true)
	transport := &http.Transport{Protocols: &protocols}
	t.Cleanup(transport.CloseIdleConnections)
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: address})
	proxy.Transport, proxy.FlushInterval, proxy.ErrorLog = transport, -1, log.New(io.Discard, "", 0)
	g := &guard{}
	g.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !g.allows(r) {
			w.Header().Set("Content-Type", "application/grpc")
			w.Header().Set("Grpc-Status", "16") // unauthenticated
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	g.EnableHTTP2, g.TLS = true, &tls.Config{ClientAuth: tls.RequireAnyClientCert, MinVersion: tls.VersionTLS12}
	g.StartTLS()
	t.Cleanup(g.Close)
	return g
}

func (g *guard) allows(r *http.Request) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	key, serial := r.Header.Get("Authorization"), r.TLS.PeerCertificates[0].SerialNumber.Int64()
	if key != "Bearer "+g.key || serial != g.serial {
		g.refused = append(g.refused, fmt.Sprint(key, " ", serial))
		return false
	}
	g.let++
	return true
}

// change lets in only who has another key and certificate from now on, and ends the connections.
func (g *guard) change(key string, serial int64) {
	g.mu.Lock()
	g.key, g.serial, g.let = key, serial, 0
	g.mu.Unlock()
	g.CloseClientConnections()
}

// issue writes a new certificate with its key.
func issue(t *testing.T, files *temporal.TLS, serial int64) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "worker"}, DNSNames: []string{"temporal.test"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	made, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	private, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	for path, block := range map[string]*pem.Block{
		files.CertFile: {Type: "CERTIFICATE", Bytes: made}, files.KeyFile: {Type: "PRIVATE KEY", Bytes: private},
	} {
		require.NoError(t, os.WriteFile(path, pem.EncodeToMemory(block), 0o600))
	}
}

// A worker and a server go on with a renewed key and a renewed certificate, without a restart.
func TestKeysAndCertificatesAreRenewed(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	g := newGuard(t, shared(t).FrontendHostPort())
	dir := t.TempDir()
	files := &temporal.TLS{
		CAFile: filepath.Join(dir, "ca.pem"), CertFile: filepath.Join(dir, "cert.pem"), KeyFile: filepath.Join(dir, "key.pem"), ServerName: "example.com",
	}
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: g.Certificate().Raw})
	require.NoError(t, os.WriteFile(files.CAFile, authority, 0o600))
	keyFile := filepath.Join(dir, "api.key")
	renew := func(key string, serial int64) {
		issue(t, files, serial)
		require.NoError(t, os.WriteFile(keyFile, []byte(key+"\n"), 0o600))
		g.change(key, serial)
	}
	renew("one", 1)
	key, err := temporal.KeyFile(keyFile)
	require.NoError(t, err)
	f.config.Client, err = temporal.Dial(t.Context(), temporal.Server{Address: g.Listener.Addr().String(), TLS: files, APIKey: key})
	require.NoError(t, err)
	t.Cleanup(f.config.Client.Close)
	f.worker("1")
	server := f.dispatcher()
	require.Equal(t, runs.Success, f.over(f.submit(server, "a", say("hi"))).Status)

	renew("another", 2)
	require.Equal(t, runs.Success, f.over(f.submit(server, "b", say("hi"))).Status)
	g.mu.Lock()
	defer g.mu.Unlock()
	require.Positive(t, g.let, "with the new key and certificate")
	for _, had := range g.refused { // while they changed
		require.NotEqual(t, "Bearer another 2", had)
	}
}

// A connection trusts the authorities that are in ca_file when it begins, and checks the name of the server.
func TestAuthoritiesAreRenewed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	// The certificate of the server is its own authority.
	at := &temporal.TLS{CertFile: filepath.Join(dir, "server.pem"), KeyFile: filepath.Join(dir, "server.key")}
	var serves atomic.Pointer[tls.Certificate]
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{
		MinVersion: tls.VersionTLS12, GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return serves.Load(), nil },
	})
	require.NoError(t, err)
	var serving sync.WaitGroup
	t.Cleanup(func() {
		require.NoError(t, listener.Close())
		serving.Wait()
	})
	serving.Go(func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			if secured, ok := c.(*tls.Conn); ok {
				_ = secured.HandshakeContext(context.Background())
			}
			_ = c.Close()
		}
	})
	renew := func(serial int64) {
		issue(t, at, serial)
		pair, err := tls.LoadX509KeyPair(at.CertFile, at.KeyFile)
		require.NoError(t, err)
		serves.Store(&pair)
	}
	ca := filepath.Join(dir, "ca.pem")
	trust := func(changed time.Time) {
		text, err := os.ReadFile(at.CertFile)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(ca, text, 0o600))
		require.NoError(t, os.Chtimes(ca, changed, changed))
	}
	config := func(files temporal.TLS, address string) *tls.Config {
		c, err := files.Config(address)
		require.NoError(t, err)
		return c
	}
	address := listener.Addr().String()
	connect := func(c *tls.Config) error {
		conn, err := (&tls.Dialer{Config: c}).DialContext(t.Context(), "tcp", address)
		if err != nil {
			return err
		}
		return conn.Close()
	}
	renew(1)
	trust(time.Unix(1_700_000_000, 0))
	byAddress, byName := config(temporal.TLS{CAFile: ca}, address), config(temporal.TLS{CAFile: ca, ServerName: "temporal.test"}, address)
	other := config(temporal.TLS{CAFile: ca, ServerName: "other.test"}, address)
	require.NoError(t, connect(byAddress))
	require.NoError(t, connect(byName))
	var name x509.HostnameError
	require.ErrorAs(t, connect(other), &name)

	renew(2)
	var unknown x509.UnknownAuthorityError
	require.ErrorAs(t, connect(byAddress), &unknown)
	require.ErrorAs(t, connect(byName), &unknown)
	trust(time.Unix(1_700_000_001, 0))
	require.NoError(t, connect(byAddress))
	require.NoError(t, connect(byName))
	require.ErrorAs(t, connect(other), &name)

	_, err = (&temporal.TLS{CAFile: ca}).Config(":7233")
	require.ErrorContains(t, err, `the address ":7233" has no host`)
}

func TestKeyFilesThatCannotBe(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "key")
	_, err := temporal.KeyFile(path)
	require.ErrorIs(t, err, os.ErrNotExist)
	for _, text := range []string{"", "\n", "a key\nand more", "ключ"} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		_, err = temporal.KeyFile(path)
		require.ErrorContains(t, err, "the file has only the key, in one line")
	}
	require.NoError(t, os.WriteFile(path, []byte(" secret\n"), 0o600))
	key, err := temporal.KeyFile(path)
	require.NoError(t, err)
	got, err := key(context.Background())
	require.NoError(t, err)
	require.Equal(t, "secret", got)
	require.NoError(t, os.WriteFile(path, []byte("renewed"), 0o600))
	got, err = key(context.Background())
	require.NoError(t, err)
	require.Equal(t, "renewed", got)
}
