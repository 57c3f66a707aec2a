package fetch

import (
	"errors"
	"net"
	"net/netip"
	"strconv"
	"strings"
)

const (
	schemeHTTPS = "https"
	schemeHTTP  = "http"
)

// origin is where a request goes. Equal origins are the same place.
type origin struct {
	scheme string
	host   string // a name in lower case without a trailing dot, or an address as netip writes it
	port   uint16
}

// parseOrigin parses host[:port] from a URL or from an entry of the list. Both use the same parser, so that no spelling
// passes the list as one host and is dialed as another.
func parseOrigin(scheme, authority string) (origin, error) {
	o := origin{scheme: scheme, port: 443}
	if scheme == schemeHTTP {
		o.port = 80
	}
	host, port, hasPort := strings.Cut(authority, ":")
	var err error
	if inner, ok := strings.CutPrefix(authority, "["); ok {
		var rest string
		if inner, rest, ok = strings.Cut(inner, "]"); !ok {
			return origin{}, errors.New("a bracket is missing")
		}
		if host, port, hasPort = strings.Cut(rest, ":"); host != "" {
			return origin{}, errors.New("only a port may follow the bracket")
		}
		o.host, err = canonicalIPv6(inner)
	} else if strings.Contains(port, ":") {
		return origin{}, errors.New("an IPv6 address must be in brackets")
	} else {
		o.host, err = canonicalHost(host)
	}
	if err == nil && hasPort {
		o.port, err = canonicalPort(port)
	}
	return o, err
}

func canonicalPort(text string) (uint16, error) {
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil || port == 0 || strconv.FormatUint(port, 10) != text {
		return 0, errors.New("the port must be 1 to 65535")
	}
	return uint16(port), nil
}

func canonicalIPv6(text string) (string, error) {
	addr, err := netip.ParseAddr(text)
	if err != nil || !addr.Is6() || addr.Zone() != "" || addr.Is4In6() || addr.String() != strings.ToLower(text) {
		return "", errors.New("in brackets must be an IPv6 address in its shortest form, without a zone")
	}
	return addr.String(), nil
}

// canonicalHost returns the only accepted spelling of a name or of an IPv4 address. It refuses letters beyond ASCII,
// because programs use different tables to decide which of them are equal.
func canonicalHost(name string) (string, error) {
	name = strings.TrimSuffix(lower(name), ".")
	if name == "" {
		return "", errors.New("there is no host")
	}
	if len(name) > 253 {
		return "", errors.New("the host is longer than 253 bytes")
	}
	var label string
	for label = range strings.SplitSeq(name, ".") {
		if err := checkLabel(label); err != nil {
			return "", err
		}
	}
	if isNumber(label) {
		if addr, err := netip.ParseAddr(name); err != nil || !addr.Is4() {
			return "", errors.New("a host that ends in a number must be an IPv4 address of four decimal numbers")
		}
	}
	return name, nil
}

func checkLabel(label string) error {
	if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
		return errors.New("the host is not a valid name: each part must have 1 to 63 bytes, and no hyphen at its ends")
	}
	for i := range len(label) {
		c := label[i]
		if c >= 0x80 {
			return errors.New("the host has letters beyond ASCII; write it as xn--")
		}
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' {
			return errors.New("the host is not a valid name: it may have only letters, digits, hyphens and dots")
		}
	}
	return nil
}

// isNumber reports whether inet_aton and browsers take the last part of a host for a part of an IPv4 address.
func isNumber(label string) bool {
	digits, isHex := strings.CutPrefix(label, "0x")
	for i := range len(digits) {
		if c := digits[i]; (c < '0' || c > '9') && (!isHex || c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// lower is strings.ToLower for ASCII only: other letters stay, and are refused.
func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

func (o origin) isAddress() bool { return o.address().IsValid() }

// address returns the address that the host is, or the zero Addr for a name.
func (o origin) address() netip.Addr {
	addr, _ := netip.ParseAddr(o.host)
	return addr
}

func (o origin) String() string { return o.scheme + "://" + o.authority() }

// authority returns the origin as written in a URL and in the header Host.
func (o origin) authority() string {
	if (o.scheme == schemeHTTPS && o.port == 443) || (o.scheme == schemeHTTP && o.port == 80) {
		if strings.Contains(o.host, ":") {
			return "[" + o.host + "]"
		}
		return o.host
	}
	return net.JoinHostPort(o.host, strconv.Itoa(int(o.port)))
}
