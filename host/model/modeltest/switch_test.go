package modeltest_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/test/testservers"
)

// working are answers of each API with everything that it has: thinking, tools on its servers, an image, and a call. All that only
// the provider itself understands has its mark.
var working = map[string]string{
	chat: `{"id":"1","model":"m","choices":[{"finish_reason":"tool_calls","message":{"role":"assistant",
		"content":[{"type":"text","text":"I look."},{"type":"reference","reference_ids":["private-chat"]}],
		"reasoning_content":"Thinking.","thinking_blocks":[{"type":"thinking","thinking":"Thinking.","signature":"private-chat"}],
		"tool_calls":[{"id":"call_1","type":"function","function":{"name":"weather","arguments":"{\"city\":\"Bern\"}"},
			"extra_content":{"google":{"thought_signature":"private-chat"}}}]}}]}`,
	responses: `{"id":"1","model":"m","status":"completed","output":[
		{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"Thinking."}],"encrypted_content":"private-responses"},
		{"type":"web_search_call","id":"ws_1","status":"completed","action":{"type":"search","query":"private-responses"}},
		{"type":"message","role":"assistant","id":"msg_1","content":[{"type":"output_text","text":"I look.",
			"annotations":[{"type":"url_citation","title":"private-responses","url":"https://example.com","start_index":0,"end_index":1}]},
			{"type":"output_sound","data":"private-responses"}]},
		{"type":"image_generation_call","id":"ig_1","status":"completed","result":"private-responses"},
		{"type":"reasoning","id":"rs_2","summary":[],"encrypted_content":"private-responses"},
		{"type":"function_call","id":"fc_1","call_id":"call_1","name":"weather","arguments":"{\"city\":\"Bern\"}"}]}`,
	messages: `{"id":"1","type":"message","model":"claude-sonnet-4-5","stop_reason":"tool_use","content":[
		{"type":"thinking","thinking":"Thinking.","signature":"private-anthropic"},{"type":"redacted_thinking","data":"private-anthropic"},
		{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"private-anthropic"}},
		{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[{"type":"web_search_result","url":"https://example.com","encrypted_content":"private-anthropic"}]},
		{"type":"server_tool_use","id":"srvtoolu_2","name":"bash_code_execution","input":{"command":"private-anthropic"}},
		{"type":"bash_code_execution_tool_result","tool_use_id":"srvtoolu_2","content":{"type":"bash_code_execution_result","stdout":"private-anthropic"}},
		{"type":"text","text":"I look.","citations":[{"type":"web_search_result_location","url":"https://example.com","encrypted_index":"private-anthropic"}]},
		{"type":"tool_use","id":"toolu_1","name":"weather","input":{"city":"Bern"}}]}`,
	generate: `{"responseId":"1","modelVersion":"m","candidates":[{"finishReason":"STOP","content":{"role":"model","parts":[
		{"text":"Thinking.","thought":true},
		{"executableCode":{"language":"PYTHON","code":"private-gemini"}},{"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"private-gemini"}},
		{"text":"I look.","thoughtSignature":"private-gemini"},{"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgo="}},
		{"functionCall":{"name":"weather","args":{"city":"Bern"}},"thoughtSignature":"private-gemini"}]}}]}`,
}

// searching are answers that hold nothing but the work of tools on the provider's servers, if the API has any.
var searching = map[string]string{
	responses: `{"id":"1","model":"m","status":"completed","output":[{"type":"web_search_call","id":"ws_1","status":"completed","action":{"query":"private-responses"}}]}`,
	messages: `{"id":"1","type":"message","model":"claude-sonnet-4-5","stop_reason":"end_turn","content":[
		{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"private-anthropic"}},
		{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[{"type":"web_search_result","encrypted_content":"private-anthropic"}]}]}`,
	generate: `{"candidates":[{"finishReason":"STOP","content":{"role":"model","parts":[{"executableCode":{"code":"private-gemini"}}]}}]}`,
}

// done are answers that end a turn.
var done = map[string]string{
	chat:      `{"id":"2","model":"m","choices":[{"finish_reason":"stop","message":{"role":"assistant","content":"Sun."}}]}`,
	responses: `{"id":"2","model":"m","status":"completed","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Sun.","annotations":[]}]}]}`,
	messages:  `{"id":"2","type":"message","model":"claude-sonnet-4-5","stop_reason":"end_turn","content":[{"type":"text","text":"Sun."}]}`,
	generate:  `{"candidates":[{"finishReason":"STOP","content":{"role":"model","parts":[{"text":"Sun."}]}}]}`,
}

// marks are the marks of the APIs.
var marks = map[string]string{
	chat: "private-chat", responses: "private-responses", messages: "private-anthropic", generate: "private-gemini",
	onBedrock: "private-bedrock", onVertexMessages: "private-vertex-claude", onVertexGenerate: "private-vertex-google",
	onAzureChat: "private-azure-chat", onAzureResponses: "private-azure-responses",
}

// of returns the answer of an API, with its mark.
func of(answers map[string]string, api string) string {
	return strings.ReplaceAll(answers[spoken(api)], marks[spoken(api)], marks[api])
}

// thread is a thread whose model changes.
type thread struct {
	model.Request

	t        *testing.T
	streamed bool
	servers  map[string]*server // by API
}

func (c *thread) say(all ...abi.Message) { c.Messages = c.Messages.Append(all...) }

// next asks a model that speaks an API, checks what it was sent, and adds its answer.
func (c *thread) next(api, answer string) (ai *abi.Message, sent string) {
	c.t.Helper()
	if c.streamed {
		answer = streamOf(c.t, spoken(api), answer)
	}
	s := c.servers[api]
	if s == nil {
		s = serve(c.t)
		c.servers[api] = s
	}
	s.say(answer)
	resp, err := ask(c.t, modelOf(c.t, api, s.URL), &c.Request, c.streamed)
	require.NoError(c.t, err)
	body := s.last(c.t)
	require.Empty(c.t, valid(spoken(api), body), "%s\n%s", api, indented(c.t, body))
	out := *resp.AI()
	out.ID = fmt.Sprint("msg-", c.Messages.Len())
	out.ToolCalls = slices.Clone(out.ToolCalls)
	for i := range out.ToolCalls {
		if out.ToolCalls[i].ID == "" {
			out.ToolCalls[i].ID = fmt.Sprint(out.ID, "-", i) // as the host does
		}
	}
	entry, err := history.DecodeEntry(slices.Clone(history.Of(out).Entry(0).Encoded())) // it was stored
	require.NoError(c.t, err)
	c.say(*entry.Message())
	return entry.Message(), indented(c.t, body)
}

// bothWays runs a test with answers that come whole, and with streamed ones.
func bothWays(t *testing.T, name string, test func(t *testing.T, streamed bool)) {
	t.Helper()
	for way, streamed := range map[string]bool{"whole": false, "streamed": true} {
		t.Run(name+" "+way, func(t *testing.T) {
			t.Parallel()
			test(t, streamed)
		})
	}
}

func indented(t *testing.T, body any) string {
	t.Helper()
	text, err := json.MarshalIndent(body, "", " ")
	require.NoError(t, err)
	return string(text)
}

// requireOnlyMarksOf requires that a provider got all of its own private data back, if it has said any, and nobody else's.
func requireOnlyMarksOf(t *testing.T, sent, api, from string) {
	t.Helper()
	for of, mark := range marks {
		if own := of == api; own && api == from {
			require.Contains(t, sent, mark)
		} else {
			require.NotContains(t, sent, mark)
		}
	}
	if api != from {
		for _, word := range []string{"anthropic_", "openai_", "gemini_", "srvtoolu", "ws_1", "Thinking."} {
			require.NotContains(t, sent, word)
		}
	}
	require.Contains(t, sent, "I look.")
}

// A thread can change its provider at any turn, and also within one, while a call waits for its answer.
func TestAThreadChangesItsProvider(t *testing.T) {
	t.Parallel()
	image := abi.ImageBlock("image/png", []byte("\x89PNG\r\n\x1a\n"))
	picture := func(role abi.Role, text string) abi.Message {
		return abi.Message{Role: role, Content: abi.Blocks(abi.TextBlock(text), image)}
	}
	for _, from := range allAPIs {
		for _, to := range allAPIs {
			bothWays(t, from+" to "+to, func(t *testing.T, streamed bool) {
				c := thread{t: t, streamed: streamed, servers: map[string]*server{}, Request: model.Request{System: abi.Text("Be brief."), Tools: []abi.ToolSpec{{Name: "weather", Description: "Tells the weather."}}}}
				c.say(picture(abi.RoleHuman, "Where is this?"))
				ai, _ := c.next(from, of(working, from))
				require.Len(t, ai.ToolCalls, 1)
				shot := picture(abi.RoleTool, "rain")
				shot.ToolCallID, shot.Name = ai.ToolCalls[0].ID, "weather"
				c.say(shot)

				_, sent := c.next(to, of(done, to))
				requireOnlyMarksOf(t, sent, to, from)

				c.say(picture(abi.RoleHuman, "And now?"))
				ai, sent = c.next(to, of(working, to))
				requireOnlyMarksOf(t, sent, to, from)
				c.say(abi.ToolResult(ai.ToolCalls[0], "sun"))

				_, sent = c.next(from, of(done, from))
				require.Contains(t, sent, marks[from], "what the first provider has said goes back to it")
				if from != to {
					require.NotContains(t, sent, marks[to])
				}
				c.say(abi.Human("Thanks."))
				c.next(to, of(done, to))
			})
		}
	}
}

// What is left of an answer may be nothing.
func TestAThreadChangesItsProviderAfterASearch(t *testing.T) {
	t.Parallel()
	for _, from := range allAPIs {
		answer := of(searching, from)
		for _, to := range allAPIs {
			if from == to || answer == "" {
				continue
			}
			bothWays(t, from+" to "+to, func(t *testing.T, streamed bool) {
				c := thread{t: t, streamed: streamed, servers: map[string]*server{}}
				c.say(abi.Human("Look it up."))
				c.next(from, answer)
				c.say(abi.Human("And now?"))
				_, sent := c.next(to, of(done, to))
				require.NotContains(t, sent, marks[from])
				_, sent = c.next(from, of(done, from))
				require.Contains(t, sent, marks[from])
			})
		}
	}
}

// The same with a third-party server: one provider thinks and calls a tool, the other goes on.
func TestAThreadChangesItsProviderAtAimock(t *testing.T) {
	t.Parallel()
	address := testservers.Aimock(t, filepath.Join("testdata", "fixtures.json"))
	for _, from := range allAPIs {
		for _, to := range allAPIs {
			bothWays(t, from+" to "+to, func(t *testing.T, streamed bool) {
				tools := []abi.ToolSpec{{Name: "weather"}}
				question := abi.Human("[thinkcall]")
				resp, err := ask(t, modelOf(t, from, address), &model.Request{Messages: history.Of(question), Tools: tools}, streamed)
				require.NoError(t, err)
				ai := *resp.AI()
				require.Len(t, ai.ToolCalls, 1)
				if ai.ToolCalls[0].ID == "" {
					ai.ToolCalls[0].ID = "msg-1-0"
				}
				resp, err = ask(t, modelOf(t, to, address), &model.Request{
					Messages: history.Of(question, ai, abi.ToolResult(ai.ToolCalls[0], "rain")), Tools: tools,
				}, streamed)
				require.NoError(t, err)
				require.Equal(t, "Rain in Bern.", resp.AI().Content.Text())
			})
		}
	}
}
