package openai_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/openai"
)

// sent returns the body of the request that a model sends.
func sent(t *testing.T, m *openai.Model, req *model.Request, streaming bool) map[string]any {
	t.Helper()
	said := hello[m.API]
	if streaming {
		said = helloStream[m.API]
	}
	var text string
	if m.BaseURL == "" {
		m.BaseURL = oneServer
	}
	m.APIKey = "test-key"
	m.HTTPClient = client(func(got recorded) string {
		text = got.text
		return said
	})
	if m.Name == "" {
		m.Name = "gpt-5.2"
	}
	_, err := ask(t, m, req, streaming)
	require.NoError(t, err)
	body, ok := parsed(t, text).(map[string]any)
	require.True(t, ok)
	return body
}

func chatModel() *openai.Model { return &openai.Model{API: openai.ChatCompletions} }

// said makes a message.
func said(role abi.Role, blocks ...abi.Block) abi.Message {
	return abi.Message{Role: role, Content: abi.Blocks(blocks...)}
}

// by makes a message the answer of a provider.
func by(m abi.Message, provider string) abi.Message {
	m.Meta.Set("provider", wire.String(provider))
	return m
}

func TestChatMessages(t *testing.T) {
	t.Parallel()
	weather := abi.Call("call_1", "weather", map[string]any{"city": "Zürich"})
	bad := abi.AI("", weather)
	bad.InvalidToolCalls = []abi.InvalidToolCall{
		{ID: "call_2", Name: "time", Args: `{"tz": "U`},
		{ID: "call_3", Name: "time", Args: ` {"a":1,"a":2}`},
		{ID: "call_4", Name: "time", Args: "[]"},
		{ID: "call_5", Name: "time", Args: "nobody has answered this"},
	}
	result := func(id, text string) abi.Message {
		return abi.Message{Role: abi.RoleTool, ToolCallID: id, Name: "weather", Content: abi.Text(text)}
	}
	odd := blockOf(t, `{"type":"chart","x":1}`)
	for name, test := range map[string]struct {
		messages []abi.Message
		want     string
	}{
		"nothing":                {nil, `[{"role":"user","content":""}]`},
		"the model speaks first": {[]abi.Message{abi.AI("Hello."), hi}, `[{"role":"assistant","content":"Hello."},{"role":"user","content":"hi"}]`},
		"people with names": {
			[]abi.Message{{Role: abi.RoleHuman, Name: "Jürg", Content: abi.Text("a")}, {Role: abi.RoleHuman, Name: "John Doe", Content: abi.Text("b")}},
			`[{"role":"user","name":"Jürg","content":"a"},{"role":"user","content":"b"}]`,
		},
		"system messages stay where they are": {
			[]abi.Message{hi, said(abi.RoleSystem, abi.TextBlock("be"), abi.TextBlock("terse"), odd), abi.AI("")},
			`[{"role":"user","content":"hi"},{"role":"system","content":"be\nterse\n{\"type\":\"chart\",\"x\":1}"},{"role":"assistant","content":""}]`,
		},
		"what a person shows": {
			[]abi.Message{said(abi.RoleHuman,
				abi.TextBlock("see"), abi.TextBlock(""), abi.ImageURLBlock("https://example.com/a.png"), abi.ImageBlock("image/gif", []byte("gif")),
				abi.FileBlock("a.pdf", "application/pdf", []byte("pdf")), abi.FileBlock("", "", []byte{}),
				blockOf(t, `{"type":"file","file_id":"file-1","name":"x"}`), blockOf(t, `{"type":"file","url":"https://example.com/a.pdf","name":"a.pdf"}`),
				blockOf(t, `{"type":"image","name":"lost"}`), abi.ReasoningBlock("hm", ""), odd)},
			`[{"role":"user","content":[{"type":"text","text":"see"},{"type":"image_url","image_url":{"url":"https://example.com/a.png"}},
				{"type":"image_url","image_url":{"url":"data:image/gif;base64,Z2lm"}},
				{"type":"file","file":{"file_data":"data:application/pdf;base64,cGRm","filename":"a.pdf"}},
				{"type":"file","file":{"file_data":"data:application/octet-stream;base64,","filename":"file"}},
				{"type":"file","file":{"file_id":"file-1"}},{"type":"text","text":"[file a.pdf]"},{"type":"text","text":"[image lost]"},
				{"type":"text","text":"{\"type\":\"chart\",\"x\":1}"}]}]`,
		},
		"what a person lets hear": {
			[]abi.Message{said(abi.RoleHuman, sound("audio/mpeg"), sound("audio/x-wav"), sound("Audio/WAVE; codecs=1"), sound("audio/flac"),
				blockOf(t, `{"type":"audio","url":"x"}`))},
			`[{"role":"user","content":[{"type":"input_audio","input_audio":{"data":"c291bmQ=","format":"mp3"}},
				{"type":"input_audio","input_audio":{"data":"c291bmQ=","format":"wav"}},{"type":"input_audio","input_audio":{"data":"c291bmQ=","format":"wav"}},
				{"type":"input_audio","input_audio":{"data":"c291bmQ=","format":"flac"}},{"type":"text","text":"[audio]"}]}]`,
		},
		"a single text in a block is a text": {
			[]abi.Message{said(abi.RoleHuman, blockOf(t, `{"type":"text","text":"hi","cache_control":{"type":"ephemeral"}}`)), said(abi.RoleHuman, abi.ReasoningBlock("x", ""))},
			`[{"role":"user","content":"hi"},{"role":"user","content":""}]`,
		},
		"calls and results": {
			[]abi.Message{hi, abi.AI("I look.", weather, abi.ToolCall{ID: "call_2", Name: "time"}), result("call_2", ""), abi.ToolFailure(weather, "no such city")},
			`[{"role":"user","content":"hi"},{"role":"assistant","content":"I look.","tool_calls":[
				{"id":"call_1","type":"function","function":{"name":"weather","arguments":"{\"city\":\"Zürich\"}"}},
				{"id":"call_2","type":"function","function":{"name":"time","arguments":"{}"}}]},
				{"role":"tool","tool_call_id":"call_2","content":""},{"role":"tool","tool_call_id":"call_1","content":"no such city"}]`,
		},
		"malformed calls that have answers": {
			[]abi.Message{bad, result("call_1", "rain"), result("call_2", "malformed"), result("call_3", "malformed"), result("call_4", "malformed"), abi.AI("so"), result("call_5", "late")},
			`[{"role":"assistant","content":null,"tool_calls":[
				{"id":"call_1","type":"function","function":{"name":"weather","arguments":"{\"city\":\"Zürich\"}"}},
				{"id":"call_2","type":"function","function":{"name":"time","arguments":"{}"}},
				{"id":"call_3","type":"function","function":{"name":"time","arguments":" {\"a\":1,\"a\":2}"}},
				{"id":"call_4","type":"function","function":{"name":"time","arguments":"{}"}}]},
				{"role":"tool","tool_call_id":"call_1","content":"rain"},{"role":"tool","tool_call_id":"call_2","content":"malformed"},
				{"role":"tool","tool_call_id":"call_3","content":"malformed"},{"role":"tool","tool_call_id":"call_4","content":"malformed"},
				{"role":"assistant","content":"so"},{"role":"user","content":[{"type":"text","text":"The tool weather returned: late"}]}]`,
		},
		"what tools show comes behind all results": {
			[]abi.Message{
				abi.AI("", weather, abi.Call("call_2", "map", nil)),
				{Role: abi.RoleTool, Name: "weather", ToolCallID: "call_1", Content: abi.Blocks(abi.ImageURLBlock("https://example.com/a.png"))},
				{Role: abi.RoleTool, Name: "map", ToolCallID: "call_2", Content: abi.Blocks(
					abi.TextBlock("a map"), abi.FileBlock("m.pdf", "application/pdf", []byte("m")), abi.TextBlock("of it"))},
				abi.AI("nice"),
				{Role: abi.RoleTool, Name: "weather", ToolCallID: "call_1", Content: abi.Blocks(abi.TextBlock("again"), abi.ImageURLBlock("https://example.com/b.png"))},
			},
			`[{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"weather","arguments":"{\"city\":\"Zürich\"}"}},
				{"id":"call_2","type":"function","function":{"name":"map","arguments":"{}"}}]},
				{"role":"tool","tool_call_id":"call_1","content":"It follows."},{"role":"tool","tool_call_id":"call_2","content":"a map\nof it"},
				{"role":"user","content":[{"type":"text","text":"What the tool weather shows (call call_1):"},
				{"type":"image_url","image_url":{"url":"https://example.com/a.png"}},{"type":"text","text":"What the tool map shows (call call_2):"},
				{"type":"file","file":{"file_data":"data:application/pdf;base64,bQ==","filename":"m.pdf"}}]},
				{"role":"assistant","content":"nice"},
				{"role":"user","content":[{"type":"text","text":"What the tool weather shows (call call_1):"},
				{"type":"image_url","image_url":{"url":"https://example.com/b.png"}},{"type":"text","text":"The tool weather returned: again"}]}]`,
		},
		"a result without a call, and one too many": {
			[]abi.Message{result("call_1", "rain"), abi.AI("", weather), result("call_1", "sun"), result("call_1", "snow"), hi},
			`[{"role":"user","content":[{"type":"text","text":"The tool weather returned: rain"}]},
				{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"weather","arguments":"{\"city\":\"Zürich\"}"}}]},
				{"role":"tool","tool_call_id":"call_1","content":"sun"},{"role":"user","content":[{"type":"text","text":"The tool weather returned: snow"}]},
				{"role":"user","content":"hi"}]`,
		},
		"answers of other providers": {
			[]abi.Message{by(said(abi.RoleAI, abi.ReasoningBlock("hm", "c2ln"), abi.TextBlock("It is "), blockOf(t, `{"type":"text","text":"4","citations":[1]}`),
				abi.TextBlock("."), blockOf(t, `{"type":"anthropic_server_tool_use","id":"x"}`), abi.ImageURLBlock("https://example.com/a.png"), abi.TextBlock("There.")), "anthropic")},
			`[{"role":"assistant","content":"It is 4.\n[image]\nThere."}]`,
		},
		"what another server has left is not for this one": {
			[]abi.Message{by(said(abi.RoleAI, blockOf(t, `{"type":"reasoning","reasoning":"hm","openai_key":"reasoning"}`),
				blockOf(t, `{"type":"openai_part","openai_part":{"type":"reference"}}`), abi.TextBlock("so")), "openrouter")},
			`[{"role":"assistant","content":"so"}]`,
		},
		"reasoning with keys that are none": {
			[]abi.Message{said(abi.RoleAI, blockOf(t, `{"type":"reasoning","reasoning":"a","openai_key":"role"}`),
				blockOf(t, `{"type":"reasoning","reasoning":"b","openai_key":"reasoning_details","reasoning_details":"x"}`), abi.TextBlock("so"))},
			`[{"role":"assistant","content":"so"}]`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := sent(t, chatModel(), request(test.messages...), false)
			require.Equal(t, indented(t, parsed(t, test.want)), indented(t, body["messages"]))
		})
	}
}

// sound is a block with a sound of a type.
func sound(mime string) abi.Block {
	return abi.BlockOf(wire.Map{
		{Key: "data", Value: wire.AppendBin(nil, []byte("sound"))}, {Key: "mime_type", Value: wire.String(mime)}, {Key: "type", Value: wire.String("audio")},
	})
}

func TestChatSettings(t *testing.T) {
	t.Parallel()
	const (
		weather = `{"type":"function","function":{"name":"weather","description":"d","parameters":{"type":"object","properties":{}}}}`
		search  = `{"type":"web_search"}`
	)
	tool := []abi.ToolSpec{{Name: "weather", Description: "d"}}
	format := &model.Format{Name: "f", Schema: rawOf(t, `{"type":"object"}`)}
	for name, test := range map[string]struct {
		of, settings string
		change       func(r *model.Request)
		streaming    bool
		want         string // beside the model and the messages
	}{
		"none":                               {},
		"any field":                          {settings: `{"reasoning":{"effort":"high"},"seed":9007199254740993,"x":null,"provider":{"order":["a"]}}`, want: `{"reasoning":{"effort":"high"},"seed":9007199254740993,"x":null,"provider":{"order":["a"]}}`},
		"a request wins":                     {of: `{"a":{"b":1},"c":2}`, settings: `{"a":{"d":3}}`, want: `{"a":{"d":3},"c":2}`},
		"max_tokens stays for other servers": {settings: `{"max_tokens":5}`, want: `{"max_tokens":5}`},
		"tools": {
			of: `{"tools":[` + search + `,{"type":"function","function":{"name":"weather","strict":true}}]}`, change: func(r *model.Request) { r.Tools = tool },
			want: `{"tools":[{"type":"function","function":{"name":"weather","description":"d","strict":true,"parameters":{"type":"object","properties":{}}}},` + search + `]}`,
		},
		"only the provider's tools": {of: `{"tools":[` + search + `]}`, settings: `{"tool_choice":"required"}`, want: `{"tools":[` + search + `],"tool_choice":"required"}`},
		"a choice of the settings":  {settings: `{"tool_choice":{"type":"allowed_tools"}}`, change: func(r *model.Request) { r.Tools = tool }, want: `{"tools":[` + weather + `],"tool_choice":{"type":"allowed_tools"}}`},
		"a choice of the request wins": {
			settings: `{"tool_choice":"none"}`, change: func(r *model.Request) { r.Tools, r.ToolChoice = tool, "any" }, want: `{"tools":[` + weather + `],"tool_choice":"required"}`,
		},
		"a choice among no tools": {settings: `{"tool_choice":"none","tools":[]}`, change: func(r *model.Request) { r.ToolChoice = "any" }},
		"schemas": {
			change: func(r *model.Request) {
				r.Tools = []abi.ToolSpec{{Name: "a", Parameters: rawOf(t, `{"type":"object"}`)}, {Name: "b", Parameters: rawOf(t, `{"$ref":"x"}`)}, {Name: "c", Parameters: rawOf(t, `7`)}}
			},
			want: `{"tools":[{"type":"function","function":{"name":"a","parameters":{"type":"object","properties":{}}}},
				{"type":"function","function":{"name":"b","parameters":{"$ref":"x"}}},{"type":"function","function":{"name":"c","parameters":{"type":"object","properties":{}}}}]}`,
		},
		"a format of the request wins": {
			settings: `{"response_format":{"type":"json_object"}}`, change: func(r *model.Request) { r.Format = format },
			want: `{"response_format":{"type":"json_schema","json_schema":{"name":"f","schema":{"type":"object"}}}}`,
		},
		"a format without a schema":   {change: func(r *model.Request) { r.Format = &model.Format{Name: "f"} }, want: `{"response_format":{"type":"json_schema","json_schema":{"name":"f"}}}`},
		"streams":                     {streaming: true, want: `{"stream":true,"stream_options":{"include_usage":true}}`},
		"stream options":              {settings: `{"stream_options":{"include_obfuscation":false}}`, streaming: true, want: `{"stream":true,"stream_options":{"include_obfuscation":false}}`},
		"no stream options":           {settings: `{"stream_options":null}`, streaming: true, want: `{"stream":true}`},
		"stream options of no stream": {settings: `{"stream_options":{"include_usage":true}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, req := chatModel(), request(hi)
			if test.of != "" {
				m.Settings = mapOf(t, test.of)
			}
			if test.settings != "" {
				req.Settings = mapOf(t, test.settings)
			}
			if test.change != nil {
				test.change(req)
			}
			if test.want == "" {
				test.want = "{}"
			}
			body := sent(t, m, req, test.streaming)
			require.Equal(t, "gpt-5.2", body["model"])
			delete(body, "model")
			delete(body, "messages")
			require.Equal(t, indented(t, parsed(t, test.want)), indented(t, body))
		})
	}
}

func TestSettingsThatAreNone(t *testing.T) {
	t.Parallel()
	for _, api := range apis {
		names := []string{"model", "stream"}
		switch api {
		case openai.Responses:
			names = append(names, "input", "instructions", "previous_response_id", "conversation", "background")
		default:
			names = append(names, "messages", "n", "functions", "function_call")
		}
		for _, name := range names {
			t.Run(string(api)+" "+name, func(t *testing.T) {
				t.Parallel()
				s := saying(t, hello[api])
				req := request(hi)
				req.Settings = wire.Map{{Key: name, Value: wire.Int(1)}}
				for _, streaming := range []bool{false, true} {
					_, err := ask(t, modelAt(t, s, api), req, streaming)
					require.ErrorContains(t, err, `the setting "`+name+`" is not allowed`)
					require.Equal(t, model.ErrorInvalidRequest, failure(t, err).Kind)
				}
				require.Zero(t, s.count())
			})
		}
		for name, settings := range map[string]wire.Map{
			"NaN": {{Key: "temperature", Value: wire.Raw{0xcb, 0x7f, 0xf8, 0, 0, 0, 0, 0, 0}}}, "tools": mapOf(t, `{"tools":{}}`), "a tool": mapOf(t, `{"tools":["x"]}`),
		} {
			t.Run(string(api)+" "+name, func(t *testing.T) {
				t.Parallel()
				s := saying(t, hello[api])
				m := modelAt(t, s, api)
				m.Settings = settings
				_, err := ask(t, m, request(hi), false)
				require.Equal(t, model.ErrorInvalidRequest, failure(t, err).Kind)
				require.False(t, failure(t, err).Retryable)
				require.Zero(t, s.count())
			})
		}
	}
}
