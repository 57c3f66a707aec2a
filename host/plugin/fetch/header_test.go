package fetch_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/plugin/fetch"
)

func TestRequestHeaders(t *testing.T) {
	t.Parallel()
	var got http.Header
	s := newServer(t, func(_ http.ResponseWriter, r *http.Request) { got = r.Header })
	c := newClient(t, to(s), fetch.Options{})
	succeeds(t, c, &abi.FetchRequest{URL: s.URL, Headers: []abi.Header{
		{Name: "accept", Value: "text/plain"}, {Name: "X-Twice", Value: "a"}, {Name: "x-twice", Value: "b"}, {Name: "x-utf8", Value: "größe\t1"},
	}})
	require.Equal(t, http.Header{
		"Accept": {"text/plain"}, "X-Twice": {"a", "b"}, "X-Utf8": {"größe\t1"}, "User-Agent": {"agenthost"},
	}, got)
	succeeds(t, c, &abi.FetchRequest{URL: s.URL, Headers: []abi.Header{{Name: "user-agent", Value: "mine"}}})
	require.Equal(t, "mine", got.Get("User-Agent"))
}

func TestRequestHeadersThatAreRefused(t *testing.T) {
	t.Parallel()
	s := newServer(t, unreachable(t))
	c := newClient(t, to(s), fetch.Options{})
	for _, h := range []abi.Header{
		{Name: "Host", Value: "evil.example"},
		{Name: "hOST", Value: "evil.example"},
		{Name: "Content-Length", Value: "5"},
		{Name: "Transfer-Encoding", Value: "chunked"},
		{Name: "Connection", Value: "close"},
		{Name: "Keep-Alive", Value: "timeout=5"},
		{Name: "Proxy-Authorization", Value: "Basic eDp5"},
		{Name: "Proxy-Connection", Value: "close"},
		{Name: "Upgrade", Value: "websocket"},
		{Name: "TE", Value: "trailers"},
		{Name: "Trailer", Value: "x"},
		{Name: "Expect", Value: "100-continue"},
		{Name: "HTTP2-Settings", Value: "x"},
		{Name: "X-HTTP-Method-Override", Value: "DELETE"},
		{Name: "Accept-Encoding", Value: "gzip"},
		{Name: "", Value: "x"},
		{Name: ":authority", Value: "evil.example"},
		{Name: "x y", Value: "x"},
		{Name: "x:y", Value: "x"},
		{Name: "x\r\nhost", Value: "x"},
		{Name: "größe", Value: "x"},
		{Name: strings.Repeat("x", 257), Value: "x"},
		{Name: "x", Value: "a\r\nHost: evil.example"},
		{Name: "x", Value: "a\nb"},
		{Name: "x", Value: "a\rb"},
		{Name: "x", Value: "a\x00b"},
		{Name: "x", Value: "a\x7fb"},
	} {
		failure := fails(t, c, &abi.FetchRequest{URL: s.URL, Headers: []abi.Header{{Name: "accept", Value: "*/*"}, h}})
		require.Equal(t, fetch.KindInvalid, failure.Kind, "%q", h)
		require.Equal(t, abi.EINVAL, failure.Status())
		require.False(t, failure.Sent)
		require.NotContains(t, failure.Text, "\n")
	}
}

// CGI turns "-" into "_", so that a server reads these as the headers that are reserved.
func TestReservedRequestHeadersInOtherSpellings(t *testing.T) {
	t.Parallel()
	s := newServer(t, unreachable(t))
	c := newClient(t, to(s), fetch.Options{})
	for _, name := range []string{
		"Content_Length", "Transfer_Encoding", "transfer.encoding", "proxy_authorization", "PROXY_", "X_HTTP_Method_Override",
		"x-http_method-override", "Keep_Alive", "Accept_Encoding", "HTTP2_Settings", "X~Method!Override",
	} {
		failure := fails(t, c, &abi.FetchRequest{URL: s.URL, Headers: []abi.Header{{Name: name, Value: "5"}}})
		require.Equal(t, fetch.KindInvalid, failure.Kind, name)
		require.Contains(t, failure.Text, "is reserved for the host; leave it out", name)
		require.False(t, failure.Sent)
	}
	var got http.Header
	other := newServer(t, func(_ http.ResponseWriter, r *http.Request) { got = r.Header })
	succeeds(t, newClient(t, to(other), fetch.Options{}), &abi.FetchRequest{URL: other.URL, Headers: []abi.Header{{Name: "x_team", Value: "blue"}}})
	require.Equal(t, "blue", got.Get("X_team"))
}

func TestResponseHeaders(t *testing.T) {
	t.Parallel()
	conn := "HTTP/1.1 203 Whatever\r\nContent-Type: text/plain\r\nSET-COOKIE: b=1\r\nset-cookie: a=2\r\nX-Latin: gr\xf6\xdfe\r\n" +
		"Connection: Keep-Alive, X-Hop\r\nX-Hop: 1\r\nKeep-Alive: timeout=5\r\nProxy-Authenticate: Basic\r\nUpgrade: h2c\r\nTrailer: X-Late\r\n" +
		"Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nX-Late: 1\r\n\r\n"
	response := succeeds(t, raw(t, conn), get("http://raw.example/"))
	require.Equal(t, &abi.FetchResponse{
		Status: 203, URL: "http://raw.example/", Body: []byte("hi"), Headers: []abi.Header{
			{Name: "content-type", Value: "text/plain"},
			{Name: "set-cookie", Value: "b=1"},
			{Name: "set-cookie", Value: "a=2"},
			{Name: "x-latin", Value: "gr\uFFFDe"},
		},
	}, response)
}

func TestTheBodyIsNotDecompressed(t *testing.T) {
	t.Parallel()
	asked := false
	s := newServer(t, func(w http.ResponseWriter, r *http.Request) {
		asked = r.Header.Get("Accept-Encoding") != ""
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write([]byte("\x1f\x8bnot really"))
	})
	response := succeeds(t, newClient(t, to(s), fetch.Options{}), get(s.URL))
	require.Equal(t, "gzip", response.Header("content-encoding"))
	require.Equal(t, "\x1f\x8bnot really", string(response.Body))
	require.False(t, asked)
}

func TestThereAreNoCookies(t *testing.T) {
	t.Parallel()
	var got []string
	s := newServer(t, func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r.Header.Get("Cookie"))
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "1"})
		if r.URL.Path == "/from" {
			http.Redirect(w, r, "/to", http.StatusFound)
		}
	})
	c := newClient(t, to(s), fetch.Options{})
	succeeds(t, c, get(s.URL+"/from"))
	succeeds(t, c, get(s.URL+"/to"))
	require.Equal(t, []string{"", "", ""}, got)
}

func TestThereIsNoProxy(t *testing.T) { //nolint:paralleltest // it sets the environment
	proxy := newServer(t, unreachable(t))
	for _, name := range []string{"HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "https_proxy", "http_proxy"} {
		t.Setenv(name, proxy.URL)
	}
	s := newServer(t, echo)
	c := newClient(t, fetch.Policy{Hosts: []string{"api.example.com:" + s.port()}, Private: loopback}, fetch.Options{
		Resolver: newNameServer(t, func(string) []string { return []string{"127.0.0.1"} }),
	})
	succeeds(t, c, get("https://api.example.com:"+s.port()))
}
