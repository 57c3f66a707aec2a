package anthropic_test

import (
	"encoding/base64"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/anthropic"
)

// The conversation of the recorded requests.
const (
	oracleSystem = "You are a terse weather assistant. Ünïcode <&> \"quotes\"."
	oracleUser   = "What is the weather in Zürich? See the picture."
	oraclePNG    = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	oracleSchema = `{"type":"object","properties":{"city":{"type":"string","description":"City name"},` +
		`"unit":{"type":"string","enum":["c","f"]}},"required":["city"],"additionalProperties":false}`
	oracleFormat = `{"type":"object","properties":{"name":{"type":"string"},"age":{"type":"integer"}},` +
		`"required":["name","age"],"additionalProperties":false}`
	markList = `{"tools":[{"name":"list_all","cache_control":{"type":"ephemeral"}}]}`
)

func image(t testing.TB) abi.Block {
	t.Helper()
	png, err := base64.StdEncoding.DecodeString(oraclePNG)
	require.NoError(t, err)
	return abi.ImageBlock("image/png", png)
}

func tools(t testing.TB) []abi.ToolSpec {
	t.Helper()
	return []abi.ToolSpec{
		{Name: "get_weather", Description: "Look up the current weather", Parameters: fromJSON(t, oracleSchema)},
		{Name: "list_all", Description: "List all cities"},
	}
}

// oracleHistory is the conversation with pictures, two calls and a failure.
func oracleHistory(t testing.TB) history.List {
	t.Helper()
	weather := abi.Call("toolu_A", "get_weather", map[string]any{"city": "Zürich", "unit": "c"})
	list := abi.Call("toolu_B", "list_all", nil)
	failed := abi.ToolFailure(list, "")
	failed.Content = abi.Blocks(abi.TextBlock("failed"), image(t))
	return history.Of(
		abi.Message{Role: abi.RoleHuman, Content: abi.Blocks(abi.TextBlock(oracleUser), image(t))},
		abi.AI("Let me look.", weather, list), abi.ToolResult(weather, "21 °C, sunny"), failed,
		abi.AI("It is 21 °C."), abi.Human("Now answer as JSON."),
	)
}

// thoughtHistory is the conversation with thoughts.
func thoughtHistory() history.List {
	weather := abi.Call("toolu_A", "get_weather", map[string]any{"city": "Zürich", "unit": "c"})
	thought := abi.AI("", weather)
	thought.Content = abi.Blocks(abi.ReasoningBlock("I need the tool.", "c2ln"), abi.BlockOf(wire.Map{
		{Key: "reasoning", Value: wire.String("")}, {Key: "redacted", Value: wire.String("UkVE")}, {Key: "type", Value: wire.String("reasoning")},
	}))
	return history.Of(abi.Human(oracleUser), thought, abi.ToolResult(weather, "21 °C, sunny"))
}

// lists turns texts that stand for a list of one text block into that, as the API does, and moves what the API refuses in the
// answer of a call that failed behind it: the recorded requests went to a server that refuses nothing.
func lists(t testing.TB, body map[string]any) {
	t.Helper()
	list := func(v any) any {
		if text, ok := v.(string); ok {
			return []any{map[string]any{"type": "text", "text": text}}
		}
		return v
	}
	if body["system"] != nil {
		body["system"] = list(body["system"])
	}
	for i := range of[[]any](t, body["messages"]) {
		m := at(t, body, i)
		content := of[[]any](t, list(m["content"]))
		var behind []any
		for _, b := range content {
			b := of[map[string]any](t, b)
			if b["type"] != "tool_result" {
				continue
			}
			inside := of[[]any](t, list(b["content"]))
			if b["is_error"] == true && len(inside) == 2 {
				inside, behind = inside[:1], inside[1:]
			}
			b["content"] = inside
		}
		m["content"] = append(content, behind...)
	}
}

func TestRequestsAreThoseOfTheSDK(t *testing.T) {
	t.Parallel()
	format := &model.Format{Name: "person", Schema: fromJSON(t, oracleFormat), Strict: true}
	marked := abi.Blocks(block(t, `{"type":"text","text":`+quote(oracleSystem)+`,"cache_control":{"type":"ephemeral","ttl":"1h"}}`))
	for _, test := range []struct {
		name     string
		req      *model.Request
		settings string
		stream   bool
	}{
		{"minimal", request(abi.Human("hi")), `{"max_tokens":256}`, false},
		{
			"full", &model.Request{System: abi.Text(oracleSystem), Messages: oracleHistory(t), Tools: tools(t), Format: format, ToolChoice: "auto"},
			`{"max_tokens":256,"stop_sequences":["END"],"metadata":{"user_id":"u1"},"temperature":0.2,"tool_choice":{"type":"any","disable_parallel_tool_use":true}}`, false,
		},
		{
			"full-stream", &model.Request{System: marked, Messages: oracleHistory(t), Tools: tools(t), Format: format, ToolChoice: "get_weather"},
			`{"max_tokens":256,"temperature":0.2}`, true,
		},
		{
			"create-stream-true", &model.Request{System: abi.Text(oracleSystem), Messages: oracleHistory(t), Tools: tools(t), ToolChoice: "any"},
			`{"max_tokens":256}`, true,
		},
		{"tool-none", &model.Request{Messages: oracleHistory(t), Tools: tools(t), ToolChoice: "none"}, `{"max_tokens":256}`, false},
		{
			"thinking", &model.Request{System: abi.Text(oracleSystem), Messages: thoughtHistory(), Tools: tools(t)},
			`{"max_tokens":4096,"thinking":{"type":"enabled","budget_tokens":1024}}`, false,
		},
		{
			"thinking-adaptive", &model.Request{Messages: thoughtHistory(), Tools: tools(t)},
			`{"max_tokens":4096,"thinking":{"type":"adaptive"},"output_config":{"effort":"low"}}`, false,
		},
		{
			"image-url", request(abi.Message{
				Role: abi.RoleHuman, Content: abi.Blocks(abi.ImageURLBlock("https://example.com/a.png"), abi.TextBlock(oracleUser)),
			}),
			`{"max_tokens":256}`, false,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var oracle []struct {
				Body   map[string]any `json:"body"`
				Method string         `json:"method"`
				Path   string         `json:"path"`
			}
			require.NoError(t, json.Unmarshal([]byte(file(t, "oracle", test.name+".json")), &oracle))
			lists(t, oracle[0].Body)

			reply := answers(plain)
			if test.stream {
				reply = streams(file(t, "answers", "text.sse"))
			}
			s := serve(t, reply)
			m := s.model(t)
			if len(test.req.Tools) > 0 {
				m.Settings = settings(t, markList)
			}
			req := test.req.WithSettings(settings(t, test.settings))
			if test.stream {
				_, err := stream(t, m, req)
				require.NoError(t, err)
			} else {
				_, err := m.Generate(t.Context(), req)
				require.NoError(t, err)
			}
			require.Equal(t, oracle[0].Body, s.last(t))
			require.Equal(t, oracle[0].Method, s.requests[0].method)
			require.Equal(t, oracle[0].Path, s.requests[0].path)
		})
	}
}

func quote(text string) string { return wire.String(text).JSON() }

// sent returns the body of a request.
func sent(t testing.TB, req *model.Request, change ...func(m *anthropic.Model)) map[string]any {
	t.Helper()
	s := serve(t, answers(plain))
	m := s.model(t)
	for _, change := range change {
		change(m)
	}
	_, err := m.Generate(t.Context(), req)
	require.NoError(t, err)
	return s.last(t)
}

func TestSettingsSetAnyField(t *testing.T) {
	t.Parallel()
	req := request(abi.Human("hi")).WithSettings(settings(t, `{"max_tokens":7,"top_p":0.5,"new.field|#":{"deep":[1,{"a":null}]},"thinking":null}`))
	body := sent(t, req, func(m *anthropic.Model) {
		m.Settings = settings(t, `{"max_tokens":5,"metadata":{"user_id":"u"},"top_p":1.0,"service_tier":"auto"}`)
	})
	require.Equal(t, value(t, `{
		"model":"claude-haiku-4-5","messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}],"max_tokens":7,"top_p":0.5,
		"metadata":{"user_id":"u"},"service_tier":"auto","new.field|#":{"deep":[1,{"a":null}]},"thinking":null}`), body)
}

func TestMaxTokens(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		model    string
		settings string
		want     float64 // 0: the request is refused
	}{
		"known model":                      {"claude-haiku-4-5", `{}`, 64_000},
		"known model, with a version":      {"claude-3-haiku-20240307", `{}`, 4_096},
		"unknown model":                    {"local-claude", `{}`, anthropic.DefaultMaxTokens},
		"given":                            {"claude-haiku-4-5", `{"max_tokens":100}`, 100},
		"thinking below the limit":         {"claude-haiku-4-5", `{"thinking":{"type":"enabled","budget_tokens":32000}}`, 64_000},
		"thinking beyond the limit":        {"claude-haiku-4-5", `{"thinking":{"type":"enabled","budget_tokens":64000}}`, 0},
		"thinking of an unknown model":     {"local-claude", `{"thinking":{"type":"enabled","budget_tokens":8000}}`, 8_000 + anthropic.DefaultMaxTokens},
		"thinking as large as max_tokens":  {"claude-haiku-4-5", `{"max_tokens":2000,"thinking":{"type":"enabled","budget_tokens":2000}}`, 0},
		"thinking smaller than max_tokens": {"claude-haiku-4-5", `{"max_tokens":2001,"thinking":{"type":"enabled","budget_tokens":2000}}`, 2001},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, answers(plain))
			m := s.model(t)
			m.Name, m.Settings = test.model, settings(t, test.settings)
			_, err := m.Generate(t.Context(), request(abi.Human("hi")))
			if test.want == 0 {
				var failed *model.Error
				require.ErrorAs(t, err, &failed)
				require.Equal(t, model.ErrorInvalidRequest, failed.Kind)
				require.ErrorContains(t, err, "lower budget_tokens, or raise max_tokens")
				return
			}
			require.NoError(t, err)
			require.InDelta(t, test.want, s.last(t)["max_tokens"], 0)
		})
	}
}

func TestSettingsThatAreNone(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]wire.Map{
		"messages":      settings(t, `{"messages":[]}`),
		"model":         settings(t, `{"model":"x"}`),
		"stream":        settings(t, `{"stream":true}`),
		"system":        settings(t, `{"system":"x"}`),
		"tools":         settings(t, `{"tools":"x"}`),
		"tools of text": settings(t, `{"tools":["x"]}`),
		"not a number":  {{Key: "top_p", Value: wire.Float(math.NaN())}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, answers(plain))
			_, err := s.model(t).Generate(t.Context(), request(abi.Human("hi")).WithSettings(set))
			require.Equal(t, model.ErrorInvalidRequest, failure(t, err).Kind)
			require.False(t, failure(t, err).Retryable)
			_, err = stream(t, s.model(t), request(abi.Human("hi")).WithSettings(set))
			require.Equal(t, model.ErrorInvalidRequest, failure(t, err).Kind)
			require.Empty(t, s.requests)
		})
	}
}

func TestValuesThatAreNone(t *testing.T) {
	t.Parallel()
	s := serve(t, answers(plain))
	broken := abi.BlockOf(wire.Map{{Key: "type", Value: wire.String("anthropic_x")}, {Key: "y", Value: wire.Raw{0xc1}}})
	_, err := s.model(t).Generate(t.Context(), request(blocks(abi.RoleHuman, broken)))
	require.Equal(t, model.ErrorInvalidRequest, failure(t, err).Kind)
	require.Empty(t, s.requests)
}

func TestTools(t *testing.T) {
	t.Parallel()
	specs := []abi.ToolSpec{
		{Name: "a", Parameters: fromJSON(t, `{"properties":{"x":{"type":"string"}}}`)},
		{Name: "b", Description: "B", Parameters: wire.String("no schema")},
	}
	plainTools := `[{"name":"a","input_schema":{"type":"object","properties":{"x":{"type":"string"}}}},
		{"name":"b","description":"B","input_schema":{"type":"object","properties":{}}}`
	for _, test := range []struct {
		name, of, request, choice, want, wantChoice string
		none                                        bool
	}{
		{name: "those of the agent", of: `{}`, request: `{}`, want: plainTools + `]`},
		{
			name: "with tools of the provider, of the model and of the request",
			of:   `{"tools":[{"type":"web_search_20250305","name":"web_search","max_uses":5},{"type":"web_fetch_20250910","name":"web_fetch"}]}`, request: `{"tools":[{"name":"web_fetch","max_uses":1},{"name":"b","cache_control":{"type":"ephemeral"},"strict":true},{"type":"mcp_toolset","mcp_server_name":"m"}]}`,
			want: strings.Replace(plainTools, `"description":"B"`, `"description":"B","cache_control":{"type":"ephemeral"},"strict":true`, 1) +
				`,{"type":"web_search_20250305","name":"web_search","max_uses":5},{"type":"web_fetch_20250910","name":"web_fetch","max_uses":1},{"type":"mcp_toolset","mcp_server_name":"m"}]`,
		},
		{name: "no choice", of: `{}`, request: `{"tools":null}`, want: plainTools + `]`},
		{name: "auto", of: `{}`, request: `{}`, choice: "auto", want: plainTools + `]`, wantChoice: `{"type":"auto"}`},
		{name: "any", of: `{}`, request: `{}`, choice: "any", want: plainTools + `]`, wantChoice: `{"type":"any"}`},
		{name: "none", of: `{"tool_choice":{"disable_parallel_tool_use":true}}`, request: `{}`, choice: "none", want: plainTools + `]`, wantChoice: `{"type":"none"}`},
		{name: "a tool", of: `{}`, request: `{}`, choice: "b", want: plainTools + `]`, wantChoice: `{"type":"tool","name":"b"}`},
		{
			name: "a tool, one call", of: `{"tool_choice":{"type":"any","name":"x","disable_parallel_tool_use":true}}`, request: `{}`, choice: "b",
			want: plainTools + `]`, wantChoice: `{"type":"tool","name":"b","disable_parallel_tool_use":true}`,
		},
		{
			name: "any, whatever the setting says", of: `{"tool_choice":{"type":"tool","name":"x"}}`, request: `{}`, choice: "any",
			want: plainTools + `]`, wantChoice: `{"type":"any"}`,
		},
		{
			name: "one call", of: `{}`, request: `{"tool_choice":{"disable_parallel_tool_use":true}}`,
			want: plainTools + `]`, wantChoice: `{"type":"auto","disable_parallel_tool_use":true}`,
		},
		{name: "a choice of the settings", of: `{}`, request: `{"tool_choice":{"type":"tool","name":"a"}}`, want: plainTools + `]`, wantChoice: `{"type":"tool","name":"a"}`},
		{
			name: "any, of a model that thinks", of: `{"thinking":{"type":"enabled","budget_tokens":1024}}`, request: `{}`, choice: "any",
			want: plainTools + `]`, wantChoice: `{"type":"auto"}`,
		},
		{
			name: "any, of a model that does not think", of: `{"thinking":{"type":"disabled"}}`, request: `{}`, choice: "any",
			want: plainTools + `]`, wantChoice: `{"type":"any"}`,
		},
		{name: "a choice that is unknown", of: `{}`, request: `{"tool_choice":"x"}`, want: plainTools + `]`, wantChoice: `"x"`},
		{name: "nothing to choose from", of: `{"tool_choice":{"disable_parallel_tool_use":true}}`, request: `{}`, choice: "any", none: true},
		{name: "the provider's tools alone", of: `{}`, request: `{"tools":[{"type":"bash_20250124","name":"bash"}]}`, none: true, choice: "bash", want: `[{"type":"bash_20250124","name":"bash"}]`, wantChoice: `{"type":"tool","name":"bash"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			req := request(abi.Human("hi")).WithSettings(settings(t, test.request)).WithToolChoice(test.choice)
			if !test.none {
				req = req.WithTools(specs)
			}
			body := sent(t, req, func(m *anthropic.Model) { m.Settings = settings(t, test.of) })
			for key, want := range map[string]string{"tools": test.want, "tool_choice": test.wantChoice} {
				if want == "" {
					require.NotContains(t, body, key)
				} else {
					require.Equal(t, value(t, want), body[key])
				}
			}
		})
	}
}

func TestFormat(t *testing.T) {
	t.Parallel()
	const loose = `{"type":"object","properties":{"age":{"type":"integer","minimum":0}},"required":["age"]}`
	for _, test := range []struct {
		name   string
		format model.Format
		config string
		want   string
	}{
		{
			"strict: as it is",
			model.Format{Schema: fromJSON(t, loose), Strict: true},
			`{}`,
			`{"format":{"type":"json_schema","schema":` + loose + `}}`,
		},
		{
			"not strict: as the API can enforce it",
			model.Format{Schema: fromJSON(t, loose), Description: "A person"},
			`{}`,
			`{"format":{"type":"json_schema","schema":{"type":"object","description":"A person","properties":{"age":{"type":"integer","description":"{minimum: 0}"}},
				"required":["age"],"additionalProperties":false}}}`,
		},
		{
			"a schema that is none",
			model.Format{Schema: wire.String("x"), Description: "D"},
			`{}`,
			`{"format":{"type":"json_schema","schema":null}}`,
		},
		{
			"with an effort",
			model.Format{Schema: fromJSON(t, loose), Strict: true},
			`{"output_config":{"effort":"low","format":{"type":"other"}}}`,
			`{"effort":"low","format":{"type":"json_schema","schema":` + loose + `}}`,
		},
		{
			"a description of its own",
			model.Format{Schema: fromJSON(t, `{"type":"object","description":"mine"}`), Strict: true, Description: "D"},
			`{}`,
			`{"format":{"type":"json_schema","schema":{"type":"object","description":"mine"}}}`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			body := sent(t, request(abi.Human("hi")).WithFormat(&test.format).WithSettings(settings(t, test.config)))
			require.Equal(t, value(t, test.want), body["output_config"])
		})
	}
	body := sent(t, request(abi.Human("hi")).WithSettings(settings(t, `{"output_config":{"effort":"max"}}`)))
	require.Equal(t, value(t, `{"effort":"max"}`), body["output_config"])
}

func TestSchemasThatCanBeEnforced(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, schema, want string }{
		{
			"as it is", oracleFormat, oracleFormat,
		},
		{
			"objects have no other keys",
			`{"type":"object","properties":{"a":{"type":"array","items":{"type":"object","properties":{"x":{"type":"string"}}}},"m":{"type":"object","additionalProperties":{"type":"object"}}},"additionalProperties":true}`,
			`{"type":"object","properties":{"a":{"type":"array","items":{"type":"object","properties":{"x":{"type":"string"}},"additionalProperties":false}},
				"m":{"type":"object","additionalProperties":{"type":"object","additionalProperties":false}}},"additionalProperties":false}`,
		},
		{
			"limits are told",
			`{"type":"object","properties":{"n":{"type":"integer","minimum":0,"multipleOf":2},"s":{"type":"string","description":"S","minLength":1,"format":"uri"},"f":{"type":"string","format":"color"},
				"l":{"type":"array","items":{"type":"string"},"minItems":1},"k":{"type":"array","items":{"type":"string"},"minItems":2}}}`,
			`{"type":"object","additionalProperties":false,"properties":{"n":{"type":"integer","description":"{minimum: 0, multipleOf: 2}"},"s":{"type":"string","format":"uri","description":"S\n\n{minLength: 1}"},
				"f":{"type":"string","description":"{format: \"color\"}"},"l":{"type":"array","items":{"type":"string"},"minItems":1},"k":{"type":"array","items":{"type":"string"},"description":"{minItems: 2}"}}}`,
		},
		{
			"one of several",
			`{"type":"object","properties":{"a":{"oneOf":[{"type":"string"},{"type":"object","properties":{}}]},"b":{"allOf":[{"type":"string","pattern":"x"}]}},"additionalProperties":false}`,
			`{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"object","properties":{},"additionalProperties":false}]},"b":{"allOf":[{"type":"string","pattern":"x"}]}},"additionalProperties":false}`,
		},
		{
			"lists of types", `{"type":["object","null"],"properties":{"a":{"type":["string","null"]},"b":true,"c":{"description":"any"}}}`,
			`{"type":["object","null"],"properties":{"a":{"type":["string","null"]},"b":true,"c":{"description":"any"}},"additionalProperties":false}`,
		},
		{
			"definitions", `{"$ref":"#/$defs/A","$schema":"x","description":"d","$defs":{"A":{"properties":{"x":{"$ref":"#/$defs/A","title":"t"}}}}}`,
			`{"$ref":"#/$defs/A","$defs":{"A":{"properties":{"x":{"$ref":"#/$defs/A"}},"additionalProperties":false}}}`,
		},
		{"what it says of itself", `{"$schema":"x","$id":"y","$comment":"z","type":"object"}`, `{"type":"object","additionalProperties":false}`},
		{"no schemas", `{"type":"object","properties":5,"anyOf":5,"items":[{}]}`, `{"type":"object","properties":5,"anyOf":5,"items":[{}],"additionalProperties":false}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			body := sent(t, request(abi.Human("hi")).WithFormat(&model.Format{Name: "f", Schema: fromJSON(t, test.schema)}))
			require.Equal(t, value(t, `{"format":{"type":"json_schema","schema":`+test.want+`}}`), body["output_config"])
		})
	}
}

func TestSystemPrompts(t *testing.T) {
	t.Parallel()
	req := request(abi.System("one"), abi.Human("hi"), abi.AI("yes"), abi.System(" "), abi.System("two"), abi.Human("go")).
		WithSystem(abi.Blocks(abi.TextBlock("zero"), block(t, `{"type":"text","text":"marked","cache_control":{"type":"ephemeral"}}`), named(image(t))))
	body := sent(t, req)
	require.Equal(t, value(t, `[{"type":"text","text":"zero"},{"type":"text","text":"marked","cache_control":{"type":"ephemeral"}},
		{"type":"text","text":"[image a]"},{"type":"text","text":"one"},{"type":"text","text":"two"}]`), body["system"])
	require.Len(t, body["messages"], 3)
	require.NotContains(t, sent(t, request(abi.Human("hi"))), "system")
}
