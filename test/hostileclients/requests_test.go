//go:build linux

package hostileclients_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const head = " HTTP/1.1\r\nHost: localhost\r\n{key}\r\n"

// Each text is what a client sends on a connection. The second request of a smuggler must not be heard.
func TestMalformedRequests(t *testing.T) {
	t.Parallel()
	r := setup(t, "", "")
	const smuggled = "GET /threads/smuggled HTTP/1.1\r\nHost: localhost\r\n{key}\r\n\r\n"
	nobody := "/threads/6f0c7c5e-aaaa-4d28-8000-1db9e5e1f6a4"
	big := strings.Repeat("x", 1<<20)
	r.beside(64<<20, func() {
		for _, test := range []struct {
			name, sent string
			status     int
			says       string // in the detail; "": net/http answers in plain text
		}{
			{"chunks twice", "POST /threads" + head + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + smuggled, 501, ""},
			{"another coding", "POST /threads" + head + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n" + smuggled, 501, ""},
			{"a hidden coding", "POST /threads" + head + "Transfer-Encoding:\x0bchunked\r\n\r\n0\r\n\r\n" + smuggled, 400, ""},
			{"two lengths", "POST /threads" + head + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}" + smuggled, 400, ""},
			{"a list of lengths", "POST /threads" + head + "Content-Length: 2, 3\r\n\r\n{}" + smuggled, 400, ""},
			{"a length with a sign", "POST /threads" + head + "Content-Length: +2\r\n\r\n{}" + smuggled, 400, ""},
			{"a negative length", "POST /threads" + head + "Content-Length: -1\r\n\r\n{}" + smuggled, 400, ""},
			{"a length of many digits", "POST /threads" + head + "Content-Length: 99999999999999999999\r\n\r\n{}" + smuggled, 400, ""},
			{"a space before the colon", "POST /threads" + head + "Content-Length : 2\r\n\r\n{}" + smuggled, 400, ""},
			{"NUL in a name", "GET /threads" + head + "A\x00B: c\r\n\r\n", 400, ""},
			{"NUL in a value", "GET /threads" + head + "A: b\x00c\r\n\r\n", 400, ""},
			{"CR in a value", "GET /threads" + head + "A: b\rX: c\r\n\r\n", 400, ""},
			{"a header without a colon", "GET /threads" + head + "nothing\r\n\r\n", 400, ""},
			{"a folded first line", "GET /threads HTTP/1.1\r\n Host: localhost\r\n\r\n", 400, ""},
			{"two hosts", "GET /threads HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n{key}\r\n\r\n", 400, ""},
			{"no host", "GET /threads HTTP/1.1\r\n{key}\r\n\r\n", 400, ""},
			{"a strange method", "G\x00T /threads" + head + "\r\n", 400, ""},
			{"a strange version", "GET /threads HTTP/9.9\r\nHost: localhost\r\n\r\n", 505, ""},
			{"NUL in the target", "GET /threads\x00" + head + "\r\n", 400, ""},
			{"no target", "GET  HTTP/1.1\r\nHost: localhost\r\n\r\n", 400, ""},
			{"a chunk of a strange size", "POST /threads" + head + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n{}\r\n0\r\n\r\n" + smuggled, 400, "the body cannot be read"},
			{"a chunk that is too large", "POST /threads" + head + "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff1\r\n", 400, "the body cannot be read"},
			{"half a body", "POST /threads" + head + "Content-Length: 100\r\n\r\n{", 400, "the body cannot be read"},
			{"1 MB in a header", "GET /threads" + head + "X: " + big + "\r\n\r\n", 431, ""},
			{"1 MB of headers", "GET /threads" + head + strings.Repeat("X: y\r\n", 1<<20/6) + "\r\n", 431, ""},
			{"1 MB of a path", "GET /" + big + head + "\r\n", 431, ""},
			{"1 MB of a method", big + " /" + head + "\r\n", 431, ""},

			{"a foreign host", "GET /ok HTTP/1.1\r\nHost: evil.example\r\n\r\n", 403, "the host"},
			{"a target with a foreign host", "GET http://evil.example/ok HTTP/1.1\r\nHost: localhost\r\n\r\n", 403, "the host"},
			{"a target with a host, and a foreign one", "GET http://localhost/threads" + "/x HTTP/1.1\r\nHost: evil.example\r\n{key}\r\n\r\n", 422, "must be a UUID"},
			{"a foreign origin", "POST /threads HTTP/1.1\r\nHost: localhost\r\nOrigin: https://evil.example\r\nContent-Length: 2\r\n\r\n{}", 403, ""},
			{"no origin that could be known", "POST /threads HTTP/1.1\r\nHost: localhost\r\nOrigin: null\r\nContent-Length: 2\r\n\r\n{}", 403, ""},
			{"a proxy's target", "CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n", 403, ""},
			{"all of the server", "OPTIONS * HTTP/1.1\r\nHost: localhost\r\n{key}\r\n\r\n", 200, ""},
			{"trace", "TRACE /threads" + head + "\r\n", 405, "Method Not Allowed"},

			{"an escaped slash", "GET /threads%2f" + nobody[9:] + head + "\r\n", 404, "Not Found"},
			{"an escaped slash in an id", "GET /threads/a%2f..%2fb" + head + "\r\n", 422, "must be a UUID"},
			{"NUL in an id", "GET /threads/%00" + head + "\r\n", 422, "must be a UUID"},
			{"no UTF-8 in an id", "GET /threads/%ff" + head + "\r\n", 422, "must be a UUID"},
			{"half an escape", "GET /threads/%2" + head + "\r\n", 400, ""},
			{"NUL in a query", "GET " + nobody + "/runs?limit=%00" + head + "\r\n", 422, "limit"},
			{"the words of a WebSocket", "GET " + nobody + "/stream" + head + "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
				"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n", 404, "not found"},
			{"repeated members", "POST /threads/search" + head + "Content-Length: 23\r\n\r\n" + `{"limit":1,"limit":"x"}`, 422, "limit"},
			{"NUL in a text", "POST /threads" + head + "Content-Length: 28\r\n\r\n" + `{"metadata":{"a":"\u0000"}}` + " ", 422, "the character 0"},
			{"half a pair in a text", "POST /threads" + head + "Content-Length: 28\r\n\r\n" + `{"metadata":{"a":"\ud800"}}` + " ", 200, ""},
		} {
			got := r.raw(test.sent, test.name == "half a body")
			if len(got) == 0 || got[0].status != test.status || !strings.Contains(got[0].detail(), test.says) {
				t.Errorf("%s: want %d %q, got %.300v", test.name, test.status, test.says, got)
			}
			// The connection is closed, or the next request is heard as what it is.
			if len(got) > 2 || len(got) == 2 && (got[1].status != 200 || !strings.Contains(got[1].body, `"ok":true`)) {
				t.Errorf("%s: other answers: %.300v", test.name, got[1:])
			}
		}
	})
	require.NotContains(t, r.server.Log(), "smuggled")
}

// Of a length and chunks, the chunks count, which is what RFC 9112 asks for. What follows them is a request of the same client.
func TestALengthBesideChunksDoesNotCount(t *testing.T) {
	t.Parallel()
	r := setup(t, "", "")
	got := r.raw("POST /threads"+head+"Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", false)
	require.Len(t, got, 2)
	require.Equal(t, []int{200, 200}, []int{got[0].status, got[1].status})
}

// Requests that come at once on a connection are answered one after the other.
func TestPipelining(t *testing.T) {
	t.Parallel()
	r := setup(t, "", "")
	const n = 2000
	r.beside(64<<20, func() {
		got := r.raw(strings.Repeat("GET /threads/x"+head+"\r\nGET /ok"+head+"\r\n", n), false)
		require.Len(t, got, 2*n+1)
		for i, a := range got[:2*n] {
			require.Equal(t, []int{422, 200}[i%2], a.status)
		}
	})
}
