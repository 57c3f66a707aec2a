package reference

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"github.com/agenthost/agenthost/internal/text"
)

// ParseURL reads the URL of a module: one that begins with https://, or with http:// for a server on this machine.
func ParseURL(address string) (*url.URL, error) {
	shown := text.Cut(text.Clean(address), 200)
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.Path == "" || u.Fragment != "":
		return nil, fmt.Errorf("%q is not the URL of a module; it looks like https://example.com/redact.wasm", shown)
	case u.User != nil:
		return nil, errors.New("the URL of a module must not hold a password")
	case u.Scheme != "https" && (u.Scheme != "http" || !IsLoopback(u.Hostname())):
		return nil, fmt.Errorf("%q does not begin with https://", shown)
	}
	return u, nil
}

// IsLoopback reports whether a host name, without a port, is of this machine.
func IsLoopback(host string) bool {
	name := strings.TrimSuffix(strings.ToLower(host), ".")
	if name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(name)
	return err == nil && (ip.Unmap().IsLoopback() || ip.IsUnspecified())
}
