package fetch_test

import (
	"io"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/plugin/fetch"
)

func TestRedirectsAreFollowed(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		status int
		method string
		want   string // method and body of the second request
	}{
		{301, "GET", "GET "},
		{302, "HEAD", "HEAD "},
		{301, "POST", "GET "},
		{302, "PUT", "GET "},
		{303, "POST", "GET "},
		{307, "POST", "POST body"},
		{308, "PUT", "PUT body"},
	} {
		t.Run(tc.method+" "+strconv.Itoa(tc.status), func(t *testing.T) {
			t.Parallel()
			var got string
			var header http.Header
			s := newServer(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/from" {
					http.Redirect(w, r, "to?x=1", tc.status)
					return
				}
				body, _ := io.ReadAll(r.Body)
				got, header = r.Method+" "+string(body), r.Header
			})
			p := to(s)
			p.Methods = []string{"GET", "HEAD", "POST", "PUT"}
			r := &abi.FetchRequest{Method: tc.method, URL: s.URL + "/from", Headers: []abi.Header{
				{Name: "content-type", Value: "text/plain"}, {Name: "authorization", Value: "Basic eDp5"},
			}}
			if tc.method != "GET" && tc.method != "HEAD" {
				r.Body = []byte("body")
			}
			response := succeeds(t, newClient(t, p, fetch.Options{}), r)
			require.Equal(t, s.URL+"/to?x=1", response.URL)
			require.Equal(t, tc.want, got)
			require.Equal(t, "Basic eDp5", header.Get("Authorization"))
			require.Equal(t, tc.status == 307 || tc.status == 308, header.Get("Content-Type") != "")
			require.Empty(t, header.Get("Referer"))
		})
	}
}

func TestOtherStatusesAreTheResponse(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(w http.ResponseWriter, r *http.Request) {
		status, _ := strconv.Atoi(r.URL.Path[1:])
		if status != 302 {
			w.Header().Set("Location", "https://evil.example/")
		}
		w.WriteHeader(status)
	})
	c := newClient(t, to(s), fetch.Options{})
	for _, status := range []int{200, 201, 300, 302, 304, 404, 500, 599} {
		response := succeeds(t, c, get(s.URL+"/"+strconv.Itoa(status)))
		require.EqualValues(t, status, response.Status)
	}
}

func TestRedirectsThatAreRefused(t *testing.T) {
	t.Parallel()
	other := newServer(t, unreachable(t))
	var location string
	s := newServer(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", location)
		w.WriteHeader(http.StatusFound)
	})
	c := newClient(t, to(s), fetch.Options{})
	for _, tc := range []struct {
		location string
		kind     fetch.Kind
	}{
		{"https://evil.example/", fetch.KindDenied},
		{other.URL + "/", fetch.KindDenied},
		{"//" + other.host + "/", fetch.KindDenied},
		{"http://" + s.host + "/", fetch.KindDenied},
		{"https://127.0.0.1/", fetch.KindDenied},
		{"https://169.254.169.254/latest/meta-data", fetch.KindDenied},
		{"file:///etc/passwd", fetch.KindDenied},
		{"gopher://" + s.host + "/", fetch.KindDenied},
		{"javascript:alert(1)", fetch.KindDenied},
		{"https://good@" + s.host + "/", fetch.KindInvalid},
		{"https:" + s.host, fetch.KindInvalid},
		{`\\evil.example\x`, fetch.KindInvalid},
		{`https://` + s.host + `\@evil.example/`, fetch.KindInvalid},
		{"https://2130706433:" + s.port() + "/", fetch.KindInvalid},
		{"https://[::ffff:127.0.0.1]:" + s.port() + "/", fetch.KindInvalid},
		{"https://%31%32%37.0.0.1/", fetch.KindInvalid},
		{"https://127.0.0.1:" + s.port() + "0000/", fetch.KindInvalid},
		{"/a b", fetch.KindInvalid},
		{"/" + strings.Repeat("x", 8<<10), fetch.KindInvalid},
	} {
		location = tc.location
		failure := fails(t, c, get(s.URL))
		require.Equal(t, tc.kind, failure.Kind, "%s: %v", tc.location, failure)
		require.True(t, failure.Sent)
		require.Equal(t, abi.StatusFailed, failure.Status(), "it had an effect")
	}
}

func TestARedirectToAPrivateAddressIsDenied(t *testing.T) {
	t.Parallel()
	inside := newServer(t, unreachable(t))
	s := newServer(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://inside.example.com:"+inside.port()+"/", http.StatusFound)
	})
	p := to(s)
	p.Hosts = append(p.Hosts, "inside.example.com:"+inside.port())
	p.Private = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
	c := newClient(t, p, fetch.Options{Resolver: newNameServer(t, func(string) []string { return []string{"127.0.0.2"} })})
	failure := fails(t, c, get(s.URL))
	require.Equal(t, fetch.KindDenied, failure.Kind)
	require.True(t, failure.Sent)
}

func TestTheNumberOfRedirectsIsLimited(t *testing.T) {
	t.Parallel()
	requests := 0
	s := newServer(t, func(w http.ResponseWriter, r *http.Request) {
		requests++
		if left, _ := strconv.Atoi(r.URL.Path[1:]); left > 0 {
			http.Redirect(w, r, "/"+strconv.Itoa(left-1), http.StatusFound)
		}
	})
	p := to(s)
	succeeds(t, newClient(t, p, fetch.Options{}), get(s.URL+"/5"))
	require.Equal(t, 6, requests)
	failure := fails(t, newClient(t, p, fetch.Options{}), get(s.URL+"/6"))
	require.Equal(t, &fetch.Error{Kind: fetch.KindLimit, Text: "there are more than 5 redirects", Sent: true}, failure)
	require.Equal(t, 12, requests)

	p.MaxRedirects = -1
	response := succeeds(t, newClient(t, p, fetch.Options{}), get(s.URL+"/3"))
	require.EqualValues(t, 302, response.Status)
	require.Equal(t, "/2", response.Header("location"))
}

func TestTheMethodAfterARedirectMustBeGranted(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/", http.StatusSeeOther) })
	p := to(s)
	p.Methods = []string{"POST"}
	failure := fails(t, newClient(t, p, fetch.Options{}), &abi.FetchRequest{Method: "POST", URL: s.URL})
	require.Equal(t, &fetch.Error{Kind: fetch.KindDenied, Text: `the method "GET" is not granted`, Sent: true}, failure)
}

func TestCredentialsStayWhereTheyWereSent(t *testing.T) {
	t.Parallel()
	var got http.Header
	other := newServer(t, func(_ http.ResponseWriter, r *http.Request) { got = r.Header })
	s := newServer(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
	})
	succeeds(t, newClient(t, to(s, other), fetch.Options{}), &abi.FetchRequest{URL: s.URL, Headers: []abi.Header{
		{Name: "Authorization", Value: "Bearer x"}, {Name: "COOKIE", Value: "a=1"}, {Name: "x-kept", Value: "1"},
	}})
	require.Empty(t, got.Get("Authorization"))
	require.Empty(t, got.Get("Cookie"))
	require.Equal(t, "1", got.Get("X-Kept"))
}
