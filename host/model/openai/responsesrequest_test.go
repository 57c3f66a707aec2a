package openai_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/openai"
)

func responsesModel() *openai.Model { return &openai.Model{API: openai.Responses} }

func TestResponsesInput(t *testing.T) {
	t.Parallel()
	weather := abi.Call("call_1", "weather", map[string]any{"city": "Bern"})
	bad := abi.AI("", abi.Call("call_2", "time", nil))
	bad.InvalidToolCalls = []abi.InvalidToolCall{{ID: "call_1", Name: "weather", Args: `{"city":`}, {ID: "call_9", Name: "x", Args: "{}"}}
	const (
		call  = `{"type":"function_call","call_id":"call_1","name":"weather","arguments":"{\"city\":\"Bern\"}"}`
		thing = `{"type":"reasoning","reasoning":"a","signature":"enc","openai_item":{"type":"reasoning","id":"rs_1","summary":[]}}`
		sent1 = `{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"enc"}`
		plain = `{"type":"reasoning","reasoning":"a","openai_item":{"type":"reasoning","id":"rs_2","summary":[],"encrypted_content":null}}`
		open  = `{"type":"reasoning","reasoning":"a","openai_item":{"type":"reasoning","id":"rs_3","summary":[],"content":[{"type":"reasoning_text","text":"a"}]}}`
		web   = `{"type":"openai_item","openai_item":{"type":"web_search_call","id":"ws_1","action":{"n":9007199254740993,"f":1.5,"z":null,"u":"🌦"}}}`
		sent3 = `{"type":"web_search_call","id":"ws_1","action":{"n":9007199254740993,"f":1.5,"z":null,"u":"🌦"}}`
	)
	told := func(text string) string {
		return `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"` + text + `","annotations":[]}]}`
	}
	for name, test := range map[string]struct {
		model    string
		settings string
		messages []abi.Message
		want     string
	}{
		"nothing": {want: `[{"role":"user","content":""}]`},
		"system messages stay where they are": {
			messages: []abi.Message{abi.AI("Hello."), said(abi.RoleSystem, abi.TextBlock("be"), abi.TextBlock("terse")), hi, abi.AI("")},
			want:     `[` + told("Hello.") + `,{"role":"system","content":"be\nterse"},{"role":"user","content":"hi"}]`,
		},
		"what a person shows": {
			messages: []abi.Message{
				said(abi.RoleHuman,
					abi.TextBlock("see"), abi.TextBlock(""), abi.ImageURLBlock("https://example.com/a.png"), abi.ImageBlock("image/gif", []byte("gif")),
					blockOf(t, `{"type":"image","file_id":"file-2","detail":"low"}`),
					abi.FileBlock("a.pdf", "application/pdf", []byte("pdf")), blockOf(t, `{"type":"file","file_id":"file-1"}`),
					blockOf(t, `{"type":"file","url":"https://example.com/a.pdf"}`), blockOf(t, `{"type":"file","name":"lost"}`), abi.ReasoningBlock("hm", "")),
				said(abi.RoleHuman, abi.ReasoningBlock("hm", "")),
			},
			want: `[{"role":"user","content":[{"type":"input_text","text":"see"},{"type":"input_image","image_url":"https://example.com/a.png","detail":"auto"},
				{"type":"input_image","image_url":"data:image/gif;base64,Z2lm","detail":"auto"},{"type":"input_image","file_id":"file-2","detail":"low"},
				{"type":"input_file","file_data":"data:application/pdf;base64,cGRm","filename":"a.pdf"},{"type":"input_file","file_id":"file-1"},
				{"type":"input_file","file_url":"https://example.com/a.pdf"},{"type":"input_text","text":"[file lost]"}]},{"role":"user","content":""}]`,
		},
		"results": {
			messages: []abi.Message{abi.AI("I look.", weather), {Role: abi.RoleTool, ToolCallID: "call_1", Name: "weather", Content: abi.Blocks(
				abi.TextBlock("see"), abi.ImageURLBlock("https://example.com/a.png"))}, abi.ToolResult(weather, "again"), abi.ToolResult(weather, "")},
			want: `[` + told("I look.") + `,` + call + `,{"type":"function_call_output","call_id":"call_1","output":[{"type":"input_text","text":"see"},
				{"type":"input_image","image_url":"https://example.com/a.png","detail":"auto"}]},
				{"role":"user","content":[{"type":"input_text","text":"The tool weather returned: "},{"type":"input_text","text":"again"}]},
				{"role":"user","content":"The tool weather returned: "}]`,
		},
		"malformed calls that have answers": {
			messages: []abi.Message{bad, abi.ToolResult(weather, "malformed")},
			want: `[{"type":"function_call","call_id":"call_2","name":"time","arguments":"{}"},
				{"type":"function_call","call_id":"call_1","name":"weather","arguments":"{}"},{"type":"function_call_output","call_id":"call_1","output":"malformed"}]`,
		},
		"reasoning stands before what it led to": {
			messages: []abi.Message{{Role: abi.RoleAI, ToolCalls: []abi.ToolCall{abi.Call("call_0", "time", nil), weather}, Content: abi.Blocks(
				blockOf(t, thing), blockOf(t, web), blockOf(t, `{"type":"reasoning","reasoning":"b","signature":"enc2","openai_before":"call_1","openai_item":{"type":"reasoning","id":"rs_9"}}`),
				abi.TextBlock("so"))}},
			want: `[` + sent1 + `,` + sent3 + `,` + told("so") + `,{"type":"function_call","call_id":"call_0","name":"time","arguments":"{}"},
				{"type":"reasoning","id":"rs_9","encrypted_content":"enc2"},` + call + `]`,
		},
		"reasoning that led to nothing": {
			messages: []abi.Message{said(abi.RoleAI, abi.TextBlock("so"), blockOf(t, thing), blockOf(t, thing)), hi},
			want:     `[` + told("so") + `,{"role":"user","content":"hi"}]`,
		},
		"reasoning whose call is not there any more": {
			messages: []abi.Message{said(abi.RoleAI, blockOf(t, thing), abi.TextBlock("so"),
				blockOf(t, `{"type":"reasoning","reasoning":"b","signature":"e","openai_before":"call_1","openai_item":{"id":"rs_9"}}`))},
			want: `[` + sent1 + `,` + told("so") + `]`,
		},
		"reasoning that nobody could read":          {messages: []abi.Message{said(abi.RoleAI, blockOf(t, plain), abi.ReasoningBlock("x", "c2ln"), abi.TextBlock("so"))}, want: `[` + told("so") + `]`},
		"reasoning that anybody can read":           {messages: []abi.Message{said(abi.RoleAI, blockOf(t, open), abi.TextBlock("so"))}, want: `[{"type":"reasoning","id":"rs_3","summary":[],"content":[{"type":"reasoning_text","text":"a"}]},` + told("so") + `]`},
		"reasoning that is stored":                  {settings: `{"store":true}`, messages: []abi.Message{said(abi.RoleAI, blockOf(t, plain), abi.TextBlock("so"))}, want: `[{"type":"reasoning","id":"rs_2","summary":[],"encrypted_content":null},` + told("so") + `]`},
		"reasoning of another provider":             {messages: []abi.Message{by(said(abi.RoleAI, blockOf(t, thing), abi.TextBlock("so")), "azure")}, want: `[` + told("so") + `]`},
		"reasoning for a model that does not think": {model: "gpt-4o-mini", messages: []abi.Message{said(abi.RoleAI, blockOf(t, thing), abi.TextBlock("so"))}, want: `[` + told("so") + `]`},
		"items of another provider": {
			messages: []abi.Message{by(said(abi.RoleAI, blockOf(t, `{"type":"openai_item","openai_item":{"a":1}}`), abi.TextBlock("so")), "azure")},
			want:     `[` + told("so") + `]`,
		},
		"texts with sources and phases": {
			messages: []abi.Message{said(abi.RoleAI, blockOf(t, `{"type":"text","text":"so","annotations":[{"type":"url_citation","url":"u"}],"openai_phase":"commentary"}`),
				blockOf(t, `{"type":"openai_part","openai_api":"responses","openai_part":{"type":"output_chart","x":1}}`),
				blockOf(t, `{"type":"openai_part","openai_part":{"type":"reference"}}`), abi.ImageURLBlock("u"))},
			want: `[{"type":"message","role":"assistant","phase":"commentary","content":[{"type":"output_text","text":"so","annotations":[{"type":"url_citation","url":"u"}]}]},
				{"type":"message","role":"assistant","content":[{"type":"output_chart","x":1}]},` + told("[image]") + `]`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, req := responsesModel(), request(test.messages...)
			m.Name = test.model
			if test.settings != "" {
				req.Settings = mapOf(t, test.settings)
			}
			body := sent(t, m, req, false)
			require.Equal(t, indented(t, parsed(t, test.want)), indented(t, body["input"]))
		})
	}
}

func TestResponsesSettings(t *testing.T) {
	t.Parallel()
	const (
		weather = `{"type":"function","name":"weather","parameters":{"type":"object","properties":{}},"strict":false}`
		search  = `{"type":"web_search"}`
		stored  = `"store":false,"include":["reasoning.encrypted_content"]`
	)
	tool := []abi.ToolSpec{{Name: "weather"}}
	for name, test := range map[string]struct {
		model, settings string
		change          func(r *model.Request)
		streaming       bool
		want            string // beside the model and the input
	}{
		"none":                                {want: `{` + stored + `}`},
		"a system prompt":                     {change: func(r *model.Request) { r.System = abi.Blocks(abi.TextBlock("be"), abi.TextBlock("terse")) }, want: `{` + stored + `,"instructions":"be\nterse"}`},
		"it stores":                           {settings: `{"store":true}`, want: `{"store":true}`},
		"it does not store":                   {settings: `{"store":false}`, want: `{` + stored + `}`},
		"includes":                            {settings: `{"include":["x"]}`, want: `{"store":false,"include":["x"]}`},
		"includes nothing":                    {settings: `{"include":null}`, want: `{"store":false,"include":null}`},
		"max_tokens":                          {settings: `{"max_tokens":5}`, want: `{` + stored + `,"max_output_tokens":5}`},
		"max_tokens twice":                    {settings: `{"max_tokens":5,"max_output_tokens":6}`, want: `{` + stored + `,"max_output_tokens":6}`},
		"gpt-4o does not think":               {model: "gpt-4o", want: `{"store":false}`},
		"gpt-4.1 does not think":              {model: "openai/gpt-4.1-mini", want: `{"store":false}`},
		"one that is trained does not think":  {model: "ft:gpt-4o-mini-2024-07-18:acme::x", want: `{"store":false}`},
		"gpt-35 does not think":               {model: "gpt-35-turbo", want: `{"store":false}`},
		"chatgpt does not think":              {model: "chatgpt-4o-latest", want: `{"store":false}`},
		"gpt-5-chat does not think":           {model: "gpt-5-chat-latest", want: `{"store":false}`},
		"o3 thinks":                           {model: "o3", want: `{` + stored + `}`},
		"gpt-5 thinks":                        {model: "gpt-5", want: `{` + stored + `}`},
		"tools":                               {settings: `{"tools":[` + search + `]}`, change: func(r *model.Request) { r.Tools, r.ToolChoice = tool, "weather" }, want: `{` + stored + `,"tools":[` + weather + `,` + search + `],"tool_choice":{"type":"function","name":"weather"}}`},
		"a choice":                            {change: func(r *model.Request) { r.Tools, r.ToolChoice = tool, "none" }, want: `{` + stored + `,"tools":[` + weather + `],"tool_choice":"none"}`},
		"a format joins the setting":          {settings: `{"text":{"verbosity":"low","format":{"type":"text"}}}`, change: func(r *model.Request) { r.Format = &model.Format{Name: "f"} }, want: `{` + stored + `,"text":{"verbosity":"low","format":{"type":"json_schema","name":"f"}}}`},
		"a format where the setting is wrong": {settings: `{"text":1}`, change: func(r *model.Request) { r.Format = &model.Format{Name: "f"} }, want: `{` + stored + `,"text":{"format":{"type":"json_schema","name":"f"}}}`},
		"streams":                             {streaming: true, want: `{` + stored + `,"stream":true}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, req := responsesModel(), request(hi)
			m.Name = test.model
			if test.settings != "" {
				req.Settings = mapOf(t, test.settings)
			}
			if test.change != nil {
				test.change(req)
			}
			body := sent(t, m, req, test.streaming)
			delete(body, "model")
			delete(body, "input")
			require.Equal(t, indented(t, parsed(t, test.want)), indented(t, body))
		})
	}
}

// The names of Chat Completions work here too.
func TestResponsesNestsSettings(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		model, asked string
		want         string // what is sent of reasoning and text
	}{
		"of the model":             {`{"reasoning_effort":"low","verbosity":"high"}`, `{}`, `{"reasoning":{"effort":"low"},"text":{"verbosity":"high"}}`},
		"of the request":           {`{"reasoning_effort":"low"}`, `{"reasoning_effort":"high"}`, `{"reasoning":{"effort":"high"}}`},
		"beside objects":           {`{"reasoning":{"summary":"auto"},"reasoning_effort":"low","text":{"x":1},"verbosity":"low"}`, `{}`, `{"reasoning":{"summary":"auto","effort":"low"},"text":{"x":1,"verbosity":"low"}}`},
		"the request wins":         {`{"reasoning":{"summary":"auto","effort":"low"}}`, `{"reasoning_effort":"high"}`, `{"reasoning":{"summary":"auto","effort":"high"}}`},
		"the request's object":     {`{"reasoning_effort":"low"}`, `{"reasoning":{"summary":"auto"}}`, `{"reasoning":{"summary":"auto","effort":"low"}}`},
		"the same twice":           {`{"reasoning_effort":"low","reasoning":{"effort":"low"}}`, `{}`, `{"reasoning":{"effort":"low"}}`},
		"null":                     {`{"reasoning_effort":"low"}`, `{"reasoning_effort":null}`, `{"reasoning":{"effort":null}}`},
		"the request has it null":  {`{"reasoning_effort":"low"}`, `{"reasoning":null}`, `{"reasoning":null}`},
		"a format joins verbosity": {`{"verbosity":"low"}`, `{"text":{"format":{"type":"text"}}}`, `{"text":{"verbosity":"low","format":{"type":"text"}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, req := responsesModel(), request(hi)
			m.Settings, req.Settings = mapOf(t, test.model), mapOf(t, test.asked)
			body := sent(t, m, req, false)
			for _, key := range []string{"model", "input", "store", "include"} {
				delete(body, key)
			}
			require.Equal(t, indented(t, parsed(t, test.want)), indented(t, body))
		})
	}
	for _, test := range []struct{ settings, says string }{
		{`{"reasoning_effort":"low","reasoning":{"effort":"high"}}`, `the settings "reasoning_effort" and "reasoning" set reasoning.effort to different values; remove one of the two`},
		{`{"verbosity":"low","text":{"verbosity":"high"}}`, `the settings "verbosity" and "text" set text.verbosity to different values; remove one of the two`},
		{`{"verbosity":"low","text":"high"}`, `the settings "verbosity" and "text" set text.verbosity to different values; remove one of the two`},
	} {
		for _, m := range []*openai.Model{{API: openai.Responses, Settings: mapOf(t, test.settings)}, responsesModel()} {
			m.BaseURL = "http://localhost:1"
			req := request(hi)
			req.Settings = mapOf(t, test.settings)
			_, err := m.Generate(t.Context(), req)
			require.Equal(t, model.ErrorInvalidRequest, failure(t, err).Kind)
			require.ErrorContains(t, err, test.says)
		}
	}
}
