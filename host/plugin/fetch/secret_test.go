package fetch_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/plugin/fetch"
)

// password is a secret with every kind of letter.
const password = `hunter2 "+/=?&ü`

// withSecret grants a secret to all hosts of a policy.
func withSecret(p fetch.Policy) fetch.Policy {
	p.Secrets = map[string]fetch.Secret{"KEY": {Value: password, Hosts: p.Hosts}}
	return p
}

func header(value string) []abi.Header { return []abi.Header{{Name: "authorization", Value: value}} }

func TestSecretsAreFilledIn(t *testing.T) {
	t.Parallel()
	var got string
	s := newServer(t, func(_ http.ResponseWriter, r *http.Request) { got = r.Header.Get("Authorization") })
	c := newClient(t, withSecret(to(s)), fetch.Options{})
	for _, tc := range []struct{ value, sent string }{
		{"${secret:KEY}", password},
		{"Bearer ${secret:KEY}", "Bearer " + password},
		{"a${secret:KEY}b${secret:KEY}c", "a" + password + "b" + password + "c"},
		{"${KEY} $secret:KEY ${secret} {secret:KEY}", "${KEY} $secret:KEY ${secret} {secret:KEY}"},
	} {
		succeeds(t, c, &abi.FetchRequest{URL: s.URL, Headers: header(tc.value)})
		require.Equal(t, tc.sent, got)
	}
}

func TestSecretsAreForHeadersOnly(t *testing.T) {
	t.Parallel()
	s := newServer(t, echo)
	c := newClient(t, withSecret(to(s)), fetch.Options{})
	response := succeeds(t, c, &abi.FetchRequest{Method: "POST", URL: s.URL, Body: []byte("${secret:KEY}")})
	require.True(t, strings.HasSuffix(string(response.Body), "${secret:KEY}"))
	require.Equal(t, fetch.KindInvalid, fails(t, c, get(s.URL+"/?key=${secret:KEY}")).Kind)
}

func TestSecretsThatAreRefused(t *testing.T) {
	t.Parallel()
	s, other := newServer(t, unreachable(t)), newServer(t, unreachable(t))
	p := to(s, other)
	p.Secrets = map[string]fetch.Secret{"KEY": {Value: password, Hosts: p.Hosts[:1]}}
	c := newClient(t, p, fetch.Options{})
	for _, tc := range []struct {
		url, value string
		kind       fetch.Kind
	}{
		{s.URL, "${secret:OTHER}", fetch.KindDenied},
		{s.URL, "${secret:key}", fetch.KindDenied},
		{other.URL, "Bearer ${secret:KEY}", fetch.KindDenied},
		{s.URL, "${secret:}", fetch.KindInvalid},
		{s.URL, "${secret:KEY", fetch.KindInvalid},
		{s.URL, "${secret:K Y}", fetch.KindInvalid},
		{s.URL, "${secret:${secret:KEY}}", fetch.KindInvalid},
		{s.URL, strings.Repeat("${secret:KEY}", 5000), fetch.KindLimit},
	} {
		failure := fails(t, c, &abi.FetchRequest{URL: tc.url, Headers: header(tc.value)})
		require.Equal(t, tc.kind, failure.Kind, tc.value)
		require.NotContains(t, failure.Error(), "hunter2")
	}
	require.Equal(t, "the secret OTHER is not granted for "+s.URL, fails(t, c, &abi.FetchRequest{URL: s.URL, Headers: header("${secret:OTHER}")}).Text)
}

func TestASecretIsGrantedForASchemeAndAPort(t *testing.T) {
	t.Parallel()
	s := newServer(t, unreachable(t))
	c := newClient(t, fetch.Policy{
		Hosts: []string{"http://api.example.com", "api.example.com", "api.example.com:8443", "*.example.com"}, Private: loopback,
		Secrets: map[string]fetch.Secret{"KEY": {Value: password, Hosts: []string{"api.example.com", "a.b.example.com", "*.c.example.com"}}},
	}, rawHost(nil))
	for url, kind := range map[string]fetch.Kind{
		"http://api.example.com/":       fetch.KindDenied,
		"https://api.example.com:8443/": fetch.KindDenied,
		"https://b.example.com/":        fetch.KindDenied,
		"https://c.example.com/":        fetch.KindDenied,
		s.URL:                           fetch.KindDenied,
	} {
		require.Equal(t, kind, fails(t, c, &abi.FetchRequest{URL: url, Headers: header("${secret:KEY}")}).Kind, url)
	}
}

func TestASecretMayGoOverPlainHTTPWhereThatIsWritten(t *testing.T) {
	t.Parallel()
	c := newClient(t, withSecret(fetch.Policy{Hosts: []string{"http://raw.example"}}), rawHost(func(conn net.Conn) {
		_, _ = io.WriteString(conn, "HTTP/1.1 204 No Content\r\n\r\n")
	}))
	succeeds(t, c, &abi.FetchRequest{URL: "http://raw.example", Headers: header("${secret:KEY}")})
}

func TestASecretIsJudgedForEachRedirect(t *testing.T) {
	t.Parallel()
	var got []string
	note := func(r *http.Request) { got = append(got, r.Header.Get("Authorization")) }
	granted := newServer(t, func(_ http.ResponseWriter, r *http.Request) { note(r) })
	other := newServer(t, unreachable(t))
	s := newServer(t, func(w http.ResponseWriter, r *http.Request) {
		note(r)
		if r.URL.Path == "/other" {
			http.Redirect(w, r, other.URL, http.StatusFound)
			return
		}
		http.Redirect(w, r, granted.URL, http.StatusFound)
	})
	p := to(s, granted, other)
	p.Secrets = map[string]fetch.Secret{"KEY": {Value: password, Hosts: p.Hosts[:2]}}
	c := newClient(t, p, fetch.Options{})

	succeeds(t, c, &abi.FetchRequest{URL: s.URL, Headers: header("${secret:KEY}")})
	require.Equal(t, []string{password, password}, got)
	failure := fails(t, c, &abi.FetchRequest{URL: s.URL + "/other", Headers: header("${secret:KEY}")})
	require.Equal(t, &fetch.Error{Kind: fetch.KindDenied, Text: "the secret KEY is not granted for " + other.URL, Sent: true}, failure)
}

func TestSecretsAreHiddenInResponses(t *testing.T) {
	t.Parallel()
	quoted, err := json.Marshal(password)
	require.NoError(t, err)
	for name, form := range map[string]string{
		"as it is":          password,
		"JSON of Go":        string(quoted[1 : len(quoted)-1]),
		"JSON of others":    `hunter2 \"+/=?&ü`,
		"a query":           url.QueryEscape(password),
		"a path":            url.PathEscape(password),
		"hex":               hex.EncodeToString([]byte(password)),
		"upper hex":         strings.ToUpper(hex.EncodeToString([]byte(password))),
		"base64":            base64.StdEncoding.EncodeToString([]byte(password)),
		"base64 unpadded":   base64.RawStdEncoding.EncodeToString([]byte(password)),
		"base64 for URLs":   base64.URLEncoding.EncodeToString([]byte(password)),
		"base64 behind one": base64.StdEncoding.EncodeToString([]byte("u" + password)),
		"base64 of a user":  base64.StdEncoding.EncodeToString([]byte("me:" + password + "\nx")),
		"base64 behind two": base64.RawURLEncoding.EncodeToString([]byte("u:" + password + "more")),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/from" {
					w.Header().Set("Location", "/to?"+url.QueryEscape(form))
					w.WriteHeader(http.StatusFound)
					return
				}
				w.Header().Set("X-Echo", "a "+form+" b")
				_, _ = io.WriteString(w, "a "+form+" b "+form)
			})
			response := succeeds(t, newClient(t, withSecret(to(s)), fetch.Options{}), get(s.URL+"/from"))
			for _, text := range []string{string(response.Body), response.Header("x-echo")} {
				require.Contains(t, text, "***")
				for at := range len(form) - 12 { // a part that would reveal much
					require.NotContains(t, text, form[at:at+12])
				}
			}
			if name == "as it is" {
				require.Equal(t, s.URL+"/to?***", response.URL)
			}
		})
	}
}

func TestAResponseWithoutSecretsStaysAsItIs(t *testing.T) {
	t.Parallel()
	body := strings.Repeat("\xff\x00binary", 1000)
	s := newServer(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) })
	for _, p := range []fetch.Policy{to(s), withSecret(to(s))} {
		require.Equal(t, body, string(succeeds(t, newClient(t, p, fetch.Options{}), get(s.URL)).Body))
	}
}

func TestAPolicyCanBePrinted(t *testing.T) {
	t.Parallel()
	p := withSecret(fetch.Policy{Hosts: []string{"api.example.com"}})
	var log strings.Builder
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "policy", p)
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "policy", p)
	asJSON, err := json.Marshal(p.Secrets)
	require.NoError(t, err)
	for _, text := range []string{fmt.Sprint(p), fmt.Sprintf("%+v %#v", p, p), string(asJSON), log.String()} {
		require.NotContains(t, text, "hunter2")
		require.Contains(t, text, "***")
	}
}
