package httptool_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/tool/httptool"
)

// open are parameters of any type, none of them required but those that are listed.
func open(required string, names ...string) string {
	properties := make([]string, len(names))
	for i, name := range names {
		properties[i] = `"` + name + `":{}`
	}
	return `{"type":"object","properties":{` + strings.Join(properties, ",") + `},"required":[` + required + `]}`
}

func TestArgumentsInTheURL(t *testing.T) {
	t.Parallel()
	base := serve(t, echo)
	for _, test := range []struct {
		name, url  string
		query      map[string]string
		parameters string
		args       map[string]any
		want       string
	}{
		{"in the path", "/v1/{city}/now", nil, "", map[string]any{"city": "Oslo"}, "GET /v1/Oslo/now"},
		{"escaped there", "/v1/{city}", nil, "", map[string]any{"city": "São Paulo?a=b&c#d;e%"}, "GET /v1/S%C3%A3o%20Paulo%3Fa%3Db%26c%23d%3Be%25"},
		{"with a text around it", "/v1/{lat},{lon}.json", nil, "", map[string]any{"lat": "59.9", "lon": "10"}, "GET /v1/59.9,10.json"},
		{"beside what the operator escaped", "/p/group%2F{name}", nil, "", map[string]any{"name": "web"}, "GET /p/group%2Fweb"},
		{"a dot in a name", "/f/{name}", nil, "", map[string]any{"name": "..a..b"}, "GET /f/..a..b"},
		{"in the query of the URL", "/?q={q}&fixed=1%2B1&bare", nil, "", map[string]any{"q": "a b&c=d+e"}, "GET /?q=a%20b%26c%3Dd%2Be&fixed=1%2B1&bare"},
		{"without a path", "", map[string]string{"q": "{q}"}, "", map[string]any{"q": "\r\nX: y\x00"}, "GET /?q=%0D%0AX%3A%20y%00"},
		{"in the query beside it", "/?a=1", map[string]string{"z": "x {q}", "b": "{{}}"}, "", map[string]any{"q": "y"}, "GET /?a=1&b=%7B%7D&z=x%20y"},
		{
			"left out where it is not given", "/?a={a}&b={b}",
			map[string]string{"c": "-{c}-", "d": "{d}"},
			open("", "a", "b", "c", "d"),
			map[string]any{"b": 1, "d": nil},
			"GET /?b=1",
		},
		{
			"of other types", "/{n}/{f}/{w}/{b}",
			map[string]string{"l": "{l}", "o": "{o}", "t": "{l}!"},
			open(`"n","f","w","b"`, "n", "f", "w", "b", "l", "o"),
			map[string]any{"n": -3, "f": 1.5, "w": 2.0, "b": true, "l": []any{"a&", 2}, "o": map[string]any{"k": 1}},
			"GET /-3/1.5/2/true?l=a%26&l=2&o=%7B%22k%22%3A1%7D&t=%5B%22a%26%22%2C2%5D%21",
		},
		{
			"a default", "/{city}", nil, `{"type":"object","properties":{"city":{"type":"string","default":"Oslo"}}}`, nil, "GET /Oslo",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := httptool.Config{URL: base + test.url, Query: test.query}
			if test.parameters != "" {
				c.Parameters = raw(t, test.parameters)
			}
			require.Equal(t, test.want, firstLine(succeeds(t, newTool(t, c), test.args)))
		})
	}
}

func TestAnArgumentDoesNotLeaveItsPartOfThePath(t *testing.T) {
	t.Parallel()
	base := serve(t, unreachable(t))
	const (
		slashes = "slashes"
		escaped = "escaped slashes"
		dots    = "empty or made of dots"
	)
	for url, args := range map[string]map[string]string{
		"/v1/{a}/now": {
			"": dots, ".": dots, "..": dots, "..;x": dots, ".;": dots, "%2e%2E": dots, "%252e.": dots, "../admin": slashes, "a/b": slashes, `a\b`: slashes,
			"a\x00": slashes, "a\r\nHost: evil": slashes, "a\x7f": slashes, "%2f": escaped, "a%2Fb": escaped, "a%5cb": escaped, "%25252f": escaped,
			"%2f%zz": escaped, "a%00": escaped, "a%0d%0a": escaped, strings.Repeat("a", 3000): "too long", strings.Repeat("%25", 600) + "2f": escaped,
		},
		"/v1/.{a}":          {".": dots, "": dots, "%2e": dots},
		"/v1/%2e{a}":        {".": dots},
		"/v1/group%2F{a}":   {"..": dots, "x/y": slashes},
		"/v1/%2{a}":         {"x": ""},
		"/v1/group%2F{a};x": {"..": dots},
	} {
		if url == "/v1/%2{a}" {
			_, err := httptool.New(httptool.Config{Name: "x", URL: base + url})
			require.ErrorContains(t, err, "url: the URL cannot be read")
			continue
		}
		made := newTool(t, httptool.Config{URL: base + url})
		for arg, says := range args {
			text := fails(t, made, map[string]any{"a": arg})
			require.Contains(t, text, says, "%s %q", url, arg)
			require.Contains(t, text, `the argument "a"`)
		}
	}
	two := newTool(t, httptool.Config{URL: base + "/{a}{b}"})
	for _, pair := range [][2]string{{".", "."}, {"%2", "e."}, {"%2", "f"}, {"", ""}} {
		fails(t, two, map[string]any{"a": pair[0], "b": pair[1]})
	}
}

func TestWhatTheURLNeedsIsNotNull(t *testing.T) {
	t.Parallel()
	made := newTool(t, httptool.Config{
		URL: "https://{host}/{city}", Allow: []string{"example.com"}, Parameters: raw(t, open(`"host","city"`, "host", "city")),
	})
	for name, args := range map[string]map[string]any{"host": {"host": nil, "city": "a"}, "city": {"host": "example.com", "city": nil}} {
		require.Equal(t, `Error: the argument "`+name+`" is missing`, fails(t, made, args))
	}
}

func TestArgumentsInHeaders(t *testing.T) {
	t.Parallel()
	made := newTool(t, httptool.Config{
		URL: serve(t, echo), Headers: map[string]string{"X-Who": "user {who}", "X-Not": "{not}", "Accept": "text/csv"},
		Parameters: raw(t, open("", "who", "not")),
	})
	text := succeeds(t, made, map[string]any{"who": "Ola æ"})
	require.Contains(t, text, "X-Who: user Ola æ\r\n")
	require.NotContains(t, text, "X-Not")
	require.Contains(t, text, "Accept: text/csv\r\n")
	require.NotContains(t, text, "Idempotency-Key", "there is none outside of a run")
	for _, value := range []string{"a\r\nX-Evil: 1", "a\nb", "a\rb", "a\x00", "\x7f", "\t"} {
		require.Contains(t, fails(t, made, map[string]any{"who": value}), `the argument "who" must not contain line breaks`)
	}
}

func TestBody(t *testing.T) {
	t.Parallel()
	base := serve(t, echo)
	body := map[string]any{
		"city": "{city}", "n": "{n}", "text": "to {city} in {n}", "fixed": map[string]any{"a": []any{1, 2.5, true, nil, "x"}, "empty": map[string]any{}},
		"list": []any{"{n}", "{missing}", "{{as it is}}"}, "gone": "{missing}", "gone too": "x{missing}", "null": "{null}", "{{k}}": 1,
	}
	made := newTool(t, httptool.Config{
		Method: "POST", URL: base + "/v1", Body: body, Parameters: raw(t, open(`"city"`, "city", "n", "missing", "null")),
	})
	text := succeeds(t, made, map[string]any{"city": "Os\"lo\n{n}", "n": 3, "null": nil})
	head, sent, _ := strings.Cut(text, "Agent: agenthost\r\n")
	require.Contains(t, head, "POST /v1\n")
	require.Contains(t, head, "Content-Type: application/json\r\n")
	require.Equal(t, `{"city":"Os\"lo\n{n}","fixed":{"a":[1,2.5,true,null,"x"],"empty":{}},"list":[3,"{as it is}"],`+
		`"n":3,"null":null,"text":"to Os\"lo\n{n} in 3","{k}":1}`, sent)

	for name, test := range map[string]struct {
		body any
		args map[string]any
		want string
	}{
		"all of it is an argument":    {"{x}", map[string]any{"x": map[string]any{"a": []any{1.0, "b"}}}, `{"a":[1.0,"b"]}`},
		"a text":                      {"{x}!", map[string]any{"x": "y"}, `"y!"`},
		"a whole number":              {[]any{"{x}"}, map[string]any{"x": 2.0}, `[2]`},
		"nothing is given":            {"{x}", nil, ``},
		"a struct":                    {struct{ A string }{"{x}"}, map[string]any{"x": false}, `{"A":false}`},
		"nothing is left of the list": {[]any{"{x}"}, nil, `[]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			made := newTool(t, httptool.Config{Method: "PUT", URL: base, Body: test.body, Parameters: raw(t, open("", "x"))})
			_, sent, _ := strings.Cut(succeeds(t, made, test.args), "Agent: agenthost\r\n")
			require.Equal(t, test.want, sent)
		})
	}
}

func TestParametersFollowFromThePlaces(t *testing.T) {
	t.Parallel()
	made := newTool(t, httptool.Config{
		Name: "send", Description: "Sends.", Method: "POST", URL: "https://example.com/{a}?b={b}", Query: map[string]string{"c": "{a}{c}"},
		Headers: map[string]string{"D": "{d}"}, Body: map[string]any{"e": []any{"{e}", "{a}"}}, ReturnDirect: true,
	})
	spec := made.Spec()
	require.Equal(t, "send", spec.Name)
	require.Equal(t, "Sends.", spec.Description)
	require.True(t, spec.ReturnDirect)
	require.JSONEq(t, `{"type":"object","additionalProperties":false,"required":["a","b","c","d","e"],"properties":{
		"a":{"type":"string"},"b":{"type":"string"},"c":{"type":"string"},"d":{"type":"string"},"e":{"type":"string"}}}`, spec.Parameters.JSON())
	require.JSONEq(t, `{"type":"object","additionalProperties":false,"properties":{}}`,
		newTool(t, httptool.Config{URL: "https://example.com"}).Spec().Parameters.JSON())
}

func TestIdempotent(t *testing.T) {
	t.Parallel()
	for method, want := range map[string]bool{"": true, "GET": true, "HEAD": true, "POST": false, "PUT": false, "DELETE": false} {
		require.Equal(t, want, newTool(t, httptool.Config{Method: method, URL: "https://example.com"}).Spec().Idempotent, method)
		for _, said := range []bool{true, false} {
			require.Equal(t, said, newTool(t, httptool.Config{Method: method, URL: "https://example.com", Idempotent: &said}).Spec().Idempotent, method)
		}
	}
}
