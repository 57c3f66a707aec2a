package server_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/runs"
	runsmemory "github.com/agenthost/agenthost/runs/memory"
	"github.com/agenthost/agenthost/server"
	"github.com/agenthost/agenthost/server/config"
)

// issue writes a new certificate with its key, and returns it.
func issue(t *testing.T, files *config.TLS, serial int64) *x509.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "localhost"}, DNSNames: []string{"localhost"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), BasicConstraintsValid: true, IsCA: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	made, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	private, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	for path, block := range map[string]*pem.Block{
		files.CertFile: {Type: "CERTIFICATE", Bytes: made}, files.KeyFile: {Type: "PRIVATE KEY", Bytes: private},
	} {
		require.NoError(t, os.WriteFile(path, pem.EncodeToMemory(block), 0o600))
		at := time.Unix(1_700_000_000+serial, 0) // file systems may count in whole seconds
		require.NoError(t, os.Chtimes(path, at, at))
	}
	certificate, err := x509.ParseCertificate(made)
	require.NoError(t, err)
	return certificate
}

func TestACertificateIsRenewed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	serve := config.Default()
	serve.TLS = &config.TLS{CertFile: filepath.Join(dir, "cert.pem"), KeyFile: filepath.Join(dir, "key.pem")}
	model, err := scripted.NewRules(scripted.Rule{When: "", Say: "hello"})
	require.NoError(t, err)
	threads := memory.New()
	agent, err := host.New(host.Config{Name: "agent", Model: model, Checkpointer: threads})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, agent.Close()) })
	served := server.Config{
		Agents: map[string]runs.Agent{"agent": {Agent: agent, Threads: threads}}, Runs: runsmemory.New(runsmemory.Options{}), Serve: serve,
	}
	_, err = server.New(served)
	require.ErrorContains(t, err, "tls: stat "+serve.TLS.CertFile)
	first := issue(t, serve.TLS, 1)
	s, err := server.New(served)
	require.NoError(t, err)
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, listener) }()

	// shown asks the server over a new connection, and returns the certificate that it shows.
	shown := func(trusted *x509.Certificate) *x509.Certificate {
		roots := x509.NewCertPool()
		roots.AddCert(trusted)
		transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, ServerName: "localhost", MinVersion: tls.VersionTLS12}}
		defer transport.CloseIdleConnections()
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+listener.Addr().String()+"/healthz", http.NoBody)
		require.NoError(t, err)
		response, err := (&http.Client{Transport: transport}).Do(request)
		require.NoError(t, err)
		defer func() { _ = response.Body.Close() }()
		require.Equal(t, http.StatusOK, response.StatusCode)
		return response.TLS.PeerCertificates[0]
	}
	require.True(t, shown(first).Equal(first))
	second := issue(t, serve.TLS, 2)
	require.True(t, shown(second).Equal(second))

	good, err := os.ReadFile(serve.TLS.KeyFile)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(serve.TLS.KeyFile, bytes.Replace(good, []byte("PRIVATE"), []byte("BROKEN"), 1), 0o600))
	require.True(t, shown(second).Equal(second), "a certificate that cannot be read replaces none")
	stop()
	require.NoError(t, <-ended)
}
