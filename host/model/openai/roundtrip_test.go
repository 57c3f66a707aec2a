package openai_test

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/openai"
)

// sentBack returns what a request says of an answer that came from a server, after it was stored: the request that follows it
// in a turn, and one of a later turn.
func sentBack(t *testing.T, sample, file string, streaming bool, change func(*openai.Model)) (now, later map[string]any) {
	t.Helper()
	api := apiOf(sample)
	m := &openai.Model{
		Name: "gpt-5.2", BaseURL: oneServer, APIKey: "test-key", API: api,
		HTTPClient: client(func(recorded) string { return testdata(t, file) }),
	}
	resp, err := ask(t, m, request(hi), streaming)
	require.NoError(t, err)
	ai := *resp.AI()
	for i := range ai.ToolCalls {
		if ai.ToolCalls[i].ID == "" {
			ai.ToolCalls[i].ID = "given-" + string(rune('a'+i))
		}
	}
	entry, err := history.DecodeEntry(slices.Clone(history.Of(ai).Entry(0).Encoded()))
	require.NoError(t, err)
	messages := []abi.Message{hi, *entry.Message()}
	for i := range ai.ToolCalls {
		messages = append(messages, abi.ToolResult(ai.ToolCalls[i], "ok"))
	}
	again := func(messages ...abi.Message) map[string]any {
		next := &openai.Model{API: api}
		if change != nil {
			change(next)
		}
		return sent(t, next, request(messages...), streaming)
	}
	return again(messages...), again(append(messages, abi.AI("so"), abi.Human("and now?"))...)
}

// What a server said comes back to it as it was, in this turn and in later ones.
func TestChatAnswersGoBack(t *testing.T) {
	t.Parallel()
	for sample, want := range map[string]string{
		"chat/deepseek": `{"role":"assistant","content":"I look.","reasoning_content":"The user wants the weather.","tool_calls":
			[{"id":"call_00_x","type":"function","function":{"name":"weather","arguments":"{\"city\":\"Bern\"}"}}]}`,
		"chat/deepseek-no-thought": `{"role":"assistant","content":null,"reasoning_content":"","tool_calls":
			[{"id":"call_00_y","type":"function","function":{"name":"weather","arguments":"{}"}}]}`,
		"chat/openrouter": `{"role":"assistant","content":null,"reasoning_details":[
			{"type":"reasoning.text","text":"Let me think. Sun?","signature":"c2lnLfv/","format":"anthropic-claude-v1","index":0},
			{"type":"reasoning.encrypted","data":"b3BhcXVl","id":"rs_1","format":"openai-responses-v1","index":1},
			{"type":"reasoning.summary","summary":"Sun it is.","format":"openai-responses-v1","index":2,"big":9007199254740993}],
			"tool_calls":[{"id":"toolu_1","type":"function","function":{"name":"weather","arguments":"{\"city\":\"Bern\"}"}}]}`,
		"chat/litellm": `{"role":"assistant","content":"I look.","thinking_blocks":[
			{"type":"thinking","thinking":"Let me think. Sun?","signature":"c2lnLfv/"},{"type":"redacted_thinking","data":"b3BhcXVl"},
			{"type":"thinking","thinking":" Bern it is.","signature":"Ym90aA=="},{"type":"thinking","thinking":"","signature":"aGlkZGVu"}],
			"tool_calls":[{"id":"toolu_1","type":"function","function":{"name":"weather","arguments":"{\"city\":\"Bern\"}"}}]}`,
		"chat/vllm": `{"role":"assistant","content":"4","reasoning_content":"2+2"}`,
		"chat/mistral": `{"role":"assistant","content":[{"type":"thinking","thinking":[{"type":"text","text":"Two and two."}]},
			{"type":"text","text":"It is 4."},{"type":"reference","reference_ids":[1,2]},{"type":"text","text":" Sure."}]}`,
		"chat/gemini": `{"role":"assistant","content":null,"tool_calls":[
			{"id":"jm4owj31","type":"function","function":{"name":"weather","arguments":"{\"city\":\"Bern\"}"},"extra_content":{"google":{"thought_signature":"AY89a18IwQ=="}}},
			{"id":"k2","type":"function","function":{"name":"weather","arguments":"{\"city\":\"Chur\"}"}}]}`,
		"chat/no-ids": `{"role":"assistant","content":null,"tool_calls":[
			{"id":"given-a","type":"function","function":{"name":"weather","arguments":"{\"city\":\"Bern\"}"}},
			{"id":"given-b","type":"function","function":{"name":"weather","arguments":"{\"city\":\"Chur\"}"}},
			{"id":"given-c","type":"function","function":{"name":"time","arguments":"{}"}}]}`,
	} {
		t.Run(sample, func(t *testing.T) {
			t.Parallel()
			for file, streaming := range map[string]bool{sample + ".json": false, sample + ".sse": true} {
				now, later := sentBack(t, sample, file, streaming, nil)
				for _, body := range []map[string]any{now, later} {
					messages, ok := body["messages"].([]any)
					require.True(t, ok)
					require.Equal(t, indented(t, parsed(t, want)), indented(t, messages[1]), file)
				}
			}
		})
	}
}

// OpenAI's own models refuse what other servers add.
func TestOpenAIGetsNothingOfOtherServers(t *testing.T) {
	t.Parallel()
	for sample, want := range map[string]string{
		"chat/deepseek": `{"role":"assistant","content":"I look.","tool_calls":
			[{"id":"call_00_x","type":"function","function":{"name":"weather","arguments":"{\"city\":\"Bern\"}"}}]}`,
		"chat/gemini": `{"role":"assistant","content":null,"tool_calls":[
			{"id":"jm4owj31","type":"function","function":{"name":"weather","arguments":"{\"city\":\"Bern\"}"}},
			{"id":"k2","type":"function","function":{"name":"weather","arguments":"{\"city\":\"Chur\"}"}}]}`,
	} {
		t.Run(sample, func(t *testing.T) {
			t.Parallel()
			resp, err := modelAt(t, saying(t, testdata(t, sample+".json")), openai.ChatCompletions).Generate(t.Context(), request(hi))
			require.NoError(t, err)
			var got recorded
			m := &openai.Model{Name: "gpt-5.2", APIKey: "key", HTTPClient: client(func(r recorded) string {
				got = r
				return hello[openai.ChatCompletions]
			})}
			_, err = m.Generate(t.Context(), request(hi, *resp.AI()))
			require.NoError(t, err)
			messages, ok := got.body["messages"].([]any)
			require.True(t, ok)
			require.Equal(t, indented(t, parsed(t, want)), indented(t, messages[1]))
		})
	}
}

// OpenAI refuses long ids of calls, which other providers make. Other servers may need them.
func TestLongIDsOfCalls(t *testing.T) {
	t.Parallel()
	call := abi.Call(strings.Repeat("x", 200), "weather", nil)
	other := abi.Call(strings.Repeat("x", 199)+"y", "weather", nil)
	for _, api := range apis {
		for _, base := range []string{"", "http://localhost:1/v1"} {
			var got recorded
			m := &openai.Model{Name: "gpt-5.2", API: api, BaseURL: base, APIKey: "key", HTTPClient: client(func(r recorded) string {
				got = r
				return hello[api]
			})}
			_, err := m.Generate(t.Context(), request(hi, abi.AI("", call, other), abi.ToolResult(call, "sun"), abi.ToolResult(other, "rain")))
			require.NoError(t, err)
			ids := map[string]int{}
			for _, found := range regexp.MustCompile(`"(?:call_id|tool_call_id|id)":"([^"]*)"`).FindAllStringSubmatch(got.text, -1) {
				ids[found[1]]++
				require.Equal(t, base == "", len(found[1]) <= 40, found[1])
			}
			require.Equal(t, []int{2, 2}, slices.Collect(maps.Values(ids)), "each is in its call and in its answer")
		}
	}
}

// All items of an answer are sent back as they came, in an order in which reasoning stands before what it led to.
func TestResponsesAnswersGoBack(t *testing.T) {
	t.Parallel()
	var answer struct {
		Output []json.RawMessage `json:"output"`
	}
	require.NoError(t, json.Unmarshal([]byte(testdata(t, "responses/everything.json")), &answer))
	want := make([]any, len(answer.Output))
	for i, item := range answer.Output {
		want[i] = parsed(t, string(item))
	}
	for file, streaming := range map[string]bool{"responses/everything.json": false, "responses/everything.sse": true} {
		now, later := sentBack(t, "responses/everything", file, streaming, nil)
		for _, body := range []map[string]any{now, later} {
			items, ok := body["input"].([]any)
			require.True(t, ok)
			got := items[1:]
			for _, i := range []int{0, 1, 2, 5} { // reasoning, a search, reasoning; texts as messages of their own; reasoning
				require.Equal(t, indented(t, want[min(i, 4)]), indented(t, got[i]))
			}
			require.Equal(t, indented(t, parsed(t, `{"type":"message","role":"assistant","phase":"commentary","content":[{"type":"output_text","text":"Rain, ",
				"annotations":[{"type":"url_citation","start_index":0,"end_index":4,"url":"https://example.com/wetter","title":"Wetter"}]}]}`)), indented(t, got[3]))
			require.Equal(t, indented(t, parsed(t, `{"type":"message","role":"assistant","phase":"commentary","content":[{"type":"output_text","text":"they say.",
				"annotations":[]}]}`)), indented(t, got[4]))
			require.Equal(t, indented(t, parsed(t, `{"type":"function_call","call_id":"call_A","name":"weather","arguments":"{\"city\":\"Zürich\"}"}`)), indented(t, got[6]))
			require.Equal(t, indented(t, parsed(t, `{"type":"function_call","call_id":"call_B","name":"time","arguments":"{}"}`)), indented(t, got[7]))
		}
	}
}

// A model that only thought before it ran out of tokens goes on from there: nothing of that is sent.
func TestOnlyAThoughtIsNotSentBack(t *testing.T) {
	t.Parallel()
	now, _ := sentBack(t, "responses/only-thought", "responses/only-thought.json", false, nil)
	require.Equal(t, indented(t, parsed(t, `[{"role":"user","content":"hi"}]`)), indented(t, now["input"]))
}

// An item survives in msgpack as far as that matters: integers to 64 bits, floats, null, all of Unicode, the order of lists.
func TestItemsKeepWhatTheySay(t *testing.T) {
	t.Parallel()
	const item = `{"type":"mcp_call","id":"mcp_1","i":[0,-1,9223372036854775807,-9223372036854775808,18446744073709551615],"f":[0.1,1e+300,-2.5e-7,3.0],
		"n":null,"b":[true,false],"s":["","\u0000\u001f\u007f","\"\\/<>&","é","é","\u2028","🌦️","\ud83c\udf26"],"o":{},"l":[],"d":[[[[[[[["deep"]]]]]]]]}`
	const text = `{"id":"r","model":"m","status":"completed","output":[` + item + `,{"type":"message","content":[{"type":"output_text","text":"so"}]}]}`
	resp, err := (&openai.Model{
		Name: "gpt-5.2", APIKey: "key", API: openai.Responses, HTTPClient: client(func(recorded) string { return text }),
	}).Generate(t.Context(), request(hi))
	require.NoError(t, err)
	var got recorded
	next := &openai.Model{Name: "gpt-5.2", APIKey: "key", API: openai.Responses, HTTPClient: client(func(r recorded) string {
		got = r
		return hello[openai.Responses]
	})}
	_, err = next.Generate(t.Context(), &model.Request{Messages: history.Of(hi, *resp.AI())})
	require.NoError(t, err)
	input, ok := got.body["input"].([]any)
	require.True(t, ok)
	require.Equal(t, indented(t, parsed(t, item)), indented(t, input[1]))
}
