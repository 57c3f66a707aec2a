package fetch_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/plugin/fetch"
)

// recorder is a network that records the dialed addresses, and the hosts that plain HTTP requests. It
// redirects requests for redirect.example to a URL of the test.
type recorder struct {
	location string

	mu     sync.Mutex
	dialed []string
	asked  []string
}

var errRecorded = errors.New("there is no network")

func (r *recorder) dial(_ context.Context, network, address string) (net.Conn, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.dialed = append(r.dialed, address)
	if network != "tcp" || !strings.HasSuffix(address, ":80") {
		return nil, errRecorded
	}
	client, server := net.Pipe()
	go r.serve(server)
	return client, nil
}

func (r *recorder) serve(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	request, err := http.ReadRequest(bufio.NewReader(conn))
	if err != nil {
		return
	}
	r.mu.Lock()
	r.asked = append(r.asked, request.Host)
	r.mu.Unlock()
	if request.Host == "redirect.example" {
		_, _ = fmt.Fprintf(conn, "HTTP/1.1 302 Found\r\nLocation: %s\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", r.location)
		return
	}
	_, _ = fmt.Fprint(conn, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
}

// fuzzPolicy grants every kind of host.
func fuzzPolicy() fetch.Policy {
	return fetch.Policy{
		Hosts: []string{
			"api.example.com", "*.wild.example", "ports.example:8443", "http://plain.example", "http://redirect.example", "93.184.216.34",
			"[2606:4700::1111]:444",
		},
		MaxRedirects: 1,
	}
}

// isGranted implements the list a second time, independently.
func isGranted(address string) bool {
	switch address {
	case "api.example.com:443", "ports.example:8443", "plain.example:80", "redirect.example:80", "93.184.216.34:443", "[2606:4700::1111]:444":
		return true
	default:
		name, ok := strings.CutSuffix(address, ".wild.example:443")
		return ok && name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-_.") == ""
	}
}

// checkURL performs a request for a URL, and one that is redirected to it, and checks where they went.
func checkURL(t *testing.T, url string) (direct, redirected []string) {
	t.Helper()
	ask := func(r *recorder, url string) []string {
		c, err := fetch.NewWith(fuzzPolicy(), fetch.Options{Dial: r.dial})
		require.NoError(t, err)
		defer func() { require.NoError(t, c.Close()) }()
		_, err = c.Do(t.Context(), get(url))
		var failure *fetch.Error
		if err != nil {
			require.ErrorAs(t, err, &failure)
			require.NotEqual(t, fetch.KindTimeout, failure.Kind, url)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		for _, address := range r.dialed {
			require.True(t, isGranted(address), "%q went to %q", url, address)
		}
		for _, host := range r.asked {
			require.True(t, isGranted(host+":80"), "%q asked for %q", url, host)
		}
		if failure != nil && failure.Kind == fetch.KindDenied && !failure.Sent {
			require.Empty(t, r.dialed)
		}
		return r.dialed
	}
	direct = ask(&recorder{location: "http://plain.example/"}, url)
	if !strings.ContainsAny(url, "\r\n") {
		redirected = ask(&recorder{location: url}, "http://redirect.example/")
	}
	return direct, redirected
}

// urls are spellings of URLs and the addresses that they lead to; "": none.
var urls = []struct{ url, address string }{
	{"https://api.example.com", "api.example.com:443"},
	{"https://api.example.com/", "api.example.com:443"},
	{"https://api.example.com:443/", "api.example.com:443"},
	{"HTTPS://API.Example.COM/a?b=c#d", "api.example.com:443"},
	{"https://api.example.com./", "api.example.com:443"},
	{"https://api.example.com/größe?q=ü", "api.example.com:443"},
	{"https://api.example.com//evil.example/", "api.example.com:443"},
	{"https://api.example.com/@evil.example", "api.example.com:443"},
	{"https://api.example.com?@evil.example", "api.example.com:443"},
	{"https://api.example.com#@evil.example", "api.example.com:443"},
	{"https://a.wild.example/", "a.wild.example:443"},
	{"https://a.b_c.wild.example/", "a.b_c.wild.example:443"},
	{"https://xn--bcher-kva.wild.example/", "xn--bcher-kva.wild.example:443"},
	{"https://ports.example:8443/", "ports.example:8443"},
	{"http://plain.example/", "plain.example:80"},
	{"http://plain.example:80/", "plain.example:80"},
	{"https://93.184.216.34/", "93.184.216.34:443"},
	{"https://[2606:4700::1111]:444/", "[2606:4700::1111]:444"},

	{"", ""},
	{"/", ""},
	{"api.example.com", ""},
	{"//api.example.com/", ""},
	{"https:", ""},
	{"https:///", ""},
	{"https:///api.example.com/", ""},
	{"https:api.example.com", ""},
	{"https:/api.example.com/", ""},
	{"http://api.example.com/", ""},
	{"https://plain.example/", ""},
	{"ftp://api.example.com/", ""},
	{"file:///etc/passwd", ""},
	{"data:text/plain,x", ""},
	{"unix:///var/run/docker.sock", ""},
	{"https://evil.example/", ""},
	{"https://xapi.example.com/", ""},
	{"https://api.example.com.evil.example/", ""},
	{"https://api.example.com:8443/", ""},
	{"https://api.example.com:/", ""},
	{"https://api.example.com:0443/", ""},
	{"https://api.example.com:443443/", ""},
	{"https://api.example.com:-443/", ""},
	{"https://api.example.com../", ""},
	{"https://.api.example.com/", ""},
	{"https://wild.example/", ""},
	{"https://.wild.example/", ""},
	{"https://awild.example/", ""},
	{"https://a..wild.example/", ""},
	{"https://-.wild.example/", ""},
	{"https://*.wild.example/", ""},
	{"https://ports.example/", ""},
	{"https://good@api.example.com/", ""},
	{"https://api.example.com@evil.example/", ""},
	{"https://api.example.com:443@evil.example/", ""},
	{"https://:@api.example.com/", ""},
	{"https://api.example.com%40evil.example/", ""},
	{"https://evil.example%2f.wild.example/", ""},
	{"https://evil.example#.wild.example/", ""},
	{"https://evil.example?.wild.example/", ""},
	{`https://evil.example\.wild.example/`, ""},
	{`https://api.example.com\@evil.example/`, ""},
	{`https:\\api.example.com\`, ""},
	{"https://api.example.com\t/", ""},
	{"https://api.exa\tmple.com/", ""},
	{"https://api.example.com\r\nHost: evil.example/", ""},
	{"https://api.example.com/ HTTP/1.1\r\nX: y", ""},
	{" https://api.example.com/", ""},
	{"https://api.example.com/\x00", ""},
	{"https://api。example。com/", ""},
	{"https://ａpi.example.com/", ""},
	{"https://bücher.wild.example/", ""},
	{"https://%62%63.wild.example/", ""},
	{"https://1572395042/", ""},
	{"https://0x5db8d822/", ""},
	{"https://0x5db8d822.wild.0x1/", ""},
	{"https://0135.0270.0330.042/", ""},
	{"https://93.184.55330/", ""},
	{"https://93.184.216.034/", ""},
	{"https://93.184.216.34.:444/", ""},
	{"https://[::ffff:93.184.216.34]/", ""},
	{"https://[2606:4700:0::1111]:444/", ""},
	{"https://[2606:4700::1111%25eth0]:444/", ""},
	{"https://[2606:4700::1111]evil.example:444/", ""},
	{"https://[2606:4700::1111/", ""},
	{"https://2606:4700::1111:444/", ""},
	{"https://[api.example.com]/", ""},
	{"https://[93.184.216.34]/", ""},
	{"https://api.example.com/${secret:KEY}", ""},
	{"https://" + strings.Repeat("a.", 200) + "wild.example/", ""},
	{"https://" + strings.Repeat("a", 64) + ".wild.example/", ""},
	{"https://api.example.com/" + strings.Repeat("a", 8<<10), ""},
}

func TestURLs(t *testing.T) {
	t.Parallel()
	for _, tc := range urls {
		t.Run(tc.url, func(t *testing.T) {
			t.Parallel()
			direct, _ := checkURL(t, tc.url)
			if tc.address == "" {
				require.Empty(t, direct)
				return
			}
			require.Equal(t, []string{tc.address}, direct)
		})
	}
}

func TestARelativeRedirectStaysWhereItIs(t *testing.T) {
	t.Parallel()
	for _, location := range []string{"x", "/x", "?x", "../../x", "//redirect.example/x"} {
		_, redirected := checkURL(t, location)
		require.Equal(t, []string{"redirect.example:80", "redirect.example:80"}, redirected, location)
	}
}

// FuzzURL checks that the client contacts only hosts of the list, whatever the bytes of the URL of a request or
// redirect are.
func FuzzURL(f *testing.F) {
	for _, tc := range urls {
		f.Add(tc.url)
	}
	f.Fuzz(func(t *testing.T, url string) { checkURL(t, url) })
}

func TestWhatIsCheckedIsWhatIsSent(t *testing.T) {
	t.Parallel()
	s := newServer(t, echo)
	c := newClient(t, fetch.Policy{Hosts: []string{"api.example.com:" + s.port()}, Private: loopback}, fetch.Options{
		Resolver: newNameServer(t, func(name string) []string {
			if name == "api.example.com" {
				return []string{"127.0.0.1"}
			}
			return nil
		}),
	})
	response := succeeds(t, c, get("https://API.example.com.:"+s.port()+"/a%2Fb/ü?q=ä&${x}#fragment"))
	line, _, _ := strings.Cut(string(response.Body), "\n")
	require.Equal(t, "GET api.example.com:"+s.port()+" /a%2Fb/%C3%BC?q=%C3%A4&${x}", line)
	require.Equal(t, "https://api.example.com:"+s.port()+"/a%2Fb/%C3%BC?q=%C3%A4&${x}", response.URL)
}

func TestMethods(t *testing.T) {
	t.Parallel()
	s := newServer(t, echo)
	c := newClient(t, to(s), fetch.Options{})
	for _, method := range []string{"", "GET", "HEAD", "POST"} {
		succeeds(t, c, &abi.FetchRequest{Method: method, URL: s.URL})
	}
	for _, method := range []string{"get", "PUT", "DELETE", "CONNECT", "TRACE", "GET ", "GET / HTTP/1.1\r\nX: y", strings.Repeat("X", 1000)} {
		failure := fails(t, c, &abi.FetchRequest{Method: method, URL: s.URL})
		require.Equal(t, fetch.KindDenied, failure.Kind)
		require.Equal(t, abi.EDENIED, failure.Status())
	}
}

func TestAnAddressInTheListNeedsItsNetwork(t *testing.T) {
	t.Parallel()
	_, err := fetch.New(fetch.Policy{Hosts: []string{"10.0.0.7"}})
	require.EqualError(t, err, `http.fetch: host "10.0.0.7" is not a public address; add its network to private, too`)
	c, err := fetch.New(fetch.Policy{Hosts: []string{"10.0.0.7"}, Private: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/24")}})
	require.NoError(t, err)
	require.NoError(t, c.Close())
}
