package a2a

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/internal/publicnet"
)

// maxResponse is the size of the largest answer of an agent, in bytes; that of a stream counts as a whole.
const maxResponse = 64 << 20

// network makes the requests of a tool: to the origin of its address alone, with the headers of its configuration. The card says where the agent is,
// and it must not lead anywhere else.
type network struct {
	origin  string
	headers http.Header
	inner   *http.Transport
	client  *http.Client
}

func newNetwork(c *Config) (*network, error) {
	at, err := url.Parse(c.URL)
	if err != nil {
		return nil, wrong("url", "it is not an address")
	}
	allowed := slices.Clone(c.Private)
	for _, p := range allowed {
		if !publicnet.IsNetwork(p) {
			return nil, wrong("private", "%v: write it as 10.0.0.0/8 or fc00::/7, without bits after the prefix", p)
		}
	}
	switch addr, err := netip.ParseAddr(at.Hostname()); {
	case err == nil && !addr.Is4In6() && addr.Zone() == "":
		allowed = append(allowed, netip.PrefixFrom(addr, addr.BitLen()))
	case strings.EqualFold(at.Hostname(), "localhost"):
		allowed = append(allowed, netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128"))
	}
	n := &network{origin: originOf(at), headers: http.Header{}, inner: publicnet.Networks(allowed).Transport(c.Timeout, nil, nil)}
	for name, value := range c.Headers {
		n.headers.Set(name, value)
	}
	n.client = &http.Client{Transport: n, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return n, nil
}

func (n *network) close() { n.inner.CloseIdleConnections() }

// errElsewhere means that a request would not go to the agent.
var errElsewhere = errors.New("the address is not at the host of url")

// RoundTrip sends a request to the agent.
func (n *network) RoundTrip(r *http.Request) (*http.Response, error) {
	if originOf(r.URL) != n.origin {
		return nil, errElsewhere
	}
	r = r.Clone(r.Context())
	maps.Copy(r.Header, n.headers)
	response, err := n.inner.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if response.StatusCode >= http.StatusMultipleChoices && response.StatusCode < http.StatusBadRequest {
		_ = response.Body.Close()
		return nil, fmt.Errorf("the server answered with the status %d; redirects are not followed, so name the address that it leads to", response.StatusCode)
	}
	response.Body = &limited{ReadCloser: response.Body, left: maxResponse}
	return response, nil
}

// originOf returns the scheme, host and port of an address.
func originOf(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Scheme + "://" + strings.ToLower(u.Hostname()) + ":" + port
}

// limited is a body that fails when it is too long.
type limited struct {
	io.ReadCloser

	left int64
}

var errTooLong = errors.New("the answer of the agent is too long")

func (l *limited) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, errTooLong
	}
	n, err := l.ReadCloser.Read(p[:min(int64(len(p)), l.left)])
	l.left -= int64(n)
	return n, err
}

// isHeader reports whether a header may have the name. Those that belong to the connection are the client's.
func isHeader(name string) bool {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("!#$%&'*+-.^_`|~", r)
	}
	if name == "" || strings.ContainsFunc(name, func(r rune) bool { return !plain(r) }) {
		return false
	}
	switch strings.ToLower(name) {
	case "host", "content-length", "transfer-encoding", "connection", "upgrade", "te", "trailer", "content-type":
		return false
	default:
		return true
	}
}
