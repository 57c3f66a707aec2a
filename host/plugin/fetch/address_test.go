package fetch_test

import (
	"net/http"
	"net/netip"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/plugin/fetch"
)

func TestAddresses(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		addr   string
		public bool
	}{
		{"1.1.1.1", true},
		{"93.184.216.34", true},
		{"100.63.255.255", true},
		{"100.128.0.0", true},
		{"172.15.255.255", true},
		{"172.32.0.0", true},
		{"192.0.1.0", true},
		{"223.255.255.255", true},
		{"2606:4700::1111", true},
		{"2a00:1450:4001::200e", true},
		{"::ffff:1.1.1.1", true},
		{"64:ff9b::1.1.1.1", true},

		{"0.0.0.0", false},
		{"0.1.2.3", false},
		{"10.0.0.1", false},
		{"100.64.0.1", false},
		{"100.127.255.255", false},
		{"127.0.0.1", false},
		{"127.255.255.254", false},
		{"169.254.169.254", false},
		{"172.16.0.1", false},
		{"172.31.255.255", false},
		{"192.0.0.192", false},
		{"192.0.2.1", false},
		{"192.88.99.1", false},
		{"192.168.1.1", false},
		{"198.18.0.1", false},
		{"198.19.255.255", false},
		{"198.51.100.1", false},
		{"203.0.113.1", false},
		{"224.0.0.1", false},
		{"239.255.255.255", false},
		{"240.0.0.1", false},
		{"255.255.255.255", false},
		{"::", false},
		{"::1", false},
		{"::127.0.0.1", false},
		{"::ffff:127.0.0.1", false},
		{"::ffff:10.0.0.1", false},
		{"::ffff:169.254.169.254", false},
		{"64:ff9b::10.0.0.1", false},
		{"64:ff9b::169.254.169.254", false},
		{"64:ff9b:1::1.1.1.1", false},
		{"100::1", false},
		{"2001::7f00:1", false},
		{"2001:0:a00:1::1", false},
		{"2001:2::1", false},
		{"2001:20::1", false},
		{"2001:db8::1", false},
		{"2002:7f00:1::", false},
		{"2002:a00:1::1", false},
		{"2002:101:101::1", false},
		{"3fff::1", false},
		{"4000::1", false},
		{"5f00::1", false},
		{"fc00::1", false},
		{"fd00:ec2::254", false},
		{"fe80::1", false},
		{"fe80::1%eth0", false},
		{"fec0::1", false},
		{"ff02::1", false},
	} {
		t.Run(tc.addr, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tc.public, fetch.Allows(nil, netip.MustParseAddr(tc.addr)))
		})
	}
	require.False(t, fetch.Allows(nil, netip.Addr{}))
}

func TestAddressesOfGrantedNetworks(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		network, addr string
		allowed       bool
	}{
		{"10.0.0.0/8", "10.1.2.3", true},
		{"10.0.0.0/8", "192.168.0.1", false},
		{"10.0.0.0/8", "1.1.1.1", true},
		{"10.0.0.0/8", "::ffff:10.1.2.3", true},
		{"10.0.0.0/8", "64:ff9b::10.1.2.3", true},
		{"10.0.0.0/8", "2002:a01:203::", false},
		{"127.0.0.1/32", "127.0.0.2", false},
		{"fe80::/10", "fe80::1%eth0", true},
		{"::1/128", "::1", true},
		{"2002::/16", "2002:a01:203::", true},
		{"::/0", "10.1.2.3", false},
	} {
		t.Run(tc.network+" "+tc.addr, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tc.allowed, fetch.Allows([]netip.Prefix{netip.MustParsePrefix(tc.network)}, netip.MustParseAddr(tc.addr)))
		})
	}
}

func TestANameWithAPrivateAddressIsDenied(t *testing.T) {
	t.Parallel()
	s := newServer(t, unreachable(t))
	for _, address := range []string{"127.0.0.1", "::1", "169.254.169.254", "10.0.0.1", "::ffff:127.0.0.1", "0.0.0.0"} {
		t.Run(address, func(t *testing.T) {
			t.Parallel()
			c := newClient(t, fetch.Policy{Hosts: []string{"api.example.com:" + s.port()}}, fetch.Options{
				Resolver: newNameServer(t, func(string) []string { return []string{address} }),
			})
			failure := fails(t, c, get("https://api.example.com:"+s.port()+"/"))
			require.Equal(t, fetch.KindDenied, failure.Kind)
			require.False(t, failure.Sent)
			require.NotContains(t, failure.Text, address, "what is inside of the network is nothing for a guest")
		})
	}
}

// TestANameThatChangesItsAddress tries DNS rebinding: the name is granted, and at first resolves to a granted address.
func TestANameThatChangesItsAddress(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Connection", "close") })
	var address atomic.Pointer[string]
	address.Store(new("127.0.0.1"))
	c := newClient(t, fetch.Policy{
		Hosts: []string{"api.example.com:" + s.port()}, Private: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")},
	}, fetch.Options{Resolver: newNameServer(t, func(string) []string { return []string{*address.Load()} })})
	url := "https://api.example.com:" + s.port() + "/"
	succeeds(t, c, get(url))

	address.Store(new("127.0.0.2")) // where the same server would answer, if it listened on all addresses
	require.Equal(t, fetch.KindDenied, fails(t, c, get(url)).Kind)
	address.Store(new("127.0.0.1"))
	succeeds(t, c, get(url))
}

func TestOfSeveralAddressesTheGrantedIsDialled(t *testing.T) {
	t.Parallel()
	s := newServer(t, echo)
	c := newClient(t, fetch.Policy{
		Hosts: []string{"api.example.com:" + s.port()}, Private: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")},
	}, fetch.Options{Resolver: newNameServer(t, func(string) []string { return []string{"::1", "127.0.0.9", "127.0.0.1"} })})
	succeeds(t, c, get("https://api.example.com:"+s.port()+"/"))
}

func TestANameThatDoesNotExist(t *testing.T) {
	t.Parallel()
	c := newClient(t, fetch.Policy{Hosts: []string{"*.example.com"}}, fetch.Options{
		Resolver: newNameServer(t, func(string) []string { return nil }),
	})
	failure := fails(t, c, get("https://nowhere.example.com/"))
	require.Equal(t, &fetch.Error{Kind: fetch.KindNetwork, Text: "there is no such host", Retryable: true}, failure)
}
