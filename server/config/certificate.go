package config

import (
	"crypto/tls"
	"fmt"
	"os"
	"sync"
	"time"
)

// Certificate is the certificate of a server. It follows its files: a renewed one is used from the next connection on.
type Certificate struct {
	files TLS

	mu     sync.Mutex
	loaded *tls.Certificate
	stamps [2]time.Time // of the files that were loaded
}

// Certificate reads the certificate; nil if the server speaks plain HTTP.
func (c *Config) Certificate() (*Certificate, error) {
	if c.TLS == nil {
		return nil, nil //nolint:nilnil // there is none
	}
	out := &Certificate{files: *c.TLS}
	if err := out.load(); err != nil {
		return nil, err
	}
	return out, nil
}

// Get returns the certificate for a connection, as [tls.Config] asks for it. If the files cannot be read now, it is the one before: a renewal writes one
// file after the other.
func (c *Certificate) Get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if stamps, err := c.stat(); err == nil && stamps != c.stamps {
		_ = c.load()
	}
	return c.loaded, nil
}

// Expires returns when the certificate ends.
func (c *Certificate) Expires() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.loaded.Leaf.NotAfter
}

func (c *Certificate) stat() (stamps [2]time.Time, err error) {
	for i, path := range []string{c.files.CertFile, c.files.KeyFile} {
		info, err := os.Stat(path)
		if err != nil {
			return stamps, err
		}
		stamps[i] = info.ModTime()
	}
	return stamps, nil
}

func (c *Certificate) load() error {
	stamps, err := c.stat()
	if err != nil {
		return fmt.Errorf("tls: %w", err)
	}
	loaded, err := tls.LoadX509KeyPair(c.files.CertFile, c.files.KeyFile)
	if err != nil {
		return fmt.Errorf("tls: %s, %s: %w", c.files.CertFile, c.files.KeyFile, err)
	}
	c.loaded, c.stamps = &loaded, stamps
	return nil
}
