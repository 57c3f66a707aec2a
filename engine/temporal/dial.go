package temporal

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"

	"github.com/agenthost/agenthost/internal/followed"
	"github.com/agenthost/agenthost/internal/regularfile"
)

// Server says where Temporal is, and who connects to it.
type Server struct {
	Address   string // HOST:PORT; "": 127.0.0.1:7233
	Namespace string // "": default
	TLS       *TLS   // nil: TLS only with an API key
	// APIKey returns the API key, and is called for each request; nil: there is none. See [KeyFile].
	APIKey func(context.Context) (string, error)
	Logger *slog.Logger // nil: nothing is logged
	// Interceptors are called around requests, such as for telemetry. Those that are also worker interceptors are so for workers of the connection.
	Interceptors []interceptor.ClientInterceptor
	Metrics      client.MetricsHandler // nil: nothing is measured
}

// TLS says how a connection is encrypted, and with which certificate this side shows who it is.
type TLS struct {
	// The files are followed: what changes in them holds from the next connection on.

	CAFile     string // PEM file with the authorities that the server's certificate may come from; "": those of the system
	CertFile   string // PEM file with the certificate of this side; "": none
	KeyFile    string // its private key
	ServerName string // the name in the server's certificate; "": the host of the address
}

// maxAuthorities is how large the file of authorities may be, in bytes.
const maxAuthorities = 4 << 20

// config returns the configuration of a connection to an address.
func (t *TLS) config(address string) (*tls.Config, error) {
	if (t.CertFile == "") != (t.KeyFile == "") {
		return nil, errors.New("temporal: a certificate needs its private key; name both files, or none")
	}
	config := &tls.Config{ServerName: t.ServerName, MinVersion: tls.VersionTLS12}
	if t.CAFile != "" {
		if err := t.follow(config, address); err != nil {
			return nil, fmt.Errorf("temporal: %w", err)
		}
	}
	if t.CertFile != "" {
		files := *t
		pair, err := followed.New(func() (*tls.Certificate, error) {
			loaded, err := tls.LoadX509KeyPair(files.CertFile, files.KeyFile)
			if err != nil {
				return nil, fmt.Errorf("%s and %s: %w", files.CertFile, files.KeyFile, err)
			}
			return &loaded, nil
		}, files.CertFile, files.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("temporal: %w", err)
		}
		config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return pair.Get(), nil }
	}
	return config, nil
}

// follow lets a connection trust the authorities that are in the file when it begins.
func (t *TLS) follow(config *tls.Config, address string) error {
	name := t.ServerName
	if name == "" {
		host, _, err := net.SplitHostPort(address)
		if err != nil || host == "" {
			return fmt.Errorf("the address %q has no host that the server's certificate could name; set the name of the server", address)
		}
		name = host
	}
	path := t.CAFile
	authorities, err := followed.New(func() (*x509.CertPool, error) {
		text, err := regularfile.Read(path, maxAuthorities)
		if err != nil {
			return nil, err
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("%s has no certificate in PEM form", path)
		}
		return pool, nil
	}, path)
	if err != nil {
		return err
	}
	// Package tls checks with the authorities of the start only, so its check is replaced by the same one with the present authorities.
	config.InsecureSkipVerify = true
	config.VerifyConnection = func(state tls.ConnectionState) error {
		options := x509.VerifyOptions{DNSName: name, Roots: authorities.Get(), Intermediates: x509.NewCertPool()}
		for _, c := range state.PeerCertificates[1:] {
			options.Intermediates.AddCert(c)
		}
		_, err := state.PeerCertificates[0].Verify(options)
		return err
	}
	return nil
}

// Dial connects to Temporal. The caller must close the client.
func Dial(ctx context.Context, s Server) (client.Client, error) {
	options := client.Options{
		HostPort: cmp.Or(s.Address, client.DefaultHostPort), Namespace: cmp.Or(s.Namespace, client.DefaultNamespace), Logger: sdkLogger(s.Logger),
		Interceptors: s.Interceptors, MetricsHandler: s.Metrics,
	}
	if s.TLS != nil {
		config, err := s.TLS.config(options.HostPort)
		if err != nil {
			return nil, err
		}
		options.ConnectionOptions.TLS = config
	}
	if s.APIKey != nil {
		options.Credentials = client.NewAPIKeyDynamicCredentials(s.APIKey) // with TLS, unless there is a configuration of it
	}
	c, err := client.DialContext(ctx, options)
	if err != nil {
		return nil, fmt.Errorf("temporal: %s, namespace %s: %w; check that the server runs, its address, and whether it wants TLS and an API key",
			options.HostPort, options.Namespace, err)
	}
	return c, nil
}

// maxKey is how large a file with an API key may be, in bytes.
const maxKey = 64 << 10

// KeyFile returns the API key in a file, for [Server.APIKey]: without blanks around it, and always the present one, so it can be renewed while workers run.
func KeyFile(path string) (func(context.Context) (string, error), error) {
	key, err := followed.New(func() (string, error) {
		text, err := regularfile.Read(path, maxKey)
		if err != nil {
			return "", err
		}
		key := string(bytes.TrimSpace(text))
		if key == "" || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
			return "", fmt.Errorf("%s: this is not an API key; the file has only the key, in one line", path)
		}
		return key, nil
	}, path)
	if err != nil {
		return nil, fmt.Errorf("temporal: %w", err)
	}
	return func(context.Context) (string, error) { return key.Get(), nil }, nil
}
