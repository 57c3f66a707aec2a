package manifest_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/manifest"
)

// pki is an authority with a certificate of a server and one of a client, as PEM files.
type pki struct {
	files  map[string]string
	server tls.Certificate
	pool   *x509.CertPool
}

func newPKI(t *testing.T) pki {
	t.Helper()
	until := time.Now().Add(time.Hour)
	authority := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, NotBefore: until.Add(-2 * time.Hour), NotAfter: until,
		BasicConstraintsValid: true, IsCA: true, KeyUsage: x509.KeyUsageCertSign,
	}
	signer, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	made := func(template *x509.Certificate, key *ecdsa.PrivateKey) (certificate, private string) {
		der, err := x509.CreateCertificate(rand.Reader, template, authority, &key.PublicKey, signer)
		require.NoError(t, err)
		secret, err := x509.MarshalPKCS8PrivateKey(key)
		require.NoError(t, err)
		return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}))
	}
	leaf := func(serial int64, usage x509.ExtKeyUsage) (certificate, private string) {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		require.NoError(t, err)
		return made(&x509.Certificate{
			SerialNumber: big.NewInt(serial), NotBefore: authority.NotBefore, NotAfter: until, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
			ExtKeyUsage: []x509.ExtKeyUsage{usage}, KeyUsage: x509.KeyUsageDigitalSignature,
		}, key)
	}
	out := pki{files: map[string]string{}, pool: x509.NewCertPool()}
	out.files["tls/ca.pem"], _ = made(authority, signer)
	require.True(t, out.pool.AppendCertsFromPEM([]byte(out.files["tls/ca.pem"])))
	out.files["tls/client.pem"], out.files["tls/client.key"] = leaf(2, x509.ExtKeyUsageClientAuth)
	out.files["tls/both.pem"] = out.files["tls/client.pem"] + out.files["tls/client.key"]
	_, out.files["tls/other.key"] = leaf(3, x509.ExtKeyUsageClientAuth)
	certificate, key := leaf(4, x509.ExtKeyUsageServerAuth)
	out.server, err = tls.X509KeyPair([]byte(certificate), []byte(key))
	require.NoError(t, err)
	return out
}

// tlsServer starts a server that answers as OpenAI's, over TLS.
func (p *pki) tlsServer(t *testing.T, wants tls.ClientAuthType) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, wholeAnswers[r.URL.Path]) }))
	s.TLS = &tls.Config{Certificates: []tls.Certificate{p.server}, ClientAuth: wants, ClientCAs: p.pool, MinVersion: tls.VersionTLS12}
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

// connectProxy is a forward proxy for HTTPS that wants a user and a password.
type connectProxy struct {
	mu   sync.Mutex
	seen []string // targets of tunnels
	all  sync.WaitGroup
}

func (p *connectProxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r.Header.Set("Authorization", r.Header.Get("Proxy-Authorization"))
	if user, password, _ := r.BasicAuth(); r.Method != http.MethodConnect || user != "me" || password != "pass-word" {
		w.WriteHeader(http.StatusProxyAuthRequired)
		return
	}
	p.mu.Lock()
	p.seen = append(p.seen, r.Host)
	p.mu.Unlock()
	target, err := (&net.Dialer{}).DialContext(r.Context(), "tcp", r.Host)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	w.WriteHeader(http.StatusOK)
	client, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	p.all.Go(func() { _, _ = io.Copy(target, buffered); _ = target.Close() })
	p.all.Go(func() { _, _ = io.Copy(client, target); _ = client.Close() })
}

// asks runs an agent whose model has these keys, and asks it once.
func (p *pki) asks(t *testing.T, base, keys string) (string, error) {
	t.Helper()
	lines := "apiVersion: agenthost/v1\nmodel: {provider: openai, name: m, max_retries: 0, stream: false, base_url: '" + base + "'" + keys + "}\n"
	agent := build(t, setup(t, lines, p.files), manifest.Options{InMemory: true})
	result, err := agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("hi")}})
	if err != nil {
		return "", err
	}
	return result.Text(), nil
}

func TestClientCertificates(t *testing.T) {
	t.Parallel()
	p := newPKI(t)
	base := p.tlsServer(t, tls.RequireAndVerifyClientCert).URL
	const trusting = ", ca_file: tls/ca.pem"
	for _, keys := range []string{", client_cert: tls/client.pem, client_key: tls/client.key", ", client_cert: tls/both.pem"} {
		text, err := p.asks(t, base, trusting+keys)
		require.NoError(t, err)
		require.Equal(t, "hello", text)
	}
	for keys, says := range map[string]string{
		trusting:                      "the server refuses the client's certificate, or its absence: certificate required; set client_cert and client_key",
		", client_cert: tls/both.pem": "is signed by an unknown authority; set ca_file of the model to a PEM file",
	} {
		_, err := p.asks(t, base, keys)
		var failed *host.ModelError
		require.ErrorAs(t, err, &failed)
		require.Equal(t, model.ErrorCertificate, failed.Kind)
		require.False(t, failed.Retryable)
		require.ErrorContains(t, err, says)
	}
}

func TestTheProxyOfAModel(t *testing.T) {
	t.Parallel()
	p := newPKI(t)
	target := p.tlsServer(t, tls.NoClientCert)
	proxy := &connectProxy{}
	server := httptest.NewServer(proxy)
	t.Cleanup(proxy.all.Wait)
	t.Cleanup(target.CloseClientConnections)
	t.Cleanup(server.Close)
	at, err := url.Parse(server.URL)
	require.NoError(t, err)

	text, err := p.asks(t, target.URL, ", ca_file: tls/ca.pem, proxy: 'http://me:pass-word@"+at.Host+"'")
	require.NoError(t, err)
	require.Equal(t, "hello", text)
	require.Equal(t, []string{strings.TrimPrefix(target.URL, "https://")}, proxy.seen)

	_, err = p.asks(t, target.URL, ", ca_file: tls/ca.pem, proxy: 'http://me:wrong-word@"+at.Host+"'")
	var failed *host.ModelError
	require.ErrorAs(t, err, &failed)
	require.Equal(t, model.ErrorAuthentication, failed.Kind)
	require.ErrorContains(t, err, "the proxy refuses the request without the right user and password")
	require.NotContains(t, err.Error(), "wrong-word")
}

// A mistake in the keys of the network is found without a request, at its place.
func TestFilesOfTheNetworkAreChecked(t *testing.T) {
	t.Parallel()
	p := newPKI(t)
	p.files["tls/empty.pem"] = "no certificate"
	for keys, says := range map[string][]string{
		"ca_file: tls/missing.pem":     {"ca_file", "tls/missing.pem: there is no such file", "correct the path"},
		"ca_file: tls":                 {"ca_file", "is a directory, not a regular file"},
		"ca_file: tls/empty.pem":       {"ca_file", "contains no certificate in the PEM format"},
		"ca_file: ''":                  {"ca_file", "ca_file is empty"},
		"client_cert: tls/missing.pem": {"client_cert", "tls/missing.pem: there is no such file"},
		"client_cert: tls/client.pem":  {"client_cert", "client_cert and client_key must be PEM files that belong together"},
		"client_cert: tls/client.pem, client_key: tls/other.key":                       {"client_cert", "and its key cannot be used"},
		"client_cert: tls/client.pem, client_key: tls/no.key":                          {"client_key", "cannot be read"},
		"client_key: tls/client.key":                                                   {"client_key", "needs client_cert"},
		`client_cert: tls/client.pem, client_key: "-----BEGIN PRIVATE KEY-----\nMIGH"`: {"client_key", "must be the path of a PEM file"},
		"proxy: 'ftp://me:pass-word@proxy.example'":                                    {"proxy", "its scheme is http, https, socks5 or socks5h"},
		"proxy: proxy.example":                                                         {"proxy", "must be an address such as http://proxy.example:3128"},
	} {
		m, err := manifest.Load(setup(t, "apiVersion: agenthost/v1\nmodel: {provider: anthropic, name: m, "+keys+"}\n", p.files), manifest.Options{InMemory: true})
		if err == nil {
			var agent *manifest.Agent
			agent, err = m.Build(t.Context(), nil, nil)
			require.NoError(t, agent.Close())
		}
		require.Error(t, err, keys)
		for _, part := range says {
			require.ErrorContains(t, err, part, keys)
		}
		require.NotContains(t, err.Error(), "MIGH")
		require.NotContains(t, err.Error(), "pass-word")
	}
}
