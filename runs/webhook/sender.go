package webhook

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"time"

	"github.com/agenthost/agenthost/internal/publicnet"
)

// Config is how webhooks are delivered. The zero value has the defaults.
type Config struct {
	Private  []netip.Prefix // networks that are not public and may be called nevertheless
	Timeout  time.Duration  // of one attempt, from the lookup of the name to the headers of the answer; 0: 10 s; at most 5 minutes
	Attempts int            // how often a delivery is tried; 0: 5; at most 20

	Resolver *net.Resolver  // looks up names; nil: the system's
	Roots    *x509.CertPool // authorities for https; nil: the system's
}

// The defaults and limits of [Config].
const (
	DefaultTimeout  = 10 * time.Second
	DefaultAttempts = 5
	maxTimeout      = 5 * time.Minute
	maxAttempts     = 20
)

// Sender delivers webhooks. Its methods may be called by several goroutines at once.
type Sender struct {
	networks publicnet.Networks
	timeout  time.Duration
	attempts int
	client   *http.Client
}

// New returns a sender. Call Close after use.
func New(c Config) (*Sender, error) {
	if c.Timeout == 0 {
		c.Timeout = DefaultTimeout
	}
	if c.Attempts == 0 {
		c.Attempts = DefaultAttempts
	}
	if c.Timeout < 0 || c.Timeout > maxTimeout || c.Attempts < 0 || c.Attempts > maxAttempts {
		return nil, fmt.Errorf("webhook: the timeout (%v) must be at most %v, and the attempts (%d) at most %d", c.Timeout, maxTimeout, c.Attempts, maxAttempts)
	}
	for _, network := range c.Private {
		if !publicnet.IsNetwork(network) {
			return nil, fmt.Errorf("webhook: private network %v: write it as 10.0.0.0/8 or fc00::/7, without bits after the prefix", network)
		}
	}
	s := &Sender{networks: slices.Clone(c.Private), timeout: c.Timeout, attempts: c.Attempts}
	s.client = &http.Client{Transport: s.transport(&c), CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return s, nil
}

// transport makes the sender's own transport. It uses no connection twice, so that each delivery is checked.
func (s *Sender) transport(c *Config) *http.Transport {
	t := s.networks.Transport(s.timeout, c.Resolver, c.Roots)
	t.DisableKeepAlives, t.MaxResponseHeaderBytes = true, 64<<10
	return t
}

// Close closes idle connections. Deliveries that are on their way end by their contexts.
func (s *Sender) Close() error {
	s.client.CloseIdleConnections()
	return nil
}

// isDenied reports whether a request failed because its address may not be called.
func isDenied(err error) bool { return errors.Is(err, publicnet.ErrNotPublic) }
