package fetch_test

import (
	"net/http"
	"net/netip"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/plugin/fetch"
)

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
