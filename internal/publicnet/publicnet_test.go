package publicnet_test

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/internal/publicnet"
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
			require.Equal(t, tc.public, publicnet.Networks(nil).Allows(netip.MustParseAddr(tc.addr)))
		})
	}
	require.False(t, publicnet.Networks(nil).Allows(netip.Addr{}))
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
			require.Equal(t, tc.allowed, publicnet.Networks{netip.MustParsePrefix(tc.network)}.Allows(netip.MustParseAddr(tc.addr)))
		})
	}
}

func TestControl(t *testing.T) {
	t.Parallel()
	granted := publicnet.Networks{netip.MustParsePrefix("10.0.0.0/8")}
	for address, network := range map[string]string{"1.1.1.1:80": "tcp4", "10.1.2.3:80": "tcp4", "[2606:4700::1111]:443": "tcp6"} {
		require.NoError(t, granted.Control(t.Context(), network, address, nil))
	}
	for address, network := range map[string]string{
		"127.0.0.1:80": "tcp4", "[::1]:80": "tcp6", "1.1.1.1:53": "udp4", "example.com:80": "tcp4", "/run/docker.sock": "unix", "1.1.1.1": "tcp4", "1.1.1.1:81": "tcp",
	} {
		require.ErrorIs(t, granted.Control(t.Context(), network, address, nil), publicnet.ErrNotPublic, address)
	}
}
