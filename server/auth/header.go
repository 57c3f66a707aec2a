package auth

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/internal/headerfield"
	"github.com/agenthost/agenthost/internal/publicnet"
)

// HeaderConfig says which proxies may say who sends a request. Such a proxy must remove the header from what its clients send.
type HeaderConfig struct {
	Name         string         // the header with the owner, such as X-Forwarded-User
	Proxies      []netip.Prefix // where the proxies are: addresses that connect to this server
	UnixSocket   bool           // whether programs that connect to the server's Unix socket are such proxies
	Scopes       []Scope        // the scopes of everybody
	ScopesHeader string         // a header with further scopes, with spaces or commas between them; "": none
}

// Header returns an authenticator that believes a header of a trusted proxy. A request of anybody else that has the header is refused,
// and so is one in which it is empty or there twice.
func Header(config HeaderConfig) (Authenticator, error) {
	c := config
	if !headerfield.IsName(c.Name) || c.ScopesHeader != "" && !headerfield.IsName(c.ScopesHeader) {
		return nil, fmt.Errorf("auth: %q and %q: a header's name is needed, such as X-Forwarded-User", c.Name, c.ScopesHeader)
	}
	for _, used := range []string{"Authorization", KeyHeader, "Host", "Cookie"} {
		if strings.EqualFold(c.Name, used) || strings.EqualFold(c.ScopesHeader, used) {
			return nil, fmt.Errorf("auth: the header %s has another meaning; choose one such as X-Forwarded-User", used)
		}
	}
	if strings.EqualFold(c.Name, c.ScopesHeader) {
		return nil, fmt.Errorf("auth: the header %s cannot have both the owner and the scopes", c.Name)
	}
	if len(c.Proxies) == 0 && !c.UnixSocket {
		return nil, errors.New("auth: no proxy is trusted; list the networks of the proxies, such as 10.0.0.7/32")
	}
	for _, p := range c.Proxies {
		if !publicnet.IsNetwork(p) {
			return nil, fmt.Errorf("auth: proxy %v: write a network as 10.0.0.0/8 or fc00::/7, without bits after the prefix", p)
		}
	}
	if err := checkScopes(c.Scopes); err != nil {
		return nil, err
	}
	c.Proxies, c.Scopes = slices.Clone(c.Proxies), slices.Clone(c.Scopes)
	return header{c}, nil
}

type header struct{ HeaderConfig }

func (h header) Authenticate(r *http.Request) (Principal, error) {
	owner, found, err := single(r, h.Name)
	if err != nil {
		return Principal{}, err
	}
	scopes, hasScopes, err := h.scopes(r)
	switch {
	case err != nil:
		return Principal{}, err
	case !found && !hasScopes:
		return Principal{}, fmt.Errorf("auth: the request has no header %s: %w", h.Name, ErrNoCredential)
	case !h.trusts(r.RemoteAddr):
		return Principal{}, fmt.Errorf("auth: %s is not a trusted proxy, and may not set %s: %w", r.RemoteAddr, h.Name, ErrBadCredential)
	}
	if err := CheckOwner(owner); err != nil {
		return Principal{}, fmt.Errorf("auth: the header %s: %w: %w", h.Name, err, ErrBadCredential)
	}
	return Principal{Owner: owner, Scopes: scopes, Kind: "header", Name: owner}, nil
}

// scopes returns the scopes of a request. A scope that does not exist refuses it: the proxy and the server mean different things.
func (h header) scopes(r *http.Request) (scopes []Scope, found bool, err error) {
	if h.ScopesHeader == "" {
		return h.Scopes, false, nil
	}
	value, found, err := single(r, h.ScopesHeader)
	if err != nil {
		return nil, false, err
	}
	scopes = slices.Clone(h.Scopes)
	for name := range strings.FieldsFuncSeq(value, func(r rune) bool { return r == ' ' || r == ',' }) {
		scope, err := ParseScope(name)
		if err != nil {
			return nil, false, fmt.Errorf("%w: %w", err, ErrBadCredential)
		}
		scopes = append(scopes, scope)
	}
	return scopes, found, nil
}

// trusts reports whether the address of a connection is that of a proxy. A connection of a Unix socket has no IP address.
func (h header) trusts(remote string) bool {
	addr, err := netip.ParseAddrPort(remote)
	if err != nil {
		return h.UnixSocket && (remote == "" || strings.HasPrefix(remote, "@") || strings.HasPrefix(remote, "/"))
	}
	ip := addr.Addr().Unmap().WithZone("")
	return slices.ContainsFunc(h.Proxies, func(p netip.Prefix) bool { return p.Contains(ip) })
}
