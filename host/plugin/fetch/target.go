package fetch

import (
	"fmt"
	"net/url"
	"strings"
)

// maxURL is the longest URL, in bytes.
const maxURL = 8 << 10

// target is a parsed URL: where it goes, and what is requested there.
type target struct {
	origin
	url *url.URL // rebuilt from the parsed parts; it has no user and no fragment
}

// parseTarget parses a URL; a redirect's may be relative to the previous one.
func parseTarget(text string, base *url.URL) (target, error) {
	clean, err := cleanURL(text)
	if err != nil {
		return target{}, err
	}
	u, err := url.Parse(clean)
	if err != nil {
		return target{}, invalid("the URL cannot be read") // the cause may quote a secret
	}
	if base != nil {
		u = base.ResolveReference(u)
	}
	switch {
	case u.Scheme == "":
		return target{}, invalid("the URL must be absolute: https://host/path")
	case u.Scheme != schemeHTTPS && u.Scheme != schemeHTTP:
		return target{}, denied("the scheme of the URL is %s; only https and http can be granted", quote(u.Scheme))
	case u.Opaque != "":
		return target{}, invalid("the URL has no // before its host")
	case u.User != nil:
		return target{}, invalid("the URL has a user or password; send an authorization header instead")
	}
	o, err := parseOrigin(u.Scheme, u.Host)
	if err != nil {
		return target{}, invalid("the URL's host: %s", err)
	}
	return target{o, &url.URL{
		Scheme: o.scheme, Host: o.authority(), Path: u.Path, RawPath: u.RawPath, RawQuery: u.RawQuery, ForceQuery: u.ForceQuery,
	}}, nil
}

// cleanURL refuses what programs parse differently, and escapes letters beyond ASCII.
func cleanURL(text string) (string, error) {
	if len(text) > maxURL {
		return "", invalid("the URL is longer than %d bytes", maxURL)
	}
	if strings.Contains(text, secretOpen) {
		return "", invalid("a secret may be in the value of a header, but not in a URL")
	}
	var out strings.Builder
	for i := range len(text) {
		switch c := text[i]; {
		case c <= ' ' || c == 0x7f || c == '\\':
			return "", invalid("the URL has a space, control character or backslash; escape it")
		case c >= 0x80:
			fmt.Fprintf(&out, "%%%02X", c)
		default:
			out.WriteByte(c)
		}
	}
	return out.String(), nil
}
