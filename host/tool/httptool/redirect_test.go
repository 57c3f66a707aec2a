package httptool_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/tool/httptool"
)

// redirecting is a handler that redirects to the path or URL in the query's key "to", with the status in "status".
func redirecting(status int, to string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/end") {
			echo(w, r)
			return
		}
		w.Header().Set("Location", to)
		w.WriteHeader(status)
	}
}

var ownHeaders = map[string]string{
	"Authorization": "Bearer s3cret-token", "Cookie": "session=s3cret-session", "X-Custom": "internal", "Accept-Language": "nb",
}

func TestRedirectsAtTheSameHostKeepTheHeaders(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		status           int
		method, want     string
		keepsTheBodyThen bool
	}{
		{301, "GET", "GET /end?x=1", false},
		{302, "HEAD", "", false},
		{301, "POST", "GET /end?x=1", false},
		{303, "PUT", "GET /end?x=1", false},
		{307, "POST", "POST /end?x=1", true},
		{308, "DELETE", "DELETE /end?x=1", true},
	} {
		c := httptool.Config{Method: test.method, URL: serve(t, redirecting(test.status, "end?x=1#fragment")) + "/v1", Headers: ownHeaders}
		if test.method != "GET" && test.method != "HEAD" {
			c.Body = "the body"
		}
		text := succeeds(t, newTool(t, c), nil)
		if test.method == "HEAD" {
			require.Equal(t, "HTTP 200 OK", text)
			continue
		}
		require.Equal(t, test.want, firstLine(text))
		require.Contains(t, text, "X-Custom: internal")
		require.Contains(t, text, "Authorization: Bearer ***")
		require.Equal(t, test.keepsTheBodyThen, strings.Contains(text, `"the body"`), text)
		require.Equal(t, test.keepsTheBodyThen, strings.Contains(text, "Content-Type"), text)
	}
}

func TestRedirectsToAnotherHost(t *testing.T) {
	t.Parallel()
	elsewhere := serve(t, redirecting(302, "/end"))
	config := func(status int) httptool.Config {
		return httptool.Config{URL: serve(t, redirecting(status, elsewhere+"/end?token=of-the-server")), Headers: ownHeaders}
	}

	t.Run("are refused", func(t *testing.T) {
		t.Parallel()
		text := fails(t, newTool(t, config(302)), nil)
		require.Equal(t, "Error: the server redirects to a place that is not allowed: "+elsewhere+" is not granted", text)
	})
	t.Run("are followed where they are allowed, without the operator's headers", func(t *testing.T) {
		t.Parallel()
		c := config(307)
		c.Allow = []string{elsewhere}
		c.Method, c.Body = "POST", "the body"
		text := succeeds(t, newTool(t, c), nil)
		require.Equal(t, "POST /end?token=of-the-server", firstLine(text))
		require.Contains(t, text, "Accept-Language: nb")
		require.Contains(t, text, "Content-Type: application/json")
		require.Contains(t, text, `"the body"`)
		for _, header := range []string{"Authorization", "Cookie", "X-Custom"} {
			require.NotContains(t, text, header)
		}
	})
	t.Run("and do not take a secret in the body along", func(t *testing.T) {
		t.Parallel()
		c := config(308)
		c.Allow, c.Secrets = []string{elsewhere}, []string{"of-the-operator"}
		c.Method, c.Body = "POST", map[string]any{"key": "of-the-operator"}
		require.Contains(t, fails(t, newTool(t, c), nil), "to another host, and the body of the request has a secret in it")
	})
	t.Run("and do not bring the headers back", func(t *testing.T) {
		t.Parallel()
		var home atomic.Pointer[string]
		away := serve(t, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, *home.Load()+"/end", http.StatusFound)
		})
		base := serve(t, redirecting(302, away))
		home.Store(&base)
		text := succeeds(t, newTool(t, httptool.Config{URL: base, Headers: ownHeaders, Allow: []string{away}}), nil)
		require.NotContains(t, text, "Authorization")
	})
}

func TestRedirectsThatLeadNowhere(t *testing.T) {
	t.Parallel()
	for to, says := range map[string]string{
		"/again":                        "the server redirects more than 5 times",
		"ftp://127.0.0.1/":              "is not allowed",
		"file:///etc/passwd":            "not a URL, or has a user in it",
		"http://user:pw@127.0.0.1/":     "not a URL, or has a user in it",
		"http://[::1":                   "not a URL, or has a user in it",
		"mailto:x":                      "not a URL, or has a user in it",
		"http://169.254.169.254/latest": "http://169.254.169.254 is not granted",
		"http://localhost/":             "http://localhost is not granted",
		"http://metadata.internal/":     "the host is not granted",
		`http:\\evil.example/`:          "not a URL, or has a user in it",
	} {
		made := newTool(t, httptool.Config{URL: serve(t, redirecting(302, to))})
		require.Contains(t, fails(t, made, nil), says, to)
	}
	for _, status := range []int{300, 304, 305} {
		text := fails(t, newTool(t, httptool.Config{URL: serve(t, redirecting(status, "/end"))}), nil)
		require.Contains(t, text, "Error: HTTP 30", "no redirect")
	}
	text := fails(t, newTool(t, httptool.Config{URL: serve(t, redirecting(302, ""))}), nil)
	require.Contains(t, text, "Error: HTTP 302 Found")
}
