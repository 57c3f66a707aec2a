// Package publicnet says which addresses are part of the public Internet. Requests whose target a stranger names, such as a guest or a
// client, may go there and nowhere else, unless the operator grants a network; Networks.Transport makes sure of it.
package publicnet

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"syscall"
)

// notPublic lists the networks that are not part of the public Internet, from IANA's special-purpose registries. For IPv6,
// only 2000::/3 is public; the networks listed are parts of it, and of use only to an attacker.
var notPublic = prefixes(
	"0.0.0.0/8",       // this network
	"10.0.0.0/8",      // private
	"100.64.0.0/10",   // shared by a provider's customers
	"127.0.0.0/8",     // loopback
	"169.254.0.0/16",  // link-local, including the metadata services of clouds
	"172.16.0.0/12",   // private
	"192.0.0.0/24",    // protocol assignments
	"192.0.2.0/24",    // documentation
	"192.88.99.0/24",  // relays of 6to4
	"192.168.0.0/16",  // private
	"198.18.0.0/15",   // benchmarks
	"198.51.100.0/24", // documentation
	"203.0.113.0/24",  // documentation
	"224.0.0.0/4",     // multicast
	"240.0.0.0/4",     // reserved, broadcast

	"2001::/23",     // protocol assignments: Teredo, which embeds IPv4 addresses, benchmarks, ORCHID
	"2001:db8::/32", // documentation
	"2002::/16",     // 6to4, which embeds IPv4 addresses
	"3fff::/20",     // documentation
)

var (
	internet6 = netip.MustParsePrefix("2000::/3")
	nat64     = netip.MustParsePrefix("64:ff9b::/96") // the IPv4 Internet as seen from a network without IPv4
)

func prefixes(texts ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		out[i] = netip.MustParsePrefix(text)
	}
	return out
}

// Networks are the networks whose addresses may be dialed besides public ones.
type Networks []netip.Prefix

// IsNetwork reports whether a prefix is the clear name of a network: it has no bits after its length, and is not IPv4 within IPv6.
func IsNetwork(p netip.Prefix) bool { return p.IsValid() && p == p.Masked() && !p.Addr().Is4In6() }

// ErrNotPublic means that an address is not public, and its network is not granted.
var ErrNotPublic = errors.New("the address is not public, and its network is not granted")

// Allows reports whether an address may be dialed. An address that embeds an IPv4 address is judged by that one.
func (n Networks) Allows(addr netip.Addr) bool {
	addr = addr.Unmap().WithZone("")
	contains := func(p netip.Prefix) bool { return p.Contains(addr) }
	switch {
	case slices.ContainsFunc(n, contains):
		return true
	case nat64.Contains(addr):
		b := addr.As16()
		return n.Allows(netip.AddrFrom4([4]byte(b[12:])))
	case !addr.IsValid() || slices.ContainsFunc(notPublic, contains):
		return false
	default:
		return addr.Is4() || internet6.Contains(addr)
	}
}

// Control checks the address of every socket before it connects: see [net.Dialer.ControlContext]. Whatever a name resolved
// to before, this is the address that the bytes would go to. The error is [ErrNotPublic].
func (n Networks) Control(_ context.Context, network, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil || (network != "tcp4" && network != "tcp6") || !n.Allows(to.Addr()) {
		return ErrNotPublic
	}
	return nil
}
