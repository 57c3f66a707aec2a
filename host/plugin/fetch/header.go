package fetch

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/internal/headerfield"
)

// notTheGuests are request headers that only the host may set: those of the connection, those that some servers take for
// the method, and those that would compress a response, in which secrets could not be found. Names are as [serverName] returns them.
var notTheGuests = map[string]bool{
	"accept-encoding": true, "connection": true, "content-length": true, "expect": true, "host": true, "http2-settings": true,
	"keep-alive": true, "te": true, "trailer": true, "transfer-encoding": true, "upgrade": true,
	"x-http-method": true, "x-http-method-override": true, "x-method-override": true,
}

// ofTheConnection are response headers that describe the connection rather than the response.
var ofTheConnection = map[string]bool{
	"connection": true, "keep-alive": true, "te": true, "trailer": true, "transfer-encoding": true, "upgrade": true,
}

// maxHeaderName is the length of the longest name of a header, in bytes.
const maxHeaderName = 256

// checkHeaders checks the headers of a request as the guest wrote them.
func checkHeaders(headers []abi.Header) error {
	for _, h := range headers {
		name := lower(h.Name)
		switch {
		case len(name) > maxHeaderName || !headerfield.IsName(name):
			return invalid("the header %s: this is not a valid name", quote(h.Name))
		case isReserved(name):
			return invalid("the header %s is reserved for the host; leave it out", name)
		case !headerfield.IsValue(h.Value):
			return invalid("the header %s: its value has control characters", name)
		}
	}
	return nil
}

// isReserved reports whether only the host may set a request header.
func isReserved(name string) bool {
	read := serverName(name)
	return notTheGuests[read] || strings.HasPrefix(read, "proxy-")
}

// serverName returns the name that a server may read in place of the given one, which is in lower case. CGI passes headers on as
// environment variables, and thereby turns every "-" into "_"; some servers do that to all characters but letters and digits.
// Content_Length and Content-Length are then the same header.
func serverName(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, name)
}

// header builds the header of one hop, and fills in the secrets that are granted to its destination.
func (c *Client) header(h *hop) (http.Header, error) {
	header := http.Header{}
	room := c.policy.MaxHeaders
	for _, line := range h.headers {
		room -= len(line.Name) + 4 // the colon, a space and the line break
		value, err := c.fill(line.Value, h.target.origin, room)
		if err != nil {
			return nil, err
		}
		if room -= len(value); room < 0 {
			return nil, beyond("the headers of the request are larger than %d bytes", c.policy.MaxHeaders)
		}
		header.Add(line.Name, value)
	}
	if _, ok := header["User-Agent"]; !ok {
		header.Set("User-Agent", "agenthost")
	}
	return header, nil
}

// responseHeaders returns the part of a response's header that the guest sees.
func (c *Client) responseHeaders(header http.Header) []abi.Header {
	hidden := map[string]bool{}
	for _, named := range header.Values("Connection") {
		for name := range strings.SplitSeq(named, ",") {
			hidden[lower(strings.TrimSpace(name))] = true
		}
	}
	headers := []abi.Header{}
	for _, canonical := range slices.Sorted(maps.Keys(header)) {
		name := lower(canonical)
		if hidden[name] || ofTheConnection[name] || strings.HasPrefix(name, "proxy-") {
			continue
		}
		for _, value := range header[canonical] {
			headers = append(headers, abi.Header{Name: c.hide(name), Value: c.hide(value)})
		}
	}
	return headers
}
