package fetch

import (
	"context"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/agenthost/agenthost/internal/mask"
	"github.com/agenthost/agenthost/internal/publicnet"
)

// Client makes the requests of one plugin. Its methods may be called from several goroutines at once.
type Client struct {
	policy    Policy
	hosts     []pattern
	secrets   map[string]secret
	mask      *mask.Mask // hides the secrets
	transport *http.Transport
	closed    atomic.Bool
}

// options are the parts that tests replace.
type options struct {
	resolver *net.Resolver  // nil: the system's
	roots    *x509.CertPool // nil: the system's
	dial     func(ctx context.Context, network, address string) (net.Conn, error)
}

// New checks the policy and makes a client for it. Close the client after use.
func New(p Policy) (*Client, error) { return newClient(p, options{}) }

func newClient(p Policy, o options) (*Client, error) {
	c := &Client{policy: p.withDefaults()}
	if err := c.init(); err != nil {
		return nil, fmt.Errorf("http.fetch: %w", err)
	}
	c.transport = newTransport(&c.policy, o)
	return c, nil
}

func (c *Client) init() error {
	err := c.policy.check()
	if err != nil {
		return err
	}
	if c.hosts, err = parsePatterns(c.policy.Hosts); err != nil {
		return err
	}
	for i, p := range c.hosts {
		if p.isAddress() && !publicnet.Networks(c.policy.Private).Allows(p.address()) {
			return fmt.Errorf("host %q is not a public address; add its network to private, too", c.policy.Hosts[i])
		}
	}
	if c.secrets, err = parseSecrets(c.policy.Secrets, c.hosts); err != nil {
		return err
	}
	c.mask = newMask(c.secrets)
	return nil
}

// newTransport makes the client's own transport.
func newTransport(p *Policy, o options) *http.Transport {
	const connect = 10 * time.Second
	t := publicnet.Networks(p.Private).Transport(min(connect, p.Timeout), o.resolver, o.roots)
	t.MaxIdleConns, t.MaxIdleConnsPerHost, t.IdleConnTimeout = 16, 4, 30*time.Second
	t.MaxResponseHeaderBytes = int64(p.MaxHeaders)
	if o.dial != nil {
		t.DialContext = o.dial
	}
	return t
}

// Close closes idle connections. Active exchanges finish by themselves, and close their connections; later ones are
// refused.
func (c *Client) Close() error {
	c.closed.Store(true)
	c.transport.CloseIdleConnections()
	return nil
}
