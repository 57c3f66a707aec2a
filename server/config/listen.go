package config

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"

	"github.com/agenthost/agenthost/internal/strictyaml"
)

// Listen is where a server listens: HOST:PORT, or unix:PATH.
type Listen string

// ParseListen checks an address to listen on.
func ParseListen(text string) (Listen, error) {
	if path, ok := strings.CutPrefix(text, "unix:"); ok {
		if path == "" || strings.Contains(path, "\x00") {
			return "", errors.New("the path of the socket is missing; write unix:PATH")
		}
		return Listen(text), nil
	}
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		return "", fmt.Errorf("%q is not an address; write HOST:PORT, such as 127.0.0.1:8123, or unix:PATH", text)
	}
	if number, err := strconv.ParseUint(port, 10, 16); err != nil || strconv.FormatUint(number, 10) != port {
		return "", fmt.Errorf("the port %q is not a number from 0 to 65535", port)
	}
	if strings.ContainsAny(host, "/ \t") {
		return "", fmt.Errorf("%q is not a host; write HOST:PORT, such as 127.0.0.1:8123", host)
	}
	return Listen(text), nil
}

// UnmarshalStrict reads an address.
func (l *Listen) UnmarshalStrict(n strictyaml.Node) error {
	var text string
	if err := n.Decode(&text); err != nil {
		return err
	}
	parsed, err := ParseListen(text)
	if err != nil {
		return n.Errorf("%w", err)
	}
	*l = parsed
	return nil
}

// JSONSchema returns the schema of an address.
func (Listen) JSONSchema() map[string]any {
	return map[string]any{"type": "string", "default": "127.0.0.1:8123", "examples": []string{"0.0.0.0:8123", "unix:agenthost.sock"}}
}

// Network returns "unix" or "tcp", as net.Listen takes it.
func (l Listen) Network() string {
	if strings.HasPrefix(string(l), "unix:") {
		return "unix"
	}
	return "tcp"
}

// Address returns the path of the socket, or the host and port, as net.Listen takes them.
func (l Listen) Address() string { return strings.TrimPrefix(string(l), "unix:") }

// Public reports whether other machines may reach the address: all but a Unix socket, localhost and loopback addresses. A name that is looked up later
// may mean any address, so it counts as public.
func (l Listen) Public() bool {
	if l.Network() == "unix" {
		return false
	}
	host, _, err := net.SplitHostPort(string(l))
	if err != nil || strings.EqualFold(host, "localhost") {
		return err != nil
	}
	addr, err := netip.ParseAddr(host)
	return err != nil || !addr.Unmap().IsLoopback()
}

func (l Listen) in(dir string) Listen {
	if l.Network() == "unix" {
		return Listen("unix:" + within(dir, l.Address()))
	}
	return l
}
