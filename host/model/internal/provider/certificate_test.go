package provider_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/internal/provider"
)

// certificate returns a self-signed certificate for a name, valid until a time.
func certificate(t *testing.T, name string, until time.Time) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotBefore: until.Add(-48 * time.Hour), NotAfter: until,
		BasicConstraintsValid: true, IsCA: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	if ip := net.ParseIP(name); ip != nil {
		template.IPAddresses = []net.IP{ip}
	} else {
		template.DNSNames = []string{name}
	}
	made, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	parsed, err := x509.ParseCertificate(made)
	require.NoError(t, err)
	roots := x509.NewCertPool()
	roots.AddCert(parsed)
	return tls.Certificate{Certificate: [][]byte{made}, PrivateKey: key}, roots
}

// A server whose certificate is not trusted gets no request, and no second chance.
func TestUntrustedCertificates(t *testing.T) {
	t.Parallel()
	tomorrow, yesterday := time.Now().Add(24*time.Hour), time.Now().Add(-24*time.Hour)
	for name, test := range map[string]struct {
		of     string // the name in the certificate
		until  time.Time
		trusts bool // the client trusts its authority
		says   string
	}{
		"an unknown authority":          {of: "127.0.0.1", until: tomorrow, says: " is signed by an unknown authority; set ca_file of the model to a PEM file"},
		"expired":                       {of: "127.0.0.1", until: yesterday, trusts: true, says: " has expired or is not valid yet; renew it or, if the authority's own has expired, replace that in ca_file or SSL_CERT_FILE"},
		"another name":                  {of: "llm.example.com", until: tomorrow, trusts: true, says: " is for another name (llm.example.com); correct the base URL"},
		"a name that steers a terminal": {of: "\x1b[31mred", until: tomorrow, trusts: true, says: " is for another name ("},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			own, roots := certificate(t, test.of, test.until)
			s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it got the request") }))
			s.TLS = &tls.Config{Certificates: []tls.Certificate{own}, MinVersion: tls.VersionTLS12}
			s.Config.ErrorLog = log.New(io.Discard, "", 0)
			s.StartTLS()
			t.Cleanup(s.Close)
			if !test.trusts {
				roots = x509.NewCertPool()
			}
			client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}}}
			base, err := provider.Address("test", s.URL+"/v1?key=s3cret-key", s.URL)
			require.NoError(t, err)
			_, err = provider.NewEndpoint("test", base, client, http.Header{"X-Api-Key": {"s3cret-key"}}, nil).Ask(t.Context(), provider.Call{Path: "chat"})
			failed := failure(t, err)
			require.Equal(t, model.ErrorCertificate, failed.Kind)
			require.False(t, failed.Retryable)
			require.False(t, failed.Kind.Passing())
			require.ErrorContains(t, err, "test: certificate: the certificate of "+base.Host+test.says)
			require.NotContains(t, err.Error(), "s3cret")
			require.NotContains(t, err.Error(), "\x1b")
			var cause *tls.CertificateVerificationError
			require.ErrorAs(t, err, &cause, "a program can see the certificate")
		})
	}
}

func TestTheCertificateOfAProxy(t *testing.T) {
	t.Parallel()
	own, _ := certificate(t, "127.0.0.1", time.Now().Add(time.Hour))
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.TLS = &tls.Config{Certificates: []tls.Certificate{own}, MinVersion: tls.VersionTLS12}
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	proxy, err := url.Parse(s.URL)
	require.NoError(t, err)
	base, err := provider.Address("test", "https://llm.example.com/v1", "")
	require.NoError(t, err)
	client := &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(proxy)}}
	_, err = provider.NewEndpoint("test", base, client, nil, nil).Ask(t.Context(), provider.Call{Path: "chat"})
	require.Equal(t, model.ErrorCertificate, failure(t, err).Kind)
	require.ErrorContains(t, err, "the certificate of the proxy is signed by an unknown authority")
}
