package httptool_test

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/tool/httptool"
)

const weather = `{"current": {"temperature": 12.50, "sky": "clear \u2600", "wind/gusts": null, "~": 1e400}, "days": [{"max": 1}, [], "x"], "current2": 1, "": 3, "dup": 1, "dup": {"a":  2}}`

func TestPointer(t *testing.T) {
	t.Parallel()
	base := serve(t, answering("application/json", "\uFEFF"+weather))
	for pointer, want := range map[string]string{
		"/current/temperature": "12.50", "/current/sky": "clear ☀", "/current/wind~1gusts": "null", "/current/~0": "1e400", "/days/0/max": "1",
		"/days/2": "x", "/days/1": "[]", "/": "3", "/dup": `{"a":2}`, "/dup/a": "2", "": weather,
	} {
		require.Equal(t, want, succeeds(t, newTool(t, httptool.Config{URL: base, Result: pointer}), nil), pointer)
	}
	for pointer, want := range map[string]string{
		"/curent":        `Error: the response has nothing at "/curent"; there are current, days, current2, , dup, dup`,
		"/current/x/y":   `Error: the response has nothing at "/current/x"; there are temperature, sky, wind/gusts, ~`,
		"/days/3":        `Error: the response has nothing at "/days/3"`,
		"/days/00":       `Error: the response has nothing at "/days/00"`,
		"/days/-":        `Error: the response has nothing at "/days/-"`,
		"/days/-1":       `Error: the response has nothing at "/days/-1"`,
		"/current2/deep": `Error: the response has nothing at "/current2/deep"`,
	} {
		require.Equal(t, want, fails(t, newTool(t, httptool.Config{URL: base, Result: pointer}), nil), pointer)
	}
	for _, body := range []string{"no JSON", `{"a":1`, `{"a":1} {"a":2}`, strings.Repeat("[", 20_000)} {
		text := fails(t, newTool(t, httptool.Config{URL: serve(t, answering("application/json", body)), Result: "/a"}), nil)
		require.Equal(t, "Error: the response is not JSON", text)
	}
}

func TestResultsOfOtherTypes(t *testing.T) {
	t.Parallel()
	png := "\x89PNG\r\n\x1a\n0000"
	for _, test := range []struct{ kind, body, want string }{
		{"text/plain; charset=utf-8", "hi\x00\x1b[31m", "hi\x00\x1b[31m"},
		{"text/html", "a\xffb", "a\uFFFDb"},
		{"application/problem+json", `{"a": 1}`, `{"a": 1}`},
		{"image/svg+xml", `<svg/>`, `<svg/>`},
		{"application/x-ndjson", "1\n2", "1\n2"},
		{"application/pdf", "%PDF", "HTTP 200 OK: the response is of the type application/pdf and has 4 bytes, which cannot be shown"},
		{"image/png", "no image", "HTTP 200 OK: the response is of the type image/png and has 8 bytes, which cannot be shown"},
		{"image/tiff", "II*\x00", "HTTP 200 OK: the response is of the type image/tiff and has 4 bytes, which cannot be shown"},
		{"image/gif", png, "HTTP 200 OK: the response is of the type image/gif and has 12 bytes, which cannot be shown"},
		{"image/png", png + strings.Repeat("0", 5<<20), "HTTP 200 OK: the response is of the type image/png and has 5242892 bytes, which cannot be shown"},
		{"a/b; c", "x", "x"},
		{"/", "æ", "æ"},
		{"/", "x\x00", "HTTP 200 OK: the response is of the type unknown and has 2 bytes, which cannot be shown"},
	} {
		made := newTool(t, httptool.Config{URL: serve(t, answering(test.kind, test.body)), MaxResponse: 8 << 20})
		require.Equal(t, test.want, succeeds(t, made, nil), test.kind)
	}
	out := call(t, newTool(t, httptool.Config{URL: serve(t, answering("image/png", png))}), nil)
	require.Equal(t, abi.Blocks(abi.ImageBlock("image/png", []byte(png))), out.Content)
}

func TestLongResultsAreCut(t *testing.T) {
	t.Parallel()
	base := serve(t, answering("application/json", `{"a":"`+strings.Repeat("æ", 50_000)+`"}`))
	text := succeeds(t, newTool(t, httptool.Config{URL: base}), nil)
	require.Len(t, strings.TrimSuffix(text, "\n[the result is cut here: 34472 more bytes]"), 64<<10)
	text = succeeds(t, newTool(t, httptool.Config{URL: base, Result: "/a", MaxResult: 5}), nil)
	require.Equal(t, "ææ\n[the result is cut here: 99996 more bytes]", text)
	require.Equal(t, "Error: the body of the response is larger than 1000 bytes", fails(t, newTool(t, httptool.Config{URL: base, MaxResponse: 1000}), nil))
}

func TestFailedRequests(t *testing.T) {
	t.Parallel()
	status := func(code int, kind, body string) string {
		return serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(code)
			_, _ = io.WriteString(w, body)
		})
	}
	for _, test := range []struct{ url, want string }{
		{status(404, "application/json", `{"message":"no such city"}`), "Error: HTTP 404 Not Found\n{\"message\":\"no such city\"}"},
		{status(500, "text/plain", strings.Repeat("a", 5000)), "Error: HTTP 500 Internal Server Error\n" + strings.Repeat("a", 4096) + "\n[the result is cut here: 904 more bytes]"},
		{status(502, "image/png", "\x89PNG\r\n\x1a\n"), "Error: HTTP 502 Bad Gateway"},
		{status(799, "text/plain", ""), "Error: HTTP 799"},
	} {
		require.Equal(t, test.want, fails(t, newTool(t, httptool.Config{URL: test.url, Result: "/a"}), nil))
	}
}

func TestCompressedResponses(t *testing.T) {
	t.Parallel()
	compress := func(with func(io.Writer) io.WriteCloser, text string) string {
		var out bytes.Buffer
		w := with(&out)
		_, _ = io.WriteString(w, text)
		require.NoError(t, w.Close())
		return out.String()
	}
	zip := func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }
	deflate := func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) }
	encoded := func(encoding, body string) *httptool.Tool {
		return newTool(t, httptool.Config{MaxResponse: 10_000, Secrets: []string{"s3cret"}, URL: serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", encoding)
			w.Header().Set("Content-Type", "text/plain")
			_, _ = io.WriteString(w, body)
		})})
	}
	require.Equal(t, "hi ***", succeeds(t, encoded("gzip", compress(zip, "hi s3cret")), nil))
	require.Equal(t, "hi", succeeds(t, encoded("GZIP", compress(zip, "hi")), nil))
	require.Equal(t, "hi", succeeds(t, encoded("deflate", compress(deflate, "hi")), nil))
	require.Equal(t, "hi", succeeds(t, encoded("identity", "hi"), nil))
	require.Equal(t, "HTTP 200 OK", succeeds(t, encoded("gzip", ""), nil))
	bomb := compress(zip, strings.Repeat("\x00", 1<<20))
	require.Less(t, len(bomb), 10_000)
	require.Equal(t, "Error: HTTP 200 OK: the body of the response is larger than 10000 bytes", fails(t, encoded("gzip", bomb), nil))
	require.Contains(t, fails(t, encoded("gzip", "no zip"), nil), "the response is not valid gzip, although it claims to be")
	require.Contains(t, fails(t, encoded("deflate", "no zip"), nil), "the response is not valid deflate")
	require.Contains(t, fails(t, encoded("gzip", bomb[:20]), nil), "the response is not valid gzip")
	require.Contains(t, fails(t, encoded("br", "hi"), nil), `the response has the encoding "br", which is not supported`)
	require.Contains(t, fails(t, encoded("gzip, gzip", "hi"), nil), `has the encoding "gzip, gzip"`)
}
