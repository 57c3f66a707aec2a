package fetch

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// pattern is one entry of a list of hosts.
type pattern struct {
	origin
	below bool // the names below the host, but not the host itself
}

// parsePattern reads "[scheme://][*.]host[:port]".
func parsePattern(text string) (pattern, error) {
	scheme, authority, ok := strings.Cut(text, "://")
	if !ok {
		scheme, authority = schemeHTTPS, text
	}
	if scheme != schemeHTTPS && scheme != schemeHTTP {
		return pattern{}, errors.New("its scheme must be https, which may be left out, or http")
	}
	authority, below := strings.CutPrefix(authority, "*.")
	if strings.Contains(authority, "*") {
		return pattern{}, errors.New(`only a "*." at the beginning stands for names`)
	}
	o, err := parseOrigin(scheme, authority)
	switch {
	case err != nil:
		return pattern{}, err
	case below && o.isAddress():
		return pattern{}, errors.New("there are no names below an address")
	case below && !strings.Contains(o.host, "."):
		return pattern{}, fmt.Errorf("everything below %q is too much; name the hosts", o.host)
	}
	return pattern{o, below}, nil
}

func parsePatterns(texts []string) ([]pattern, error) {
	patterns := make([]pattern, 0, len(texts))
	for _, text := range texts {
		p, err := parsePattern(text)
		if err != nil {
			return nil, fmt.Errorf("host %q: %w", text, err)
		}
		patterns = append(patterns, p)
	}
	return patterns, nil
}

// grants reports whether the entry grants an origin.
func (p pattern) grants(o origin) bool {
	if p.scheme != o.scheme || p.port != o.port {
		return false
	}
	if p.below {
		return strings.HasSuffix(o.host, "."+p.host)
	}
	return p.host == o.host
}

// within reports whether another entry grants everything that this one does.
func (p pattern) within(other pattern) bool {
	if !p.below {
		return other.grants(p.origin)
	}
	return other.below && (p.origin == other.origin || other.grants(p.origin))
}

func grantedBy(patterns []pattern, o origin) bool {
	return slices.ContainsFunc(patterns, func(p pattern) bool { return p.grants(o) })
}
