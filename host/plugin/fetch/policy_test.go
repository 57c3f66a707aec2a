package fetch_test

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/plugin/fetch"
)

func TestHostsOfAPolicy(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ host, err string }{
		{"api.example.com", ""},
		{"API.Example.com.", ""},
		{"localhost", ""},
		{"my_service:8080", ""},
		{"*.example.com", ""},
		{"https://api.example.com:8443", ""},
		{"http://api.example.com", ""},
		{"93.184.216.34", ""},
		{"http://[2606:4700::1111]:8080", ""},
		{"xn--bcher-kva.example", ""},

		{"", "there is no host"},
		{"*", `only a "*." at the beginning stands for names`},
		{"*.com", `everything below "com" is too much; name the hosts`},
		{"*.com.", `everything below "com" is too much; name the hosts`},
		{"*.*.example.com", `only a "*." at the beginning stands for names`},
		{"a*.example.com", `only a "*." at the beginning stands for names`},
		{"*.93.184.216.34", "there are no names below an address"},
		{"ftp://api.example.com", "its scheme must be https, which may be left out, or http"},
		{"api.example.com/path", "the host is not a valid name: it may have only letters, digits, hyphens and dots"},
		{"me@api.example.com", "the host is not a valid name: it may have only letters, digits, hyphens and dots"},
		{"api.example.com:", "the port must be 1 to 65535"},
		{"api.example.com:0", "the port must be 1 to 65535"},
		{"api.example.com:*", `only a "*." at the beginning stands for names`},
		{"api.example.com:080", "the port must be 1 to 65535"},
		{"api.example.com:65536", "the port must be 1 to 65535"},
		{"bücher.example", "the host has letters beyond ASCII; write it as xn--"},
		{"api..example.com", "the host is not a valid name: each part must have 1 to 63 bytes, and no hyphen at its ends"},
		{"-api.example.com", "the host is not a valid name: each part must have 1 to 63 bytes, and no hyphen at its ends"},
		{strings.Repeat("a.", 127) + "example", "the host is longer than 253 bytes"},
		{"2606:4700::1111", "an IPv6 address must be in brackets"},
		{"[2606:4700:0::1111]", "in brackets must be an IPv6 address in its shortest form, without a zone"},
		{"[fe80::1%eth0]", "in brackets must be an IPv6 address in its shortest form, without a zone"},
		{"[2606:4700::1111", "a bracket is missing"},
		{"[2606:4700::1111]x", "only a port may follow the bracket"},
		{"93.184.55330", "a host that ends in a number must be an IPv4 address of four decimal numbers"},
		{"0x5db8d822", "a host that ends in a number must be an IPv4 address of four decimal numbers"},
		{"93.184.216.034", "a host that ends in a number must be an IPv4 address of four decimal numbers"},
	} {
		t.Run(tc.host, func(t *testing.T) {
			t.Parallel()
			c, err := fetch.New(fetch.Policy{Hosts: []string{tc.host}})
			if tc.err != "" {
				require.ErrorContains(t, err, "http.fetch: host ")
				require.ErrorContains(t, err, tc.err)
				return
			}
			require.NoError(t, err)
			require.NoError(t, c.Close())
		})
	}
}

func TestPoliciesThatAreRefused(t *testing.T) {
	t.Parallel()
	secret := func(name, value string, hosts ...string) func(p *fetch.Policy) {
		return func(p *fetch.Policy) { p.Secrets = map[string]fetch.Secret{name: {Value: value, Hosts: hosts}} }
	}
	const value = "correct horse"
	for _, tc := range []struct {
		name   string
		change func(p *fetch.Policy)
		err    string
	}{
		{"no hosts", func(p *fetch.Policy) { p.Hosts = nil }, "it grants no hosts; list them"},
		{"a method in small letters", func(p *fetch.Policy) { p.Methods = []string{"get"} }, `method "get": it must be in capitals, and none of CONNECT, TRACE and TRACK`},
		{"CONNECT", func(p *fetch.Policy) { p.Methods = []string{"CONNECT"} }, `method "CONNECT": it must be in capitals`},
		{"no method", func(p *fetch.Policy) { p.Methods = []string{""} }, `method "": it must be in capitals`},
		{"no network", func(p *fetch.Policy) { p.Private = []netip.Prefix{{}} }, "private network invalid Prefix: write it as"},
		{"a network with bits", func(p *fetch.Policy) {
			p.Private = []netip.Prefix{netip.MustParsePrefix("10.0.0.1/8")}
		}, "private network 10.0.0.1/8: write it as 10.0.0.0/8 or fc00::/7, without bits behind the mask"},
		{"a network of mapped addresses", func(p *fetch.Policy) {
			p.Private = []netip.Prefix{netip.MustParsePrefix("::ffff:0:0/96")}
		}, "private network ::ffff:0.0.0.0/96: write it as"},
		{"a negative size", func(p *fetch.Policy) { p.MaxResponse = -1 }, "the limit of the response's body is -1 bytes; it must be 1 to 1073741824"},
		{"a huge size", func(p *fetch.Policy) { p.MaxRequest = 1 << 40 }, "the limit of the request's body is 1099511627776 bytes"},
		{"tiny headers", func(p *fetch.Policy) { p.MaxHeaders = 1 }, "the limit of headers is 1 bytes; it must be 256 to 1048576"},
		{"a negative timeout", func(p *fetch.Policy) { p.Timeout = -time.Second }, "the timeout is -1s; it must be 1ms to 1h0m0s"},
		{"a long timeout", func(p *fetch.Policy) { p.Timeout = 2 * time.Hour }, "the timeout is 2h0m0s"},
		{"a secret without a name", secret("", value, "api.example.com"), `secret "": a name has 1 to 64 letters, digits, hyphens and underscores`},
		{"a secret with a brace", secret("A}", value, "api.example.com"), `secret "A}": a name has`},
		{"a short secret", secret("A", "1234567", "api.example.com"), `secret "A": its value has 7 bytes; it must have 8 to 4096`},
		{"a long secret", secret("A", strings.Repeat("x", 4097), "api.example.com"), `secret "A": its value has 4097 bytes`},
		{"a secret with a line break", secret("A", "correct horse\n", "api.example.com"), `secret "A": its value has control characters, or spaces at its ends`},
		{"a secret for nobody", secret("A", value), `secret "A": it is granted to no host; list the hosts that may get it`},
		{"a secret for no host", secret("A", value, "*"), `secret "A": host "*": only a "*."`},
		{"a secret for another host", secret("A", value, "other.example"), `secret "A": host "other.example" is not within the hosts of the policy; add it there`},
		{"a secret for another scheme", secret("A", value, "http://api.example.com"), `host "http://api.example.com" is not within`},
		{"a secret for more than the policy", secret("A", value, "*.example.com"), `host "*.example.com" is not within`},
		{"a secret for the host of a wildcard", secret("A", value, "wild.example"), `host "wild.example" is not within`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := fetch.Policy{Hosts: []string{"api.example.com", "*.wild.example"}}
			tc.change(&p)
			_, err := fetch.New(p)
			require.ErrorContains(t, err, "http.fetch: ")
			require.ErrorContains(t, err, tc.err)
			require.NotContains(t, err.Error(), "correct")
		})
	}
}

func TestSecretsOfWildcards(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"api.example.com", "*.wild.example", "a.wild.example", "*.a.wild.example"} {
		c, err := fetch.New(fetch.Policy{
			Hosts:   []string{"api.example.com", "*.wild.example"},
			Secrets: map[string]fetch.Secret{"A": {Value: "correct horse", Hosts: []string{host}}},
		})
		require.NoError(t, err, host)
		require.NoError(t, c.Close())
	}
}
