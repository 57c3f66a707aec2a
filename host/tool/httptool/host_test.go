package httptool_test

import (
	"encoding/json"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/tool/httptool"
)

func portOf(t *testing.T, base string) string {
	t.Helper()
	u, err := url.Parse(base)
	require.NoError(t, err)
	return u.Port()
}

func TestThisMachineMayBeNamed(t *testing.T) {
	t.Parallel()
	port := portOf(t, serve(t, echo))
	for _, host := range []string{"127.0.0.1", "localhost", "LOCALHOST"} {
		require.Contains(t, succeeds(t, newTool(t, httptool.Config{URL: "http://" + host + ":" + port + "/x"}), nil), "GET /x")
	}
}

// What an argument makes of the host must be in the list, also in another spelling.
func TestAnArgumentInTheHost(t *testing.T) {
	t.Parallel()
	port := portOf(t, serve(t, echo))
	made := newTool(t, httptool.Config{URL: "http://{host}:" + port + "/x", Allow: []string{"http://127.0.0.1:" + port, "http://*.example.com:" + port}})
	require.Contains(t, succeeds(t, made, map[string]any{"host": "127.0.0.1"}), "GET /x")
	for host, says := range map[string]string{
		"localhost": "is not granted", "127.0.0.2": "is not granted", "evil.example": "is not granted", "example.com": "is not granted",
		"127.1": "four decimal numbers", "2130706433": "four decimal numbers", "0x7f.1": "four decimal numbers", "": "there is no host", ".": "the URL's host",
		"127.0.0.1:80": "letters, digits", "a@127.0.0.1": "letters, digits", "127.0.0.1/": "letters, digits", "127.0.0.1#": "letters, digits",
		"127.0.0.1?": "letters, digits", `127.0.0.1\`: "letters, digits", "[::1]": "letters, digits", "例": "letters, digits", "a%2e": "letters, digits",
	} {
		require.Contains(t, fails(t, made, map[string]any{"host": host}), says, host)
	}
	_, err := httptool.New(httptool.Config{Name: "x", URL: "https://{host}/x"})
	require.EqualError(t, err, `http tool "x": url: an argument chooses the host; list the possible hosts in allow`)
}

// A name that leads to this machine needs its network, whatever addresses the operator gave as they are.
func TestNamesDoNotReachPrivateAddresses(t *testing.T) {
	t.Parallel()
	base := serve(t, unreachable(t))
	made := newTool(t, httptool.Config{URL: base, Allow: []string{"http://example.com", "http://localhost:" + portOf(t, base)}})
	named, literal := made.Private()
	require.Empty(t, named)
	require.Equal(t, []string{"127.0.0.0/8", "::1/128", "127.0.0.1/32"}, texts(literal))

	private := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	made = newTool(t, httptool.Config{URL: "https://intranet.example.com", Private: private})
	named, literal = made.Private()
	require.Equal(t, private, named)
	require.Empty(t, literal)

	made = newTool(t, httptool.Config{URL: "http://[::1]:8080/", Allow: []string{"http://*.example.com", "10.1.2.3:8443"}})
	_, literal = made.Private()
	require.Equal(t, []string{"10.1.2.3/32", "::1/128"}, texts(literal))
}

func texts(networks []netip.Prefix) (texts []string) {
	for _, n := range networks {
		texts = append(texts, n.String())
	}
	return texts
}

func TestConfigurationsThatAreRefused(t *testing.T) {
	t.Parallel()
	const base = "https://example.com/"
	schema := func(text string) httptool.Config {
		return httptool.Config{URL: base + "{a}?b={b}", Parameters: raw(t, text)}
	}
	long := strings.Repeat("/a", 65)
	for says, c := range map[string]httptool.Config{
		"name: the name must have 1 to 64 letters":                                    {Name: "get weather", URL: base},
		"method: a GET request has no body; set another method":                       {URL: base, Body: "x"},
		"method: a HEAD request has no body":                                          {Method: "HEAD", URL: base, Body: "x"},
		`method: method "get": it must be in capitals`:                                {Method: "get", URL: base},
		`method: method "CONNECT"`:                                                    {Method: "CONNECT", URL: base},
		"url: the URL must be absolute":                                               {URL: "example.com"},
		"url: the URL must be absolute, and begin with https":                         {URL: "{scheme}://example.com"},
		"url: the URL has a fragment":                                                 {URL: base + "#x"},
		"url: the URL contains a user; send credentials in a header":                  {URL: "https://me:{pw}@example.com/"},
		"url: no argument can choose the port":                                        {URL: "https://example.com:{port}/"},
		"url: a brace does not belong to an {argument}":                               {URL: base + "{a b}"},
		"url: a brace does not belong to":                                             {URL: base + "a}"},
		"url: {k} is not allowed here":                                                {URL: base + "?{k}=1"},
		`url: host "https://": there is no host`:                                      {URL: "https:///x"},
		`url: host "https://exa_mple.com:0": the port`:                                {URL: "https://exa_mple.com:0/x"},
		"url: the URL has a space, control character":                                 {URL: base + "a b"},
		"url: the URL cannot be read":                                                 {URL: base + "%zz"},
		"query: a: a brace does not belong":                                           {URL: base, Query: map[string]string{"a": "{"}},
		"headers: X: a brace does not belong":                                         {URL: base, Headers: map[string]string{"X": "{}"}},
		"headers: x: the header is given twice":                                       {URL: base, Headers: map[string]string{"X": "1", "x": "2"}},
		"headers: the header host is reserved for the host":                           {URL: base, Headers: map[string]string{"Host": "x"}},
		"headers: the header content-length is reserved for the host":                 {URL: base, Headers: map[string]string{"Content-Length": "1"}},
		"headers: the header proxy_authorization is reserved for the host":            {URL: base, Headers: map[string]string{"Proxy_Authorization": "x"}},
		"this is not a valid name":                                                    {URL: base, Headers: map[string]string{"a b": "x"}},
		"headers: the header x: its value has control characters":                     {URL: base, Headers: map[string]string{"X": "a\nb"}},
		"body: k: a brace does not belong":                                            {Method: "POST", URL: base, Body: map[string]any{"k": []any{"{"}}},
		"body: {k}: {k} is not allowed here":                                          {Method: "POST", URL: base, Body: map[string]any{"{k}": 1}},
		"body: json: unsupported type":                                                {Method: "POST", URL: base, Body: make(chan int)},
		"body: the body is nested deeper than 64 levels":                              {Method: "POST", URL: base, Body: json.RawMessage(strings.Repeat("[", 66) + strings.Repeat("]", 66))},
		"parameters: schema: must be a map":                                           schema(`"x"`),
		"parameters: the parameters must be a JSON Schema of the type object":         schema(`true`),
		"parameters: the parameters must be an object":                                schema(`{"properties":{"a":{},"b":{}}}`),
		"parameters: the request contains {b}, but there is no such property; add it": schema(`{"type":"object","properties":{"a":{}},"required":["a"]}`),
		`the request does not use the property "c"; write {c}`:                        schema(`{"type":"object","properties":{"a":{},"b":{},"c":{}},"required":["a"]}`),
		`the property "a" is part of the URL's path or host`:                          schema(`{"type":"object","properties":{"a":{},"b":{}}}`),
		`result: a JSON pointer must begin with a slash`:                              {URL: base, Result: "a/b"},
		`result: a JSON pointer contains a ~; write ~0`:                               {URL: base, Result: "/a~2"},
		`result: the pointer has more than 64 steps`:                                  {URL: base, Result: long},
		"max_result: the value is -1; it must be between 1 and 1073741824 bytes":      {URL: base, MaxResult: -1},
		"max_response: the value is -1":                                               {URL: base, MaxResponse: -1},
		"timeout: the value is 2h0m0s; it must be between 1ms and 1h0m0s":             {URL: base, Timeout: 7_200_000_000_000},
		`allow: host "*.com": everything below "com" is too much`:                     {URL: base, Allow: []string{"*.com"}},
		"private: private network 10.0.0.1/8: write it as 10.0.0.0/8":                 {URL: base, Private: []netip.Prefix{netip.MustParsePrefix("10.0.0.1/8")}},
		"private: private network 10.0.0.2/8: write it as 10.0.0.0/8 or":              {URL: "http://10.0.0.2/", Private: []netip.Prefix{netip.MustParsePrefix("10.0.0.2/8")}},
	} {
		if c.Name == "" {
			c.Name = "x"
		}
		made, err := httptool.New(c)
		require.ErrorContains(t, err, says)
		require.Nil(t, made)
		var wrong *httptool.ConfigError
		require.ErrorAs(t, err, &wrong)
		require.Equal(t, c.Name, wrong.Tool)
		require.ErrorIs(t, err, wrong.Err)
	}
}

func TestNoConnectionIsUsedAgainForWhatMustNotRunTwice(t *testing.T) {
	t.Parallel()
	from := make(chan string, 4)
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		from <- r.RemoteAddr
		w.WriteHeader(http.StatusNoContent)
	})
	for method, same := range map[string]bool{"GET": true, "POST": false} {
		made := newTool(t, httptool.Config{Method: method, URL: base})
		for range 2 {
			require.Equal(t, "HTTP 204 No Content", succeeds(t, made, nil))
		}
		first, second := <-from, <-from
		require.Equal(t, same, first == second, method)
	}
}
