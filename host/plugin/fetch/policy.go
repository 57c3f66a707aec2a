package fetch

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/agenthost/agenthost/internal/publicnet"
)

// Policy says what one plugin may request. Only Hosts is required.
type Policy struct {
	// Hosts are the hosts to which requests may go: "api.example.com", "*.example.com" for everything below it but not itself,
	// "10.0.0.7" or "[2001:db8::7]" written exactly. A port may follow; the default is 443. The prefix "http://" grants plain
	// HTTP instead of HTTPS, with 80 as the default port. Letters beyond ASCII are written as xn--.
	Hosts []string

	Methods []string       // allowed methods, in capitals; none: GET, HEAD and POST
	Private []netip.Prefix // non-public networks that hosts may be in
	Secrets map[string]Secret

	MaxRequest   int           // size of a request's body, in bytes; 0: 1 MiB
	MaxResponse  int           // size of a response's body, in bytes; 0: 1 MiB
	MaxHeaders   int           // size of all headers of a request, and of a response, in bytes; 0: 64 KiB
	Timeout      time.Duration // time limit of an exchange with all its redirects; 0: 30 s
	MaxRedirects int           // 0: 5; negative: none, and a redirect is returned as the response
}

// Secret is a value that a guest may send but not see.
type Secret struct {
	Value string   // 8 bytes to 4 KiB, valid in a header
	Hosts []string // hosts to which it may be sent, as in [Policy]; each within the policy's hosts
}

// The defaults of a policy, and the maximums that New accepts.
const (
	defaultBody      = 1 << 20
	defaultHeaders   = 64 << 10
	defaultTimeout   = 30 * time.Second
	defaultRedirects = 5
	maxBody          = 1 << 30
	maxHeaders       = 1 << 20
	maxTimeout       = time.Hour
)

func (p Policy) withDefaults() Policy {
	p.Methods, p.Private = slices.Clone(p.Methods), slices.Clone(p.Private)
	if len(p.Methods) == 0 {
		p.Methods = []string{"GET", "HEAD", "POST"}
	}
	p.MaxRequest = orDefault(p.MaxRequest, defaultBody)
	p.MaxResponse = orDefault(p.MaxResponse, defaultBody)
	p.MaxHeaders = orDefault(p.MaxHeaders, defaultHeaders)
	p.Timeout = orDefault(p.Timeout, defaultTimeout)
	p.MaxRedirects = orDefault(p.MaxRedirects, defaultRedirects)
	return p
}

func orDefault[T int | time.Duration](v, d T) T {
	if v == 0 {
		return d
	}
	return v
}

// check checks everything except hosts and secrets. The defaults are filled in.
func (p *Policy) check() error {
	if len(p.Hosts) == 0 {
		return errors.New("it grants no hosts; list them")
	}
	for _, m := range p.Methods {
		if !isMethod(m) {
			return fmt.Errorf("method %q: it must be in capitals, and none of CONNECT, TRACE and TRACK", m)
		}
	}
	for _, network := range p.Private {
		if !publicnet.IsNetwork(network) {
			return fmt.Errorf("private network %v: write it as 10.0.0.0/8 or fc00::/7, without bits behind the mask", network)
		}
	}
	for _, limit := range []struct {
		name           string
		is, at, atMost int
	}{
		{"the request's body", p.MaxRequest, 1, maxBody},
		{"the response's body", p.MaxResponse, 1, maxBody},
		{"headers", p.MaxHeaders, 256, maxHeaders},
	} {
		if limit.is < limit.at || limit.is > limit.atMost {
			return fmt.Errorf("the limit of %s is %d bytes; it must be %d to %d", limit.name, limit.is, limit.at, limit.atMost)
		}
	}
	if p.Timeout < time.Millisecond || p.Timeout > maxTimeout {
		return fmt.Errorf("the timeout is %v; it must be 1ms to %v", p.Timeout, maxTimeout)
	}
	return nil
}

// allows reports whether the policy grants a method.
func (p *Policy) allows(method string) bool { return slices.Contains(p.Methods, method) }

// isMethod reports whether a method may be granted at all. CONNECT opens a tunnel; TRACE and TRACK show what was sent,
// including secrets.
func isMethod(m string) bool {
	for i := range len(m) {
		if c := m[i]; (c < 'A' || c > 'Z') && c != '-' {
			return false
		}
	}
	return m != "" && len(m) <= 32 && m != "CONNECT" && m != "TRACE" && m != "TRACK"
}
