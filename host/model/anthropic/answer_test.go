package anthropic_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/anthropic"
)

const (
	haiku  = "claude-haiku-4-5-20251001"
	sonnet = "claude-sonnet-4-5"
)

// expected are the answers in testdata/answers.
func expected(t testing.TB) map[string]*model.Response {
	t.Helper()
	own := func(of string) abi.Block { return block(t, of) }
	weather := func(id, args string) abi.ToolCall {
		return abi.ToolCall{ID: id, Name: "get_weather", Args: fromJSON(t, args)}
	}
	clock := func(args string) abi.ToolCall {
		return abi.ToolCall{ID: "call_B", Name: "get_time", Args: fromJSON(t, args)}
	}
	out := map[string]*model.Response{}
	add := func(name, by, stop, further string, in, produced uint64, content abi.Content, calls ...abi.ToolCall) {
		meta := settings(t, further).With(wire.Map{
			{Key: "id", Value: wire.String("msg_01")},
			{Key: "model", Value: wire.String(by)},
			{Key: "provider", Value: wire.String("anthropic")},
			{Key: "stop_reason", Value: wire.String(stop)},
		})
		out[name] = &model.Response{Model: by, StopReason: stop, Messages: []abi.Message{{
			Role: abi.RoleAI, Content: content, ToolCalls: calls, Meta: meta,
			Usage: &abi.Usage{InputTokens: in, OutputTokens: produced, TotalTokens: in + produced},
		}}}
	}
	add("text", sonnet, "end_turn", `{}`, 11, 7, abi.Text("Hello from aimock. Grüße, 世界 🎉 done."))
	out["text"].Messages[0].Meta.Set("id", wire.String("fixed-id-1"))
	add("call", sonnet, "tool_use", `{}`, 20, 9, abi.Content{}, weather("call_A", `{"city":"Zürich","unit":"c"}`))
	add("calls", sonnet, "tool_use", `{}`, 0, 0, abi.Content{}, weather("call_A", `{"city":"Zürich"}`), clock(`{"tz":"Europe/Zurich","format":"iso8601-with-offset"}`))
	add("text-and-call", sonnet, "tool_use", `{}`, 0, 0, abi.Text("Let me look."), weather("call_A", `{"city":"Zürich"}`))
	add("call-text-call", sonnet, "tool_use", `{}`, 0, 0,
		abi.Blocks(own(`{"type":"anthropic_tool_use","id":"call_A"}`), abi.TextBlock("In between text.")),
		weather("call_A", `{"city":"SF"}`), clock(`{"tz":"UTC"}`))
	add("call-without-arguments", sonnet, "tool_use", `{}`, 0, 0, abi.Content{}, abi.ToolCall{ID: "call_N", Name: "list_all", Args: fromJSON(t, `{}`)})
	add("thinking-and-call", sonnet, "tool_use", `{}`, 30, 15, abi.Blocks(abi.ReasoningBlock("I need the weather tool.", "c2lnbmF0dXJlLTE=")), weather("toolu_1", `{"city":"Bern"}`))
	add("redacted-thinking", sonnet, "end_turn", `{}`, 0, 0, abi.Blocks(
		own(`{"type":"reasoning","reasoning":"","redacted":"RU5DUllQVEVE"}`), own(`{"type":"reasoning","reasoning":"","redacted":"c2Vjb25k"}`),
		abi.ReasoningBlock("Visible part.", "c2ln"), abi.TextBlock("Answer.")))
	add("refusal", sonnet, "refusal", `{}`, 0, 0, abi.Blocks(abi.TextBlock("No."), abi.RefusalBlock("", "")))
	add("max-tokens", sonnet, "max_tokens", `{}`, 0, 0, abi.Text("This was cut"))
	add("usage", sonnet, "end_turn", `{}`, 100, 50, abi.Text("Cached."))
	add("empty-text", sonnet, "end_turn", `{}`, 0, 0, abi.Content{})
	add("emoji", sonnet, "end_turn", `{}`, 0, 0, abi.Text("😀😀😀😀😀"))
	add("cached-and-thought", haiku, "tool_use", `{}`, 2112, 345, abi.Blocks(abi.ReasoningBlock("First Zürich, then Bern.", "EqQBCgIYAhIM+/="), abi.TextBlock("Both.")),
		weather("toolu_01", `{"city":"Zürich","days":[1,2.5],"deep":{"a":null}}`))
	usage := out["cached-and-thought"].Messages[0].Usage
	usage.CacheCreationTokens, usage.CacheReadTokens, usage.ReasoningTokens = 100, 2000, 300
	add("hidden-thinking", haiku, "end_turn", `{}`, 3, 9, abi.Blocks(abi.ReasoningBlock("", "EosnCkYICxIM"), abi.TextBlock("42")))
	add("web-search", haiku, "end_turn", `{}`, 105, 50, abi.Blocks(abi.TextBlock("I look."),
		own(`{"type":"anthropic_server_tool_use","id":"srvtoolu_01","name":"web_search","input":{"query":"weather Zürich"},"caller":{"type":"direct"}}`),
		own(`{"type":"anthropic_web_search_tool_result","tool_use_id":"srvtoolu_01","caller":{"type":"direct"},"content":[
			{"type":"web_search_result","title":"Weather <Zürich>","url":"https://example.com/w","encrypted_content":"EqgfCioIARgB","page_age":null}]}`),
		abi.TextBlock("By the source, "),
		own(`{"type":"text","text":"it is sunny","citations":[
			{"type":"web_search_result_location","cited_text":"It is sunny …","url":"https://example.com/w","title":"Weather <Zürich>","encrypted_index":"Eo8BCio="}]}`),
		abi.TextBlock(".")))
	add("document-citation", haiku, "end_turn", `{}`, 1, 2, abi.Blocks(
		own(`{"type":"text","text":"The grass is green","citations":[
			{"type":"char_location","cited_text":"The grass is green.","document_index":0,"document_title":null,"start_char_index":0,"end_char_index":20,"file_id":null}]}`),
		abi.TextBlock(" today.")))
	add("programmatic-call", haiku, "tool_use", `{"container":{"id":"container_01","expires_at":"2026-11-22T12:00:00Z"}}`, 1, 2, abi.Blocks(
		own(`{"type":"anthropic_server_tool_use","id":"srvtoolu_02","name":"code_execution","input":{"code":"get_weather(\"Bern\")"}}`),
		own(`{"type":"anthropic_tool_use","id":"toolu_02","caller":{"type":"code_execution_20250825","tool_id":"srvtoolu_02"}}`)), weather("toolu_02", `{"city":"Bern"}`))
	add("refusal-with-details", haiku, "refusal", `{"stop_details":{"type":"refusal","category":"cyber","explanation":"No."}}`, 5, 0,
		abi.Blocks(abi.RefusalBlock("No.", "cyber")))
	add("context-window-exceeded", haiku, "model_context_window_exceeded", `{}`, 5, 2, abi.Text("So far"))
	add("stop-sequence", haiku, "stop_sequence", `{"stop_sequence":"END"}`, 5, 2, abi.Text("One, two"))
	add("compaction", haiku, "end_turn", `{}`, 5, 2, abi.Blocks(own(`{"type":"anthropic_compaction","content":"They spoke of the weather."}`), abi.TextBlock("Go on.")))
	add("mcp", haiku, "end_turn", `{}`, 5, 2, abi.Blocks(own(`{"type":"anthropic_mcp_tool_use","id":"mcptoolu_01","name":"echo","server_name":"ex","input":{"a":1}}`),
		own(`{"type":"anthropic_mcp_tool_result","tool_use_id":"mcptoolu_01","is_error":false,"content":[{"type":"text","text":"hi"}]}`)))
	add("unknown-block", haiku, "end_turn", `{}`, 5, 2, abi.Blocks(own(`{"type":"anthropic_hologram","id":"h1","depth":3.0,"parts":[{"type":"text","text":"x"}]}`)))
	return out
}

// kept are the names of the answers in testdata/answers.
func kept(t testing.TB) (names []string) {
	t.Helper()
	paths, err := filepath.Glob("testdata/answers/*.json")
	require.NoError(t, err)
	for _, path := range paths {
		names = append(names, strings.TrimSuffix(filepath.Base(path), ".json"))
	}
	return names
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	want := expected(t)
	require.Len(t, want, len(kept(t)))
	for name, want := range want {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := serve(t, answers(file(t, "answers", name+".json"))).model(t).Generate(t.Context(), request(abi.Human("hi")))
			require.NoError(t, err)
			require.Equal(t, want, got)
			require.Empty(t, got.AI().ID)
		})
	}
}

// TestAnswersAreSentBackAsTheyCame sends each answer back, and compares with what came.
func TestAnswersAreSentBackAsTheyCame(t *testing.T) {
	t.Parallel()
	for _, name := range kept(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var came struct {
				Content []map[string]any `json:"content"`
			}
			require.NoError(t, json.Unmarshal([]byte(file(t, "answers", name+".json")), &came))
			var want []any
			for _, b := range came.Content {
				if b["text"] == "" {
					continue // the API gives empty texts, but does not take them
				}
				if citations, ok := b["citations"].([]any); ok {
					for _, c := range citations {
						delete(of[map[string]any](t, c), "file_id") // the same
					}
				} else {
					delete(b, "citations")
				}
				if caller, ok := b["caller"].(map[string]any); ok && b["type"] == "tool_use" && caller["type"] == "direct" {
					delete(b, "caller") // the default
				}
				want = append(want, b)
			}
			resp, err := serve(t, answers(file(t, "answers", name+".json"))).model(t).Generate(t.Context(), request(abi.Human("hi")))
			require.NoError(t, err)
			messages := []abi.Message{abi.Human("hi"), *resp.AI()}
			for _, call := range resp.AI().ToolCalls {
				messages = append(messages, abi.ToolResult(call, "done"))
			}
			body := sent(t, request(append(messages, abi.Human("go on"))...), func(m *anthropic.Model) { m.Name = resp.Model })
			if want == nil {
				require.Len(t, body["messages"], 1)
				return
			}
			require.Equal(t, want, at(t, body, 1)["content"])
		})
	}
}

func TestStructured(t *testing.T) {
	t.Parallel()
	format := &model.Format{Name: "f", Schema: fromJSON(t, oracleFormat), Strict: true}
	for name, test := range map[string]struct{ content, want string }{
		"an object":        {`[{"type":"text","text":"{\"age\":"},{"type":"text","text":"4}"}]`, `{"age":4}`},
		"behind a thought": {`[{"type":"thinking","thinking":"x","signature":"y"},{"type":"text","text":" [1]\n"}]`, `[1]`},
		"no JSON":          {`[{"type":"text","text":"I cannot"}]`, ``},
		"nothing":          {`[]`, ``},
		"a call":           {`[{"type":"text","text":"{}"},{"type":"tool_use","id":"A","name":"f","input":{}}]`, ``},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := `{"type":"message","stop_reason":"end_turn","content":` + test.content + `}`
			for _, with := range []*model.Format{format, nil} {
				got, err := serve(t, answers(body)).model(t).Generate(t.Context(), request(abi.Human("hi")).WithFormat(with))
				require.NoError(t, err)
				if with == nil || test.want == "" {
					require.Nil(t, got.Structured)
					continue
				}
				require.Equal(t, fromJSON(t, test.want), got.Structured)
			}
		})
	}
}

func TestOddAnswers(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"a":`, 200) + `1` + strings.Repeat(`}`, 200)
	call := func(input string) string {
		return `{"content":[{"type":"tool_use","id":"A","name":"f","input":` + input + `}]}`
	}
	invalid := func(args string) func(t *testing.T, r *model.Response) {
		return func(t *testing.T, r *model.Response) {
			t.Helper()
			require.Empty(t, r.AI().ToolCalls)
			require.Len(t, r.AI().InvalidToolCalls, 1)
			got := r.AI().InvalidToolCalls[0]
			require.NotEmpty(t, got.Error)
			got.Error = ""
			require.Equal(t, abi.InvalidToolCall{ID: "A", Name: "f", Args: args}, got)
		}
	}
	for _, test := range []struct {
		name, body string
		check      func(t *testing.T, r *model.Response)
	}{
		{"the least", `{"content":[{"type":"text","text":"x"}]}`, func(t *testing.T, r *model.Response) {
			t.Helper()
			require.Equal(t, &model.Response{Messages: []abi.Message{{
				Role: abi.RoleAI, Content: abi.Text("x"), Meta: wire.Map{{Key: "provider", Value: wire.String("anthropic")}},
			}}}, r)
		}},
		{"empty and ended", `{"content":[],"stop_reason":"end_turn"}`, func(t *testing.T, r *model.Response) {
			t.Helper()
			require.True(t, r.AI().Content.IsZero())
		}},
		{"arguments of a list", call(`[1]`), invalid(`[1]`)},
		{"arguments of a text", call(`"{}"`), invalid(`"{}"`)},
		{"arguments too deep", call(deep), invalid(deep)},
		{"a key twice in arguments", call(`{"a":1,"a":2}`), invalid(`{"a":1,"a":2}`)},
		{"broken UTF-8 in arguments", call("{\"a\":\"\xff\"}"), func(t *testing.T, r *model.Response) {
			t.Helper()
			require.JSONEq(t, `{"a":"�"}`, r.AI().ToolCalls[0].Args.JSON())
		}},
		{"no arguments", call(`null`), func(t *testing.T, r *model.Response) {
			t.Helper()
			require.Equal(t, fromJSON(t, `{}`), r.AI().ToolCalls[0].Args)
		}},
		{"a call without anything", `{"content":[{"type":"tool_use"},{"type":"text","text":"x"}]}`, func(t *testing.T, r *model.Response) {
			t.Helper()
			require.Equal(t, []abi.ToolCall{{Args: fromJSON(t, `{}`)}}, r.AI().ToolCalls)
			require.Equal(t, abi.Text("x"), r.AI().Content)
		}},
		{"ids twice", `{"content":[{"type":"tool_use","id":"A","name":"f"},{"type":"tool_use","id":"A","name":"g"}]}`, func(t *testing.T, r *model.Response) {
			t.Helper()
			require.Len(t, r.AI().ToolCalls, 2)
		}},
		{"broken UTF-8", "{\"content\":[{\"type\":\"text\",\"text\":\"a\xffb\"}],\"model\":\"\xc3\"}", func(t *testing.T, r *model.Response) {
			t.Helper()
			require.Equal(t, "a�b", r.AI().Content.Text())
			require.Equal(t, "�", r.Model)
		}},
		{"thoughts without anything", `{"content":[{"type":"thinking"},{"type":"redacted_thinking"},{"type":"text","text":"x"}]}`, func(t *testing.T, r *model.Response) {
			t.Helper()
			require.Equal(t, abi.Text("x"), r.AI().Content)
		}},
		{"usage out of this world", `{"content":[],"stop_reason":"x","usage":{"input_tokens":1e300,"output_tokens":-5,"cache_read_input_tokens":"7","cache_creation_input_tokens":18446744073709551615,"output_tokens_details":[1]}}`, func(t *testing.T, r *model.Response) {
			t.Helper()
			require.Equal(t, &abi.Usage{CacheCreationTokens: 1 << 50, InputTokens: 1 << 51, TotalTokens: 1 << 51}, r.AI().Usage)
		}},
		{"many blocks", `{"content":[` + strings.Repeat(`{"type":"text","text":"x"},{"type":"tool_use","id":"A","name":"f"},`, 1<<13-1) + `{"type":"text","text":"x"},{"type":"text","text":"y"}]}`, func(t *testing.T, r *model.Response) {
			t.Helper()
			require.Len(t, r.AI().Content.Blocks(), 1<<14-1)
			require.Len(t, r.AI().ToolCalls, 1<<13-1)
		}},
		{"a large block of its own", `{"content":[{"type":"web_fetch_tool_result","data":"` + strings.Repeat("x", 5<<20) + `"}]}`, func(t *testing.T, r *model.Response) {
			t.Helper()
			require.Len(t, r.AI().Content.Blocks()[0].String("data"), 5<<20)
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := serve(t, answers(test.body)).model(t).Generate(t.Context(), request(abi.Human("hi")))
			require.NoError(t, err)
			test.check(t, got)
			for _, m := range got.Messages { // what came can be stored
				encoded := history.Of(m).Entry(0).Encoded()
				require.NoError(t, wire.Validate(encoded, wire.Limits{MaxBytes: len(encoded)}))
			}
		})
	}
}

func TestAnswersThatAreNone(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`[`, 20000) + strings.Repeat(`]`, 20000)
	for name, body := range map[string]string{
		"nothing":                  ``,
		"no JSON":                  `<html>`,
		"malformed":                file(t, "errors", "malformed.json"),
		"cut":                      plain[:60],
		"two values":               plain + plain,
		"null":                     `null`,
		"a list":                   `[]`,
		"no content":               `{"id":"msg_01","type":"message"}`,
		"null as content":          `{"content":null,"stop_reason":"end_turn"}`,
		"empty, and not ended":     `{"content":[]}`,
		"a text as content":        `{"content":"hi"}`,
		"a text as block":          `{"content":["hi"]}`,
		"null as block":            `{"content":[null]}`,
		"a block without a type":   `{"content":[{"text":"hi"}]}`,
		"a type that is not text":  `{"content":[{"type":5}]}`,
		"a text that is none":      `{"content":[{"type":"text","text":5}]}`,
		"citations that are none":  `{"content":[{"type":"text","text":"x","citations":{}}]}`,
		"citations twice the same": `{"content":[{"type":"text","text":"x","citations":[{"a":1,"a":2}]}]}`,
		"a thought that is none":   `{"content":[{"type":"thinking","thinking":{}}]}`,
		"a signature that is none": `{"content":[{"type":"thinking","thinking":"x","signature":[]}]}`,
		"redacted that is none":    `{"content":[{"type":"redacted_thinking","data":1}]}`,
		"an id that is none":       `{"content":[{"type":"tool_use","id":[1]}]}`,
		"a name that is none":      `{"content":[{"type":"tool_use","name":1}]}`,
		"a caller too deep":        `{"content":[{"type":"tool_use","id":"A","caller":` + strings.Repeat(`[`, 99) + strings.Repeat(`]`, 99) + `}]}`,
		"a block too deep":         `{"content":[{"type":"x","y":` + strings.Repeat(`[`, 99) + strings.Repeat(`]`, 99) + `}]}`,
		"deep":                     `{"content":` + deep + `}`,
		"too many blocks":          `{"content":[` + strings.Repeat(`{"type":"text","text":"x"},`, 1<<14) + `{"type":"text"}]}`,
		"an id of a number":        `{"id":1,"content":[]}`,
		"NaN":                      `{"content":[],"usage":{"input_tokens":NaN}}`,
		"usage that is none":       `{"content":[],"usage":5}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := serve(t, answers(body)).model(t).Generate(t.Context(), request(abi.Human("hi")))
			failed := failure(t, err)
			require.Equal(t, model.ErrorResponse, failed.Kind)
			require.True(t, failed.Retryable)
			require.Zero(t, failed.Status)
		})
	}
}

func TestErrorInAnAnswerThatBeganWell(t *testing.T) {
	t.Parallel()
	_, err := serve(t, answers(`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`)).model(t).Generate(t.Context(), request(abi.Human("hi")))
	require.Equal(t, model.ErrorOverloaded, failure(t, err).Kind)
	require.True(t, failure(t, err).Retryable)
}

func TestTestdataIsComplete(t *testing.T) {
	t.Parallel()
	for _, name := range kept(t) {
		_, err := os.Stat(filepath.Join("testdata", "answers", name+".sse"))
		require.NoError(t, err)
	}
}
