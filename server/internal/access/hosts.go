package access

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/server/internal/detail"
)

// Hosts returns a wrapper that refuses requests for other hosts with 403. Allowed are localhost, every IP address, and the given names: an exact one
// such as agents.example.com, one with its subdomains such as .example.com, or * for all. Ports do not count.
//
// It stops pages that rebind their own name to the address of this server: a browser then takes the server for a part of the page's site, but
// sends the page's name as the host. An IP address cannot be rebound.
func Hosts(names ...string) (Wrapper, error) {
	allowed := make(hosts, 0, len(names))
	for _, name := range names {
		if err := checkHostName(name); err != nil {
			return nil, fmt.Errorf("hosts: %w", err)
		}
		allowed = append(allowed, canonicalHost(name))
	}
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !allowed.allow(r.Host) {
				detail.Write(w, detail.Errorf(http.StatusForbidden, "the host %.100q is not one of this server; its operator can add it to hosts", r.Host))
				return
			}
			next.ServeHTTP(w, r)
		})
	}, nil
}

// checkHostName refuses what looks like a rule and would never apply.
func checkHostName(name string) error {
	bare := strings.TrimPrefix(canonicalHost(name), ".")
	if name == "*" {
		return nil
	}
	if bare == "" || strings.ContainsAny(bare, "/:*@ \t") || strings.Contains(bare, "..") {
		return fmt.Errorf("%.100q is not the name of a host; write agents.example.com, .example.com with all below it, or *", name)
	}
	return nil
}

type hosts []string

func (h hosts) allow(authority string) bool {
	host, ok := hostOf(authority)
	if !ok {
		return false
	}
	if _, err := netip.ParseAddr(host); err == nil || host == "localhost" {
		return true
	}
	return slices.ContainsFunc(h, func(name string) bool {
		if below, ok := strings.CutPrefix(name, "."); ok {
			return host == below || strings.HasSuffix(host, name)
		}
		return name == host || name == "*"
	})
}

// hostOf returns the host of host[:port], in lower case and without brackets and a final dot.
func hostOf(authority string) (string, bool) {
	host := authority
	if name, _, err := net.SplitHostPort(authority); err == nil {
		host = name
	} else if inner, ok := strings.CutPrefix(authority, "["); ok {
		if host, ok = strings.CutSuffix(inner, "]"); !ok {
			return "", false
		}
	} else if strings.Contains(authority, ":") {
		return "", false
	}
	host = canonicalHost(host)
	return host, host != ""
}

func canonicalHost(name string) string { return strings.TrimSuffix(strings.ToLower(name), ".") }
