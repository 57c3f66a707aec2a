package config

import (
	"crypto/tls"
	"fmt"
	"time"

	"github.com/agenthost/agenthost/internal/followed"
)

// Certificate is the certificate of a server. It follows its files: a renewed one is used from the next connection on.
type Certificate struct {
	pair *followed.Value[*tls.Certificate]
}

// Certificate reads the certificate; nil if the server speaks plain HTTP.
func (c *Config) Certificate() (*Certificate, error) {
	if c.TLS == nil {
		return nil, nil //nolint:nilnil // there is none
	}
	files := *c.TLS
	pair, err := followed.New(func() (*tls.Certificate, error) {
		loaded, err := tls.LoadX509KeyPair(files.CertFile, files.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("%s, %s: %w", files.CertFile, files.KeyFile, err)
		}
		return &loaded, nil
	}, files.CertFile, files.KeyFile)
	if err != nil {
		return nil, fmt.Errorf("tls: %w", err)
	}
	return &Certificate{pair}, nil
}

// Get returns the certificate for a connection, as [tls.Config] asks for it.
func (c *Certificate) Get(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.pair.Get(), nil }

// Expires returns when the certificate ends.
func (c *Certificate) Expires() time.Time { return c.pair.Get().Leaf.NotAfter }
