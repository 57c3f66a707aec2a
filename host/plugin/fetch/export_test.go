package fetch

import (
	"context"
	"crypto/x509"
	"net"
)

// Options are the parts of a client's environment that tests replace.
type Options struct {
	Resolver *net.Resolver
	Roots    *x509.CertPool
	Dial     func(ctx context.Context, network, address string) (net.Conn, error)
}

// NewWith is New in another environment.
func NewWith(p Policy, o Options) (*Client, error) {
	return newClient(p, options{resolver: o.Resolver, roots: o.Roots, dial: o.Dial})
}
