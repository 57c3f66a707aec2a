package webhook

import (
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// maxURL is the length of the longest address, in bytes.
const maxURL = 8 << 10

// Check returns an error that wraps [ErrRefused] if the address is not one that may be called. It looks nothing up: where a name leads
// is checked when it is called.
func (s *Sender) Check(address string) error {
	_, err := s.parse(address)
	return err
}

func (s *Sender) parse(address string) (*url.URL, error) {
	if len(address) > maxURL || strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r >= 0x7f || r == '\\' }) {
		return nil, refused("it is too long, or has characters that must be escaped")
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil, refused("it is not a URL")
	}
	switch {
	case u.Scheme != "https" && u.Scheme != "http":
		return nil, refused("it must begin with https:// or http://")
	case u.Opaque != "" || u.Hostname() == "":
		return nil, refused("it has no host")
	case u.User != nil:
		return nil, refused("it must not contain a user or a password")
	}
	if port := u.Port(); port != "" {
		if number, err := strconv.ParseUint(port, 10, 16); err != nil || number == 0 {
			return nil, refused("its port is not a number from 1 to 65535")
		}
	}
	if err := s.checkHost(u.Hostname()); err != nil {
		return nil, err
	}
	u.Fragment, u.RawFragment = "", ""
	return u, nil
}

func (s *Sender) checkHost(host string) error {
	name := strings.TrimSuffix(strings.ToLower(host), ".")
	if addr, err := netip.ParseAddr(name); err == nil {
		if addr.Zone() != "" || !s.networks.Allows(addr) {
			return refused("its address is not public")
		}
		return nil
	}
	last := name[strings.LastIndexByte(name, '.')+1:]
	switch {
	case strings.ContainsAny(name, ":%") || name == "":
		return refused("its host is not a name")
	case last != "" && strings.Trim(last, "0123456789") == "" || strings.HasPrefix(last, "0x"):
		return refused("its host ends in a number, and is not an address of four decimal numbers") // some resolvers take it for one
	case (last == "localhost" || last == "internal") && len(s.networks) == 0:
		return refused("its address is not public")
	}
	return nil
}

func refused(why string) error { return fmt.Errorf("webhook: %w: %s", ErrRefused, why) }
