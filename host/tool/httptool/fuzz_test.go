package httptool_test

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/tool/httptool"
)

// FuzzRequest gives hostile arguments to a tool with places everywhere: what it would send keeps its shape.
func FuzzRequest(f *testing.F) {
	for _, seed := range []string{"Oslo", "..", "%2e%2e", "a/b", "a\r\nHost: x", "a&b=c#d?e", "%252f", `"},"x":{"`, "\xff", "{a}", "::1@evil"} {
		f.Add(seed, seed)
	}
	made := newTool(f, httptool.Config{
		Method: "POST", URL: "https://{a}.example.com:8443/v1/{a}/x-{a}{b}/end?fixed={b}", Allow: []string{"*.example.com:8443"},
		Query: map[string]string{"q": "{a}+{b}"}, Headers: map[string]string{"x-who": "{a}"}, Body: map[string]any{"k": "{a}", "t": "x{b}"},
	})
	f.Fuzz(func(t *testing.T, a, b string) {
		a, b = strings.ToValidUTF8(a, "?"), strings.ToValidUTF8(b, "?") // as JSON and msgpack have it
		r, err := made.Request(wire.Map{{Key: "a", Value: wire.String(a)}, {Key: "b", Value: wire.String(b)}})
		if err != nil {
			require.NotContains(t, err.Error(), "\n")
			return
		}
		u, err := url.Parse(r.URL)
		require.NoError(t, err)
		require.Equal(t, "https", u.Scheme)
		require.Equal(t, a+".example.com:8443", u.Host)
		require.Nil(t, u.User)
		require.Empty(t, u.Fragment)
		parts := strings.Split(u.Path, "/")
		require.Equal(t, []string{"", "v1", a, "x-" + a + b, "end"}, parts)
		require.NotContains(t, parts, "..")
		require.Equal(t, url.Values{"fixed": {b}, "q": {a + "+" + b}}, u.Query())
		require.Contains(t, r.Headers, abi.Header{Name: "x-who", Value: a})
		var body map[string]string
		require.NoError(t, json.Unmarshal(r.Body, &body))
		require.Equal(t, map[string]string{"k": a, "t": "x" + b}, body)
	})
}

// FuzzResponse gives what a hostile server sends to all that reads it.
func FuzzResponse(f *testing.F) {
	f.Add(uint64(200), "application/json", "", []byte(weather))
	f.Add(uint64(404), "text/plain; charset=x", "gzip", []byte("\x1f\x8b\x08\x00"))
	f.Add(uint64(200), "image/png", "deflate", []byte("\x89PNG\r\n\x1a\n"))
	f.Add(uint64(200), "application/json", "", []byte(`[[{"a":{}}]]`))
	whole := newTool(f, httptool.Config{URL: "https://example.com", MaxResult: 100, Secrets: []string{"s3cret"}})
	part := newTool(f, httptool.Config{URL: "https://example.com", MaxResult: 100, Result: "/current/0/a~1b"})
	f.Fuzz(func(t *testing.T, status uint64, kind, encoding string, body []byte) {
		for _, made := range []*httptool.Tool{whole, part} {
			out := made.Output(&abi.FetchResponse{Status: status, Body: body, Headers: []abi.Header{
				{Name: "content-encoding", Value: encoding}, {Name: "content-type", Value: kind},
			}})
			require.LessOrEqual(t, len(out.Content.Text()), 3000)
			require.NotContains(t, out.Content.Text(), "s3cret")
		}
	})
}
