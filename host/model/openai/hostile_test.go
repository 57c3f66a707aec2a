package openai_test

import (
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/openai"
	"github.com/agenthost/agenthost/test/ratio"
)

// usable checks that an answer can be kept in a history, and sent again.
func usable(t testing.TB, resp *model.Response) {
	t.Helper()
	for i := range resp.Messages {
		encoded := history.Of(resp.Messages[i]).Entry(0).Encoded()
		require.NoError(t, wire.Validate(encoded, wire.Limits{MaxBytes: 1 << 30, MaxDepth: 1000, MaxNodes: 1 << 30}))
		_, err := history.DecodeEntry(encoded)
		require.NoError(t, err)
	}
	for _, api := range apis {
		m := &openai.Model{Name: "m", BaseURL: "http://localhost", API: api, HTTPClient: client(func(recorded) string { return hello[api] })}
		_, err := m.Generate(t.Context(), request(append([]abi.Message{hi}, resp.Messages...)...))
		require.NoError(t, err)
	}
}

// chatSaying is a response of Chat Completions whose message has these fields, whole or as a stream.
func chatSaying(message string, streaming bool) string {
	if streaming {
		return `data: {"id":"1","model":"m","choices":[{"index":0,"delta":{` + message + `},"finish_reason":"stop"}]}` + "\n\n"
	}
	return `{"id":"1","model":"m","choices":[{"index":0,"message":{` + message + `},"finish_reason":"stop"}]}`
}

// responsesSaying is a response of the Responses API with these items, whole or as a stream.
func responsesSaying(items string, streaming bool) string {
	whole := `{"id":"1","model":"m","status":"completed","output":[` + items + `]}`
	if streaming {
		return `data: {"type":"response.completed","response":` + whole + "}\n\n"
	}
	return whole
}

func deep(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }

// Whatever a server says, it is an answer that can be kept, or an error.
func TestHostileValues(t *testing.T) {
	t.Parallel()
	many := func(n int, entry string) string { return strings.TrimSuffix(strings.Repeat(entry+",", n), ",") }
	for name, test := range map[string]struct {
		chat, responses string // "": not there
		want            string // that the answer shows, or the error says
		fails           bool
	}{
		"broken UTF-8":              {`"content":"a` + "\xff\xc3" + `b"`, `{"type":"message","content":[{"type":"output_text","text":"a` + "\xff\xc3" + `b"}]}`, `text "a�b"`, false},
		"half a pair of surrogates": {`"content":"a\ud83d"`, `{"type":"message","content":[{"type":"output_text","text":"a\ud83d"}]}`, "text \"a�\"", false},
		"NUL and an escape":         {`"content":"\u0000\u001b[2J"`, `{"type":"message","content":[{"type":"output_text","text":"\u0000\u001b[2J"}]}`, `text "\x00\x1b[2J"`, false},
		"deep content":              {`"content":` + deep(10_001), `{"type":"message","content":` + deep(10_001) + `}`, "exceeded max depth", true},
		"deep parts": {
			`"content":[{"type":"x","x":` + deep(100) + `}]`, `{"type":"message","content":[{"type":"x","x":` + deep(100) + `}]}`, "the answer cannot be read", true,
		},
		"a deep item":                   {"", `{"type":"web_search_call","x":` + deep(100) + `}`, "the answer cannot be read", true},
		"deep reasoning":                {`"content":"x","reasoning_details":[{"type":"reasoning.text","text":"x","x":` + deep(100) + `}]`, `{"type":"reasoning","x":` + deep(100) + `}`, "the answer cannot be read", true},
		"deep further fields of a call": {`"tool_calls":[{"id":"a","function":{"name":"f"},"x":` + deep(100) + `}]`, "", "the answer cannot be read", true},
		"deep arguments": {
			`"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{\"x\":` + deep(100) + `}"}}]`,
			`{"type":"function_call","call_id":"a","name":"f","arguments":"{\"x\":` + deep(100) + `}"}`, "malformed a f", false,
		},
		"numbers that are too large": {`"content":[{"type":"x","x":1e999}]`, `{"type":"web_search_call","x":-1e999}`, "out of range", true},
		"a key twice":                {`"content":[{"type":"x","x":1,"x":2}]`, `{"type":"web_search_call","x":1,"x":2}`, "appears twice", true},
		"a key twice in arguments": {
			`"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{\"x\":1,\"x\":2}"}}]`,
			`{"type":"function_call","call_id":"a","name":"f","arguments":"{\"x\":1,\"x\":2}"}`, "malformed a f", false,
		},
		"NaN":                     {`"content":NaN`, `{"type":"message","content":NaN}`, "invalid character 'N'", true},
		"NaN in arguments":        {`"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{\"x\":NaN}"}}]`, `{"type":"function_call","call_id":"a","name":"f","arguments":"{\"x\":NaN}"}`, "malformed a f", false},
		"arguments as a list":     {`"tool_calls":[{"id":"a","function":{"name":"f","arguments":[1]}}]`, `{"type":"function_call","call_id":"a","name":"f","arguments":[1]}`, "malformed a f [1]", false},
		"arguments as a number":   {`"tool_calls":[{"id":"a","function":{"name":"f","arguments":7}}]`, `{"type":"function_call","call_id":"a","name":"f","arguments":7}`, "malformed a f 7", false},
		"arguments as null":       {`"tool_calls":[{"id":"a","function":{"name":"f","arguments":null}}]`, `{"type":"function_call","call_id":"a","name":"f","arguments":null}`, "call a f {}", false},
		"no arguments":            {`"tool_calls":[{"id":"a","function":{"name":"f"}}]`, `{"type":"function_call","call_id":"a","name":"f"}`, "call a f {}", false},
		"a call without anything": {`"tool_calls":[{}]`, `{"type":"function_call"}`, "call   {}", false},
		"calls with the same id": {
			`"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}},{"index":1,"id":"a","function":{"name":"g","arguments":"{}"}}]`,
			`{"type":"reasoning","encrypted_content":"x"},{"type":"function_call","call_id":"a","name":"f","arguments":"{}"},{"type":"function_call","call_id":"a","name":"g","arguments":"{}"}`,
			"call a f {}\ncall a g {}", false,
		},
		"odd indexes": {
			`"tool_calls":[{"index":9223372036854775807,"id":"a","function":{"name":"f"}},{"index":-9223372036854775808,"id":"b","function":{"name":"g"}}]`, "", "call ", false,
		},
		"an index that is not an integer":  {`"tool_calls":[{"index":0.5,"id":"a"}]`, "", "the answer cannot be read", true},
		"calls that are none":              {`"tool_calls":{"0":{}}`, `7`, "the answer cannot be read", true},
		"an id that is none":               {`"tool_calls":[{"id":true}]`, `{"type":"function_call","call_id":true}`, "the answer cannot be read", true},
		"too many calls":                   {`"tool_calls":[` + many(20_000, `{"id":"a"}`) + `]`, many(20_000, `{"type":"function_call"}`), "more than 16384 entries", true},
		"too many parts":                   {`"content":[` + many(20_000, `{"type":"text"}`) + `]`, `{"type":"message","content":[` + many(20_000, `{}`) + `]}`, "more than 16384 entries", true},
		"too many details":                 {`"reasoning_details":[` + many(20_000, `{}`) + `]`, `{"type":"reasoning","summary":[` + many(20_000, `{}`) + `]}`, "more than 16384 entries", true},
		"content that is none":             {`"content":{"text":"x"}`, `{"type":"message","content":{"text":"x"}}`, "the answer cannot be read", true},
		"a part that is none":              {`"content":["x"]`, `{"type":"message","content":["x"]}`, "the answer cannot be read", true},
		"a thought that is none":           {`"content":[{"type":"thinking","thinking":{}}]`, `{"type":"reasoning","summary":"x"}`, "the answer cannot be read", true},
		"a part of a thought that is none": {`"content":[{"type":"thinking","thinking":[7]}]`, `{"type":"reasoning","summary":[7]}`, "the answer cannot be read", true},
		"a thought as a text":              {`"content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"x"}]`, "", `"reasoning":"hm"`, false},
		"reasoning of other types":         {`"content":"x","reasoning":{"x":1},"reasoning_content":7,"reasoning_details":"x"`, "", `text "x"`, false},
		"details of other types":           {`"content":"x","reasoning_details":[7,"x",null,{},{"type":7,"text":7,"index":"x"}]`, "", `"reasoning_details":[{"index":"x","text":7,"type":7}]`, false},
		"a refusal and a text":             {`"content":"a","refusal":"b"`, `{"type":"message","content":[{"type":"output_text","text":"a"},{"type":"refusal","refusal":"b"}]}`, "text \"a\"\nrefusal {\"refusal\":\"b\"}\nstop \"refusal\"", false},
		"a refusal among parts":            {`"content":[{"type":"output_text","text":"a"},{"type":"refusal","refusal":"b"}]`, "", "text \"a\"\nrefusal {\"refusal\":\"b\"}\nstop \"refusal\"", false},
		"a legacy call":                    {`"content":"x","function_call":{"name":"f","arguments":"{}"}`, "", `text "x"`, false},
		"annotations that are none":        {"", `{"type":"message","content":[{"type":"output_text","text":"x","annotations":{}},{"type":"output_text","text":"y","annotations":null}]}`, `text "xy"`, false},
		"annotations with a key twice":     {"", `{"type":"message","content":[{"type":"output_text","text":"x","annotations":[{"a":1,"a":2}]}]}`, "appears twice", true},
		"items without a type":             {"", `{}`, `openai_item {"openai_item":{}}`, false},
		"items that are none":              {"", `7`, "the answer cannot be read", true},
		"a message without content":        {"", `{"type":"message"}`, "the answer cannot be read", true},
		"an encrypted thing that is none":  {"", `{"type":"reasoning","encrypted_content":7,"summary":null,"content":null}`, `"encrypted_content":7`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, streaming := range []bool{false, true} {
				for api, text := range map[openai.API]string{openai.ChatCompletions: test.chat, openai.Responses: test.responses} {
					switch {
					case text == "":
						continue
					case api == openai.ChatCompletions:
						text = chatSaying(text, streaming)
					default:
						text = responsesSaying(text, streaming)
					}
					resp, err := ask(t, modelAt(t, saying(t, text), api), request(hi), streaming)
					if test.fails {
						require.Equal(t, model.ErrorResponse, failure(t, err).Kind)
						if !streaming || api == openai.Responses || !strings.Contains(err.Error(), "an event") {
							require.ErrorContains(t, err, test.want)
						}
						continue
					}
					require.NoError(t, err)
					require.Contains(t, shown(resp), test.want)
					usable(t, resp)
				}
			}
		})
	}
}

func TestHostileUsage(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]*abi.Usage{
		`null`: nil, `{}`: nil, `false`: nil,
		`7`: {}, `[]`: {}, `"x"`: {},
		`{"prompt_tokens":-5,"completion_tokens":1e300,"total_tokens":"x"}`:                                                  {OutputTokens: 1 << 50, TotalTokens: 1 << 50},
		`{"prompt_tokens":12.0,"completion_tokens":null,"prompt_tokens_details":[],"completion_tokens_details":7}`:           {InputTokens: 12, TotalTokens: 12},
		`{"prompt_tokens":1e999,"completion_tokens":{"x":1},"prompt_tokens_details":{"cached_tokens":-1}}`:                   {},
		`{"prompt_tokens":10,"completion_tokens":5,"total_tokens":3}`:                                                        {InputTokens: 10, OutputTokens: 5, TotalTokens: 15},
		`{"prompt_tokens":10,"completion_tokens":5,"total_tokens":40,"completion_tokens_details":{"reasoning_tokens":25}}`:   {InputTokens: 10, OutputTokens: 30, ReasoningTokens: 25, TotalTokens: 40},
		`{"total_tokens":9223372036854775807}`:                                                                               {},
		`{"prompt_tokens":9,"prompt_cache_hit_tokens":8,"prompt_tokens_details":{"cached_tokens":7,"cache_write_tokens":1}}`: {InputTokens: 9, CacheReadTokens: 8, CacheCreationTokens: 1, TotalTokens: 9},
	} {
		for _, api := range apis {
			body := strings.TrimSuffix(hello[api], "}") + `,"usage":` + text + "}"
			if api == openai.Responses {
				body = strings.NewReplacer("prompt_tokens", "input_tokens", "completion_tokens", "output_tokens", "prompt_cache", "prompt_cache").Replace(body)
			}
			resp, err := modelAt(t, saying(t, body), api).Generate(t.Context(), request(hi))
			require.NoError(t, err)
			require.Equal(t, want, resp.AI().Usage, body)
		}
	}
}

// A response may not be longer than 64 MiB, however it comes.
func TestHugeResponses(t *testing.T) {
	t.Parallel()
	if ratio.Race {
		t.Skip("a hundred megabytes take minutes")
	}
	piece := strings.Repeat("x", 1<<20)
	for _, api := range apis {
		for name, test := range map[string]struct {
			streaming         bool
			begin, each, last string
		}{
			"whole":              {false, `{"choices":[{"message":{"content":"`, piece, ""},
			"events":             {true, "", "data: {\"type\":\"x\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"" + piece + "\"}}]}\n\n", ""},
			"comments":           {true, "", ": " + piece + "\n", ""},
			"a page":             {true, "<", piece, ""},
			"nothing but spaces": {true, "", strings.Repeat(" ", 1<<20), ""},
		} {
			t.Run(string(api)+" "+name, func(t *testing.T) {
				t.Parallel()
				s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
					_, err := io.WriteString(w, test.begin)
					for range 100 {
						if err != nil {
							return
						}
						_, err = io.WriteString(w, test.each)
					}
				})
				_, err := ask(t, modelAt(t, s, api), request(hi), test.streaming)
				require.ErrorContains(t, err, "the response is longer than 64 MiB")
				require.Equal(t, model.ErrorResponse, failure(t, err).Kind)
				require.False(t, failure(t, err).Retryable)
			})
		}
	}
}

// What a response costs grows with its length, and no faster. The test is not parallel: it counts the memory of all.
func TestLongResponsesAreLinear(t *testing.T) { //nolint:paralleltest // see above
	if ratio.Race {
		t.Skip("the race detector needs memory of its own")
	}
	repeated := func(n int, event string) string {
		var out strings.Builder
		for i := range n {
			out.WriteString("data: " + strings.ReplaceAll(event, "#", fmt.Sprint(i)) + "\n\n")
		}
		return out.String()
	}
	delta := func(fields string) string { return `{"choices":[{"index":0,"delta":{` + fields + `}}]}` }
	call := func(fields string) string { return delta(`"tool_calls":[{` + fields + `}]`) }
	parts := func(n int, part string) string {
		return strings.TrimSuffix(strings.Repeat(part+",", n), ",")
	}
	long := strings.Repeat("x", 200)
	const n, most = 20_000, 16_000
	for name, test := range map[string]struct {
		api       openai.API
		streaming bool
		text      string
	}{
		"texts":             {openai.ChatCompletions, true, repeated(n, delta(`"content":"0123456789"`))},
		"refusals":          {openai.ChatCompletions, true, repeated(n, delta(`"refusal":"0123456789"`))},
		"reasoning":         {openai.ChatCompletions, true, repeated(n, delta(`"reasoning":"0123456789"`))},
		"details":           {openai.ChatCompletions, true, repeated(n, delta(`"reasoning_details":[{"type":"reasoning.text","index":0,"text":"0123456789"}]`))},
		"thinking":          {openai.ChatCompletions, true, repeated(n, delta(`"content":[{"type":"thinking","thinking":[{"type":"text","text":"0123456789"}]}]`))},
		"parts":             {openai.ChatCompletions, true, repeated(n, delta(`"content":[{"type":"text","text":"0123456789"}]`))},
		"arguments":         {openai.ChatCompletions, true, repeated(n, call(`"index":0,"id":"a","function":{"name":"f","arguments":"0123456789"}`))},
		"names":             {openai.ChatCompletions, true, repeated(n, call(`"index":0,"function":{"name":"0123456789#"}`))},
		"calls":             {openai.ChatCompletions, true, repeated(most, call(`"index":#,"id":"c#","function":{"name":"f","arguments":"{}"},"x":1`))},
		"same index":        {openai.ChatCompletions, true, repeated(most, call(`"index":0,"id":"c#","function":{"name":"f","arguments":"{}"}`))},
		"no index":          {openai.ChatCompletions, true, repeated(most, call(`"function":{"name":"f","arguments":"{}"}`))},
		"deltas":            {openai.Responses, true, repeated(n, `{"type":"response.output_text.delta","delta":"0123456789"}`)},
		"items":             {openai.Responses, true, repeated(n, `{"type":"response.output_item.done","item":{"type":"message","content":[{"type":"output_text","text":"0123456789"}]}}`)},
		"many parts":        {openai.ChatCompletions, false, chatSaying(`"content":[`+parts(most, `{"type":"text","text":"`+long+`"}`)+`]`, false)},
		"items with texts":  {openai.Responses, false, responsesSaying(parts(most, `{"type":"message","content":[{"type":"output_text","text":"`+long+`"}]}`), false)},
		"texts of an item":  {openai.Responses, true, responsesSaying(`{"type":"message","content":[`+parts(most, `{"type":"output_text","text":"`+long+`"}`)+`]}`, true)},
		"reasoning, a call": {openai.Responses, false, responsesSaying(parts(most/2, `{"type":"reasoning","summary":[],"encrypted_content":"x"},{"type":"function_call","call_id":"c","name":"f"}`), false)},
	} {
		t.Run(name, func(t *testing.T) {
			text := test.text
			if test.streaming && test.api == openai.ChatCompletions {
				text += "data: [DONE]\n\n"
			}
			m := &openai.Model{Name: "m", BaseURL: "http://localhost", API: test.api, HTTPClient: client(func(recorded) string { return text })}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			var err error
			if test.streaming {
				for _, err = range m.Stream(t.Context(), request(hi)) {
					if err != nil {
						break
					}
				}
			} else {
				_, err = m.Generate(t.Context(), request(hi))
			}
			runtime.ReadMemStats(&after)
			if !strings.Contains(name, "deltas") && name != "items" { // which have no end
				require.NoError(t, err)
			}
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(100*len(text)), "%d bytes of text", len(text))
		})
	}
}

// fuzzed answers a request with any bytes.
func fuzzed(t *testing.T, api openai.API, text []byte, streaming bool) {
	t.Helper()
	m := &openai.Model{Name: "m", BaseURL: "http://localhost", API: api, HTTPClient: client(func(recorded) string { return string(text) })}
	req := request(hi).WithFormat(&model.Format{Name: "f"})
	var resp *model.Response
	var err error
	if streaming {
		var said strings.Builder
		for chunk, failed := range m.Stream(t.Context(), req) {
			require.NoError(t, err, "the error is the last")
			require.Nil(t, resp, "the response is the last")
			resp, err = chunk.Response, failed
			said.WriteString(chunk.Text)
		}
		require.True(t, utf8.ValidString(said.String()))
	} else {
		resp, err = m.Generate(t.Context(), req)
	}
	if err != nil {
		require.Nil(t, resp)
		require.True(t, utf8.ValidString(err.Error()))
		_ = failure(t, err)
		return
	}
	require.NotNil(t, resp.AI())
	usable(t, resp)
}
