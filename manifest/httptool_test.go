package manifest_test

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/manifest"
)

// service is an HTTP server that answers with what it was sent.
func service(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"line":%q,"key":%q,"body":%q}`, r.Method+" "+r.RequestURI, r.Header.Get("Authorization"), body)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// asking is a manifest whose model calls the tool x once with these arguments. In the tool's lines, BASE is an address.
func asking(t *testing.T, args, lines, base string, env map[string]string) (*manifest.Manifest, error) {
	t.Helper()
	text := head + "model: {provider: scripted, turns: [{tool_calls: [{name: x, args: " + args + "}]}, {content: done}]}\n" +
		"tools:\n  - http:\n" + lines
	path := setup(t, text, nil)
	env["BASE"] = base
	return manifest.Load(path, manifest.Options{LookupEnv: func(name string) (string, bool) { value, ok := env[name]; return value, ok }})
}

// told is what the model is told by the tool.
func told(t *testing.T, args, lines, base string, env map[string]string) (answer abi.Message, spec abi.ToolSpec) {
	t.Helper()
	m, err := asking(t, args, lines, base, env)
	require.NoError(t, err)
	agent, err := m.Build(t.Context(), slog.New(slog.DiscardHandler), func(c *host.Config) { spec = c.Tools[0].Spec() })
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, agent.Close()) })
	return ask(t, agent).Messages.At(2), spec
}

func TestHTTPTool(t *testing.T) {
	t.Parallel()
	answer, spec := told(t, `{city: Oslo, n: 3}`, `
      name: x
      description: Tells the weather.
      method: POST
      url: "${BASE}/v1/{city}?k=${KEY}"
      headers: {Authorization: "Bearer ${KEY}", X-Fixed: a}
      query: {n: "{n}", gone: "{gone}", two: 2, yes: true, half: 0.5}
      body: {city: "{city}", n: "{n}", list: ["${KEY}", "{gone}", 1, null]}
      parameters:
        type: object
        properties: {city: {type: string}, n: {type: integer}, gone: {type: string}}
        required: [city]
      max_result: 1KiB
      max_response: 1MiB
      timeout: 10s
      idempotent: true
      return_direct: true
      extras: {defer_loading: true}
      allow: [api.example.com]
      private: [10.0.0.0/8]
`, service(t), map[string]string{"KEY": "se{cr}et+1"})
	require.JSONEq(t, `{"line":"POST /v1/Oslo?k=***&half=0.5&n=3&two=2&yes=true","key":"Bearer ***","body":"{\"city\":\"Oslo\",\"list\":[\"***\",1,null],\"n\":3}"}`,
		answer.Content.Text())
	require.True(t, spec.Idempotent)
	require.True(t, spec.ReturnDirect)
	require.JSONEq(t, `{"defer_loading":true}`, spec.Extras.Raw().JSON())
	require.Equal(t, "Tells the weather.", spec.Description)
	require.JSONEq(t, `{"type":"object","properties":{"city":{"type":"string"},"n":{"type":"integer"},"gone":{"type":"string"}},"required":["city"]}`,
		spec.Parameters.JSON())
}

func TestHTTPToolIsSmall(t *testing.T) {
	t.Parallel()
	answer, spec := told(t, `{city: a b}`, `
      name: x
      url: "${BASE}/{city}"
      result: /line
`, service(t), map[string]string{})
	require.Equal(t, "GET /a%20b", answer.Content.Text())
	require.True(t, spec.Idempotent)
	require.JSONEq(t, `{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}`, spec.Parameters.JSON())
}

// What is wrong is shown where it stands, without what a variable expands to.
func TestHTTPToolsThatAreRefused(t *testing.T) {
	t.Parallel()
	for lines, says := range map[string]string{
		"name: x":                             `the key "url" is missing`,
		"url: https://example.com":            `the key "name" is missing`,
		"{name: x, url: ftp://example.com}":   "agenthost.yaml:5:22: tools[0].http.url: the URL must be absolute",
		"{name: a b, url: https://x.example}": "tools[0].http.name: the name must have 1 to 64 letters",
		"{name: x, url: 'https://x.example/{${KEY}', headers: {A: b}}":                 "tools[0].http.url: a brace does not belong to",
		"{name: x, url: https://x.example, headers: {Host: b}}":                        "tools[0].http.headers: the header host is reserved for the host",
		"{name: x, url: https://x.example, headers: {X: \"a\\n${KEY}\"}}":              "tools[0].http.headers: the header x: its value has control characters",
		"{name: x, url: https://x.example, query: {a: [1]}}":                           "tools[0].http.query.a: must be a text, a number or a boolean",
		"{name: x, url: https://x.example, private: ['10']}":                           "10.0.0.0/8",
		"{name: x, url: https://x.example, private: [10.0.0.1/8]}":                     "tools[0].http.private: private network",
		"{name: x, url: https://x.example, timeout: 2h}":                               "timeout",
		"{name: x, url: https://x.example, max_result: 0B}":                            "max_result",
		"{name: x, url: https://x.example, reslt: /a}":                                 `did you mean "result"?`,
		"{name: x, url: https://x.example, result: a}":                                 "tools[0].http.result: a JSON pointer must begin with a slash",
		"{name: x, url: https://x.example, body: {a: 1}}":                              "tools[0].http: a GET request has no body; set another method",
		"{name: x, url: https://x.example, parameters: {type: object, properties: 1}}": "tools[0].http.parameters",
		"{name: x, url: 'https://{h}/'}":                                               "list the possible hosts in allow",
	} {
		m, err := asking(t, "{}", "      "+lines+"\n", "http://x", map[string]string{"KEY": "s3cret-key"})
		if err == nil {
			_, err = m.Build(t.Context(), slog.New(slog.DiscardHandler), nil)
		}
		require.ErrorContains(t, err, says, lines)
		require.ErrorContains(t, err, "agenthost.yaml:", lines)
		require.NotContains(t, err.Error(), "s3cret")
	}
}

// The documentation shows a tool; here it calls a service of the test's.
func TestTheDocumentedHTTPTool(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/tools.md")
	require.NoError(t, err)
	_, section, found := strings.Cut(string(text), "\n## HTTP\n")
	require.True(t, found)
	_, block, _ := strings.Cut(section, "```yaml\n")
	block, _, _ = strings.Cut(block, "```")
	require.Contains(t, block, "https://api.example.com")

	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"current":{"asked":%q}}`, r.RequestURI+" "+r.Header.Get("Authorization"))
	}))
	t.Cleanup(s.Close)
	path := setup(t, strings.ReplaceAll(block, "https://api.example.com", s.URL), nil)
	agent := build(t, path, manifest.Options{LookupEnv: func(name string) (string, bool) { return "the-key", name == "WEATHER_KEY" }})
	answer := ask(t, agent).Messages.At(2)
	require.Equal(t, `{"asked":"/v1/Oslo?days=3 Bearer ***"}`, answer.Content.Text())
}
