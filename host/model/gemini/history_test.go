package gemini_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

func tool(id, name, text string) abi.Message {
	return abi.Message{Role: abi.RoleTool, ToolCallID: id, Name: name, Content: abi.Text(text)}
}

func with(m abi.Message, change func(m *abi.Message)) abi.Message {
	change(&m)
	return m
}

func TestHistoryBecomesContents(t *testing.T) {
	t.Parallel()
	call := func(id, name, args string) abi.ToolCall {
		return abi.ToolCall{ID: id, Name: name, Args: rawOf(t, args)}
	}
	meta := func(text string) wire.Map { return mapOf(t, text) }
	of := func(role abi.Role, blocks ...abi.Block) abi.Message {
		return abi.Message{Role: role, Content: abi.Blocks(blocks...)}
	}
	block := func(text string) abi.Block { return abi.BlockOf(mapOf(t, text)) }
	hi := abi.Human("hi")
	const said = `{"role":"user","parts":[{"text":"hi"}]}`
	const goOn = `{"role":"user","parts":[{"text":"Continue."}]}`
	for _, test := range []struct {
		name   string
		model  string // "": gemini-3-flash
		system string
		given  []abi.Message
		want   string
		told   string // the system instruction's parts
	}{
		{name: "nothing at all", want: `[` + goOn + `]`},
		{name: "a system prompt alone", system: "Be terse.", want: `[` + goOn + `]`, told: `[{"text":"Be terse."}]`},
		{
			name: "system messages follow the system prompt", system: "Be terse.",
			given: []abi.Message{{Role: abi.RoleSystem, Content: abi.Text("And kind.")}, hi, of(abi.RoleSystem, abi.TextBlock("a"), abi.ImageURLBlock("u"))},
			want:  `[` + said + `]`, told: `[{"text":"Be terse."},{"text":"And kind."},{"text":"a"},{"text":"[image]"}]`,
		},
		{
			name: "the model speaks first", given: []abi.Message{abi.AI("welcome"), hi},
			want: `[` + goOn + `,{"role":"model","parts":[{"text":"welcome"}]},` + said + `]`,
		},
		{
			name: "the model speaks last", given: []abi.Message{hi, abi.AI("well")},
			want: `[` + said + `,{"role":"model","parts":[{"text":"well"}]},` + goOn + `]`,
		},
		{
			name: "empty messages are left out", given: []abi.Message{hi, abi.AI(""), abi.Human(""), of(abi.RoleHuman, abi.TextBlock(""), abi.TextBlock("x"))},
			want: `[{"role":"user","parts":[{"text":"hi"},{"text":"x"}]}]`,
		},
		{
			name: "turns of one side become one", given: []abi.Message{hi, abi.Human("there"), abi.AI("a"), abi.AI("b"), hi},
			want: `[{"role":"user","parts":[{"text":"hi"},{"text":"there"}]},{"role":"model","parts":[{"text":"a"},{"text":"b"}]},` + said + `]`,
		},
		{
			name: "a message without a known role is a person's", given: []abi.Message{{Content: abi.Text("hi")}}, want: `[` + said + `]`,
		},
		{
			name: "images and files", given: []abi.Message{of(abi.RoleHuman,
				abi.ImageBlock("image/jpeg", []byte("j")), abi.FileBlock("a.pdf", "application/pdf", []byte("p")),
				abi.ImageURLBlock("https://example.com/a.JPG?x=1"), abi.ImageURLBlock("https://www.youtube.com/watch?v=1"),
				abi.ImageURLBlock("data:image/gif;base64,R0lG"), block(`{"type":"image","url":"https://example.com/a","mime_type":"image/webp"}`),
				block(`{"type":"file","url":"https://example.com/a.pdf"}`), abi.ImageURLBlock("https://exa mple.com/%zz"))},
			want: `[{"role":"user","parts":[{"inlineData":{"mimeType":"image/jpeg","data":"ag=="}},{"inlineData":{"mimeType":"application/pdf","data":"cA=="}},
				{"fileData":{"fileUri":"https://example.com/a.JPG?x=1","mimeType":"image/jpeg"}},{"fileData":{"fileUri":"https://www.youtube.com/watch?v=1"}},
				{"inlineData":{"mimeType":"image/gif","data":"R0lG"}},{"fileData":{"fileUri":"https://example.com/a","mimeType":"image/webp"}},
				{"fileData":{"fileUri":"https://example.com/a.pdf","mimeType":"application/pdf"}},{"fileData":{"fileUri":"https://exa mple.com/%zz"}}]}]`,
		},
		{
			name: "audio and videos", given: []abi.Message{of(abi.RoleHuman, abi.AudioBlock("audio/wav", []byte("w")),
				abi.VideoBlock("video/mp4", []byte("v")), block(`{"type":"audio","url":"https://example.com/a.mp3"}`), block(`{"type":"audio"}`))},
			want: `[{"role":"user","parts":[{"inlineData":{"mimeType":"audio/wav","data":"dw=="}},{"inlineData":{"mimeType":"video/mp4","data":"dg=="}},
				{"fileData":{"fileUri":"https://example.com/a.mp3","mimeType":"audio/mp3"}},{"text":"[audio]"}]}]`,
		},
		{
			name: "what cannot be sent is told", given: []abi.Message{of(abi.RoleHuman,
				block(`{"type":"image"}`), abi.FileBlock("empty.txt", "text/plain", nil), abi.ReasoningBlock("secret", "s"),
				block(`{"type":"poem","lines":2}`), abi.ImageURLBlock("data:text/plain,hello"))},
			want: `[{"role":"user","parts":[{"text":"[image]"},{"text":"[file empty.txt]"},{"text":"{\"lines\":2,\"type\":\"poem\"}"},{"fileData":{"fileUri":"data:text/plain,hello"}}]}]`,
		},
		{
			name: "text, thoughts and parts of other kinds are sent back as they came", given: []abi.Message{hi, with(of(abi.RoleAI,
				abi.ReasoningBlock("hm", ""), block(`{"type":"reasoning","reasoning":"so","thought_signature":"AA=="}`), abi.TextBlock("a"),
				block(`{"type":"text","text":"","thought_signature":"AQ=="}`),
				block(`{"type":"gemini_executableCode","part":{"executableCode":{"code":"1<2"},"thoughtSignature":"Ag==","newField":9007199254740993}}`),
				block(`{"type":"gemini_broken","part":"x"}`),
			), func(m *abi.Message) { m.Meta = meta(`{"provider":"gemini"}`) }), hi},
			want: `[` + said + `,{"role":"model","parts":[{"text":"hm","thought":true},{"text":"so","thought":true,"thoughtSignature":"AA=="},{"text":"a"},
				{"text":"","thoughtSignature":"AQ=="},{"executableCode":{"code":"1<2"},"thoughtSignature":"Ag==","newField":9007199254740993}]},` + said + `]`,
		},
		{
			name: "thoughts of other providers are left out", given: []abi.Message{hi, with(of(abi.RoleAI,
				abi.ReasoningBlock("hm", "theirs"), abi.TextBlock("a"),
			), func(m *abi.Message) { m.Meta = meta(`{"provider":"anthropic"}`) }), hi},
			want: `[` + said + `,{"role":"model","parts":[{"text":"a"}]},` + said + `]`,
		},
		{
			name: "answers follow their calls in the order of these, and nothing is among them",
			given: []abi.Message{
				hi, abi.AI("let me see", call("1", "f", `{"a":1}`), call("2", "f", `{"a":2}`), call("3", "g", `{}`)),
				tool("3", "g", "third"), hi, with(tool("2", "f", "second"), func(m *abi.Message) { m.Status = abi.StatusError }),
				tool("1", "renamed", "first"),
			},
			want: `[` + said + `,{"role":"model","parts":[{"text":"let me see"},{"functionCall":{"name":"f","args":{"a":1}}},
				{"functionCall":{"name":"f","args":{"a":2}}},{"functionCall":{"name":"g","args":{}}}]},
				{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"result":"first"}}},
				{"functionResponse":{"name":"f","response":{"error":"second"}}},{"functionResponse":{"name":"g","response":{"result":"third"}}}]},` + said + `]`,
		},
		{
			name: "ids and signatures go back where the provider gave them",
			given: []abi.Message{hi, with(abi.AI("", call("fc2", "f", `{}`), call("h1", "f", `{}`), call("h2", "g", `{}`), call("h3", "new", `{}`)), func(m *abi.Message) {
				m.Meta = meta(`{"gemini_calls":[{"name":"f","thought_signature":"AA=="},{"name":"dropped","id":"fc0"},{"name":"f","id":"fc2","thought_signature":"AQ=="},{"name":"g","id":"fc3"},7]}`)
			}), tool("fc2", "f", "a"), tool("h1", "f", "b"), tool("h2", "g", "c"), tool("h3", "new", "d")},
			want: `[` + said + `,{"role":"model","parts":[{"functionCall":{"name":"f","args":{},"id":"fc2"},"thoughtSignature":"AQ=="},
				{"functionCall":{"name":"f","args":{}},"thoughtSignature":"AA=="},{"functionCall":{"name":"g","args":{},"id":"fc3"}},{"functionCall":{"name":"new","args":{}}}]},
				{"role":"user","parts":[{"functionResponse":{"name":"f","id":"fc2","response":{"result":"a"}}},{"functionResponse":{"name":"f","response":{"result":"b"}}},
				{"functionResponse":{"name":"g","id":"fc3","response":{"result":"c"}}},{"functionResponse":{"name":"new","response":{"result":"d"}}}]}]`,
		},
		{
			name:  "Gemini 3 wants a signature on the first call of the turn that goes on",
			given: []abi.Message{hi, abi.AI("", call("1", "f", `{}`), call("2", "f", `{}`)), tool("1", "f", "a"), tool("2", "f", "b")},
			want: `[` + said + `,{"role":"model","parts":[{"functionCall":{"name":"f","args":{}},"thoughtSignature":"skip_thought_signature_validator"},{"functionCall":{"name":"f","args":{}}}]},
				{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"result":"a"}}},{"functionResponse":{"name":"f","response":{"result":"b"}}}]}]`,
		},
		{
			name: "as do models whose names do not say what they are", model: "gemini-flash-latest",
			given: []abi.Message{hi, abi.AI("", call("1", "f", `{}`)), tool("1", "f", "a")},
			want: `[` + said + `,{"role":"model","parts":[{"functionCall":{"name":"f","args":{}},"thoughtSignature":"skip_thought_signature_validator"}]},
				{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"result":"a"}}}]}]`,
		},
		{
			name: "Gemini 2 wants none", model: "gemini-2.5-pro",
			given: []abi.Message{hi, abi.AI("", call("1", "f", `{}`)), tool("1", "f", "a")},
			want: `[` + said + `,{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]},
				{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"result":"a"}}}]}]`,
		},
		{
			name: "malformed calls are calls if they have an answer", model: "gemini-2.5-pro",
			given: []abi.Message{hi, with(abi.AI("", call("1", "f", `{}`)), func(m *abi.Message) {
				m.InvalidToolCalls = []abi.InvalidToolCall{
					{ID: "2", Name: "g", Args: `{"a":`}, {ID: "3", Name: "g", Args: `{"a":1}`}, {ID: "4", Name: "g", Args: `[1]`}, {ID: "5", Name: "g"},
				}
			}), tool("1", "f", "a"), tool("2", "g", "b"), tool("3", "g", "c"), tool("4", "g", "d")},
			want: `[` + said + `,{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}},{"functionCall":{"name":"g","args":{}}},
				{"functionCall":{"name":"g","args":{"a":1}}},{"functionCall":{"name":"g","args":{}}}]},{"role":"user","parts":[
				{"functionResponse":{"name":"f","response":{"result":"a"}}},{"functionResponse":{"name":"g","response":{"result":"b"}}},
				{"functionResponse":{"name":"g","response":{"result":"c"}}},{"functionResponse":{"name":"g","response":{"result":"d"}}}]}]`,
		},
		{
			name: "ids are those of one message", model: "gemini-2.5-pro",
			given: []abi.Message{hi, abi.AI("", call("1", "f", `{}`)), tool("1", "f", "a"), abi.AI("", call("1", "g", `{}`)), tool("1", "g", "b"), tool("1", "g", "again")},
			want: `[` + said + `,{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"result":"a"}}}]},
				{"role":"model","parts":[{"functionCall":{"name":"g","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"name":"g","response":{"result":"b"}}}]},
				{"role":"user","parts":[{"text":"The tool g returned: again"}]}]`,
		},
		{
			name: "an answer without a call is told",
			given: []abi.Message{with(tool("9", "shot", ""), func(m *abi.Message) {
				m.Content = abi.Blocks(abi.TextBlock("see"), abi.ImageBlock("image/png", []byte("i")))
			})},
			want: `[{"role":"user","parts":[{"text":"The tool shot returned: see"},{"inlineData":{"mimeType":"image/png","data":"aQ=="}}]}]`,
		},
		{
			name: "media of a result stand inside of the answer, as far as Gemini 3 takes them",
			given: []abi.Message{hi, with(abi.AI("", call("1", "f", `{}`), call("2", "g", `{}`)), func(m *abi.Message) {
				m.Meta = meta(`{"gemini_calls":[{"name":"f","thought_signature":"AA=="}]}`)
			}), with(tool("1", "f", ""), func(m *abi.Message) {
				m.Content = abi.Blocks(abi.TextBlock("one"), abi.ImageBlock("image/png", []byte("i")), abi.ImageURLBlock("https://example.com/a.png"),
					abi.TextBlock("two"), abi.FileBlock("s", "audio/wav", []byte("w")), block(`{"type":"image","name":"lost"}`))
			}), tool("2", "g", "b"), hi},
			want: `[` + said + `,{"role":"model","parts":[{"functionCall":{"name":"f","args":{}},"thoughtSignature":"AA=="},{"functionCall":{"name":"g","args":{}}}]},
				{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"result":"one\ntwo\n[image lost]"},"parts":[{"inlineData":{"mimeType":"image/png","data":"aQ=="}}]}},
				{"functionResponse":{"name":"g","response":{"result":"b"}}}]},
				{"role":"user","parts":[{"text":"From the tool f:"},{"fileData":{"fileUri":"https://example.com/a.png","mimeType":"image/png"}},
				{"inlineData":{"mimeType":"audio/wav","data":"dw=="}},{"text":"hi"}]}]`,
		},
		{
			name: "and behind it for Gemini 2", model: "models/gemini-2.5-flash",
			given: []abi.Message{hi, abi.AI("", call("1", "f", `{}`)), with(tool("1", "f", ""), func(m *abi.Message) {
				m.Content = abi.Blocks(abi.ImageBlock("image/png", []byte("i")))
			})},
			want: `[` + said + `,{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"result":""}}}]},
				{"role":"user","parts":[{"text":"From the tool f:"},{"inlineData":{"mimeType":"image/png","data":"aQ=="}}]}]`,
		},
		{
			name: "arguments keep their numbers, and are an object", model: "gemini-2.0-flash",
			given: []abi.Message{
				hi, abi.AI("", call("1", "f", `{"n":9007199254740993,"x":0.1,"s":"<\u2028>"}`), abi.ToolCall{ID: "2", Name: "f"}, call("3", "f", `[]`)),
				tool("1", "f", ""), tool("2", "f", ""), tool("3", "f", ""),
			},
			want: `[` + said + `,{"role":"model","parts":[{"functionCall":{"name":"f","args":{"n":9007199254740993,"x":0.1,"s":"<\u2028>"}}},{"functionCall":{"name":"f","args":{}}},{"functionCall":{"name":"f","args":{}}}]},
				{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"result":""}}},{"functionResponse":{"name":"f","response":{"result":""}}},{"functionResponse":{"name":"f","response":{"result":""}}}]}]`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := saying(t, hello)
			m := modelAt(t, s)
			if test.model != "" {
				m.Name = test.model
			}
			req := request(test.given...)
			req.System = abi.Text(test.system)
			_, err := m.Generate(t.Context(), req)
			require.NoError(t, err)
			body := s.last(t).body
			if strings.Contains(test.want, "9007199254740993") {
				require.Contains(t, s.last(t).text, "9007199254740993", "as a float it would end with 2")
			}
			require.Equal(t, parsed(t, test.want), body["contents"], shown(body["contents"]))
			if test.told == "" {
				require.NotContains(t, body, "systemInstruction")
				return
			}
			require.Equal(t, map[string]any{"role": "user", "parts": parsed(t, test.told)}, body["systemInstruction"])
		})
	}
}

func shown(value any) string {
	text, err := json.MarshalIndent(value, "", " ")
	if err != nil {
		return err.Error()
	}
	return string(text)
}
