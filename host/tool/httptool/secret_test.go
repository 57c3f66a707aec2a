package httptool_test

import (
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/tool/httptool"
)

// TestSecretsDoNotComeBack lets a server answer with what it was sent, in forms in which servers do.
func TestSecretsDoNotComeBack(t *testing.T) {
	t.Parallel()
	const token, session, password, named = `tok/en+"1 2`, "0123456789", "hunter2-hunter2", `the "named" one`
	basic := base64.StdEncoding.EncodeToString([]byte("me:" + password))
	forms := func(value string) []string {
		return []string{
			value, url.QueryEscape(value), url.PathEscape(value), hex.EncodeToString([]byte(value)), strings.ToUpper(hex.EncodeToString([]byte(value))),
			base64.StdEncoding.EncodeToString([]byte(value)), base64.URLEncoding.EncodeToString([]byte("x" + value + "y")),
			base64.RawStdEncoding.EncodeToString([]byte("xy" + value)), strings.ReplaceAll(value, `"`, `\"`),
		}
	}
	for name, test := range map[string]struct {
		config httptool.Config
		secret string
	}{
		"a token":            {httptool.Config{Headers: map[string]string{"Authorization": "Bearer tok-en-12345"}}, "tok-en-12345"},
		"basic":              {httptool.Config{Headers: map[string]string{"authorization": "Basic " + basic}}, password},
		"basic, as it is":    {httptool.Config{Headers: map[string]string{"Authorization": "basic " + basic}}, basic},
		"a cookie":           {httptool.Config{Headers: map[string]string{"Cookie": "a=b; session=" + session}}, session},
		"a key":              {httptool.Config{Headers: map[string]string{"X-Api-Key": session}}, session},
		"one that was named": {httptool.Config{Query: map[string]string{"k": named}, Secrets: []string{named}}, named},
		"with odd letters":   {httptool.Config{Secrets: []string{token}}, token},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, form := range forms(test.secret) {
				for status, kind := range map[int]string{200: "text/plain", 403: "application/json", 201: "x/" + hex.EncodeToString([]byte(test.secret))} {
					c := test.config
					c.URL = serve(t, func(w http.ResponseWriter, _ *http.Request) {
						w.Header().Set("Content-Type", kind)
						w.WriteHeader(status)
						_, _ = w.Write([]byte("you sent " + form + ", Bearer"))
					})
					text := call(t, newTool(t, c), nil).Content.Text()
					require.Contains(t, text, "***")
					require.NotContains(t, text, test.secret)
					require.NotContains(t, text, form)
					if status == 200 {
						require.Contains(t, text, "Bearer", "is no secret")
					}
				}
			}
		})
	}
}

func TestASecretIsNotCutInTwo(t *testing.T) {
	t.Parallel()
	made := newTool(t, httptool.Config{URL: serve(t, answering("text/plain", "12345-s3cret-value")), Secrets: []string{"s3cret-value"}, MaxResult: 10})
	require.Equal(t, "12345-***", succeeds(t, made, nil))
	made = newTool(t, httptool.Config{URL: serve(t, answering("application/json", `{"a":"s3cret\u002dvalue","s3cret-value":1}`)), Secrets: []string{"s3cret-value"}, Result: "/a"})
	require.Equal(t, "***", succeeds(t, made, nil), "which JSON wrote in another way")
	made = newTool(t, httptool.Config{URL: serve(t, answering("application/json", `{"s3cret-value":1}`)), Secrets: []string{"s3cret-value"}, Result: "/a"})
	require.Equal(t, `Error: the response has nothing at "/a"; there are ***`, fails(t, made, nil))
}

func TestShortValuesAndPlacesAreNoSecrets(t *testing.T) {
	t.Parallel()
	made := newTool(t, httptool.Config{
		URL: serve(t, echo), Headers: map[string]string{"X-Token": "user-of-{name} abc"}, Secrets: []string{"GET"},
	})
	require.Contains(t, succeeds(t, made, map[string]any{"name": "ola-nordmann"}), "X-Token: user-of-ola-nordmann abc")
}

// TestErrorsShowNoSecret looks at what is said of requests that were not answered.
func TestErrorsShowNoSecret(t *testing.T) {
	t.Parallel()
	c := httptool.Config{
		Name: "x", URL: "http://127.0.0.1:1/s3cret-path?k=s3cret-query", Headers: map[string]string{"Authorization": "s3cret-header"},
		Query: map[string]string{"q": "s3cret-query"},
	}
	require.NotContains(t, fails(t, newTool(t, c), nil), "s3cret")
	for key, value := range map[string]string{"Authorization": "s3cret\n", "X": "s3cret{"} {
		c.Headers = map[string]string{key: value}
		_, err := httptool.New(c)
		require.Error(t, err)
		require.NotContains(t, err.Error(), "s3cret")
	}
	c.Headers, c.URL = nil, "https://s3cret:s3cret@example.com"
	_, err := httptool.New(c)
	require.Error(t, err)
	require.NotContains(t, err.Error(), "s3cret")
}
