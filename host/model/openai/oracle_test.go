package openai_test

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/internal/provider"
	"github.com/agenthost/agenthost/host/model/openai"
)

const (
	outSchema = `{"type":"object","properties":{"name":{"type":"string"},"age":{"type":"integer"}},"required":["name","age"],` +
		`"additionalProperties":false}`
	weatherArgs = `{"type":"object","properties":{"city":{"type":"string","description":"City name"},"unit":{"type":"string","enum":["c","f"]}},` +
		`"required":["city"],"additionalProperties":false}`
	pydantic = `{"properties":{"name":{"title":"Name","type":"string"},"age":{"title":"Age","type":"integer"}},"required":["name","age"],` +
		`"title":"Person","type":"object","additionalProperties":false}`
	png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

	question = "What is the weather in Zürich? See the picture."
	system   = `You are a terse weather assistant. Ünïcode <&> "quotes".`
)

func picture(t testing.TB) abi.Block {
	t.Helper()
	data, err := base64.StdEncoding.DecodeString(png)
	require.NoError(t, err)
	return abi.ImageBlock("image/png", data)
}

// conversation is what the scripts asked OpenAI's SDK for Python to send whose requests are in testdata/oracle.
func conversation(t *testing.T, api openai.API, settings string) *model.Request {
	t.Helper()
	calls := abi.AI("",
		abi.ToolCall{ID: "call_A", Name: "get_weather", Args: rawOf(t, `{"city":"Zürich","unit":"c"}`)},
		abi.ToolCall{ID: "call_B", Name: "list_all", Args: rawOf(t, `{}`)})
	second := abi.Message{Role: abi.RoleTool, ToolCallID: "call_B", Name: "list_all", Content: abi.Text("[]")}
	if api == openai.Responses {
		calls.Content = abi.Blocks(blockOf(t, `{"type":"reasoning","reasoning":"need weather","signature":"ZW5j","openai_before":"call_A",
			"openai_item":{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"need weather"}]}}`))
		second.Content = abi.Blocks(abi.TextBlock("see image"), picture(t))
	}
	req := request(
		abi.Message{Role: abi.RoleHuman, Content: abi.Blocks(
			abi.TextBlock(question), provider.With(picture(t), "detail", wire.String("low")))},
		calls,
		abi.Message{Role: abi.RoleTool, ToolCallID: "call_A", Name: "get_weather", Content: abi.Text("21 °C, sunny")},
		second,
		abi.AI("It is 21 °C."),
		abi.Human("Now answer as JSON."),
	)
	req.System = abi.Text(system)
	req.Tools = tools(t)
	req.Settings = mapOf(t, settings)
	return req
}

func tools(t *testing.T) []abi.ToolSpec {
	t.Helper()
	return []abi.ToolSpec{
		{Name: "get_weather", Description: "Look up the current weather", Parameters: rawOf(t, weatherArgs)},
		{Name: "list_all", Description: "List all cities"},
	}
}

// The first tool is strict, which only a setting can say.
const (
	strictChat     = `"tools":[{"type":"function","function":{"name":"get_weather","strict":true}}]`
	strictResponse = `"tools":[{"type":"function","name":"get_weather","strict":true}]`
)

func TestRequestsAreThoseOfTheSDK(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		model   string
		request func(t *testing.T) *model.Request
	}{
		"chat-minimal": {"gpt-4o", func(*testing.T) *model.Request { return request(hi) }},
		"chat-full": {"gpt-4o", func(t *testing.T) *model.Request {
			t.Helper()
			req := conversation(t, openai.ChatCompletions, `{`+strictChat+`,"parallel_tool_calls":false,"temperature":0.2,"top_p":0.9,"max_tokens":256,`+
				`"stop":["END"],"seed":7,"user":"u1"}`)
			req.ToolChoice = "auto"
			return req.WithFormat(&model.Format{Name: "person", Description: "a person", Schema: rawOf(t, outSchema), Strict: true})
		}},
		"chat-full-stream": {"gpt-4o", func(t *testing.T) *model.Request {
			t.Helper()
			req := conversation(t, openai.ChatCompletions, `{`+strictChat+`,"temperature":0.2,"max_completion_tokens":256}`)
			req.ToolChoice = "get_weather"
			return req.WithFormat(&model.Format{Name: "person", Description: "a person", Schema: rawOf(t, outSchema), Strict: true})
		}},
		"chat-json-object-tool-none": {"gpt-4o", func(t *testing.T) *model.Request {
			t.Helper()
			req := conversation(t, openai.ChatCompletions, `{`+strictChat+`,"response_format":{"type":"json_object"}}`)
			req.ToolChoice = "none"
			return req
		}},
		"chat-parse-pydantic": {"gpt-4o", func(t *testing.T) *model.Request {
			t.Helper()
			req := request(abi.Human("Now answer as JSON."))
			return req.WithFormat(&model.Format{Name: "Person", Schema: rawOf(t, pydantic), Strict: true})
		}},
		"chat-reasoning-model": {"gpt-5", func(t *testing.T) *model.Request {
			t.Helper()
			req := request(abi.Human(question))
			req.System = abi.Text(system)
			req.Tools = tools(t)
			req.ToolChoice = "any"
			req.Settings = mapOf(t, `{`+strictChat+`,"reasoning_effort":"low","verbosity":"low","max_completion_tokens":256}`)
			return req
		}},
		"responses-minimal": {"gpt-5", func(*testing.T) *model.Request { return request(hi) }},
		"responses-full": {"gpt-5", func(t *testing.T) *model.Request {
			t.Helper()
			req := conversation(t, openai.Responses, `{`+strictResponse+`,"parallel_tool_calls":false,"temperature":0.2,"max_tokens":256,`+
				`"reasoning":{"effort":"low","summary":"auto"}}`)
			req.ToolChoice = "auto"
			return req.WithFormat(&model.Format{Name: "person", Schema: rawOf(t, outSchema), Strict: true})
		}},
		"responses-full-stream": {"gpt-5", func(t *testing.T) *model.Request {
			t.Helper()
			req := conversation(t, openai.Responses, `{`+strictResponse+`,"temperature":0.2,"max_output_tokens":256}`)
			req.ToolChoice = "get_weather"
			return req.WithFormat(&model.Format{Name: "person", Schema: rawOf(t, outSchema), Strict: true})
		}},
		"responses-parse-pydantic": {"gpt-5", func(t *testing.T) *model.Request {
			t.Helper()
			req := request(abi.Human("Now answer as JSON."))
			return req.WithFormat(&model.Format{Name: "Person", Schema: rawOf(t, pydantic), Strict: true})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			api := openai.ChatCompletions
			if strings.HasPrefix(name, "responses") {
				api = openai.Responses
			}
			streaming := strings.HasSuffix(name, "-stream")
			said := hello[api]
			if streaming {
				said = helloStream[api]
			}
			s := saying(t, said)
			m := modelAt(t, s, api)
			m.Name = test.model
			_, err := ask(t, m, test.request(t), streaming)
			require.NoError(t, err)
			got := s.last(t)
			require.Equal(t, map[openai.API]string{openai.ChatCompletions: "/v1/chat/completions", openai.Responses: "/v1/responses"}[api], got.path)
			require.Equal(t, "Bearer test-key", got.header.Get("Authorization"))
			require.Equal(t, "application/json", got.header.Get("Content-Type"))
			require.Equal(t, "application/json", got.header.Get("Accept"))
			require.NotContains(t, got.text, `\u003c`, "texts stay readable")
			want, ok := parsed(t, testdata(t, "oracle", name+".json")).(map[string]any)
			require.True(t, ok)
			body, ok := parsed(t, got.text).(map[string]any)
			require.True(t, ok)
			sameRequest(t, api, want, body)
			require.Equal(t, indented(t, want), indented(t, body))
		})
	}
}

// sameRequest takes out of two requests what differs on purpose.
func sameRequest(t *testing.T, api openai.API, want, got map[string]any) {
	t.Helper()
	if want["stream"] == false { // which is the default
		delete(want, "stream")
	}
	if api == openai.ChatCompletions {
		messages, _ := want["messages"].([]any)
		if first, _ := messages[0].(map[string]any); first["role"] == "developer" { // as which OpenAI takes "system"
			first["role"] = "system"
		}
		return
	}
	if text, ok := want["input"].(string); ok {
		want["input"] = []any{map[string]any{"role": "user", "content": text}}
	}
	items, _ := want["input"].([]any)
	for _, item := range items { // which only OpenAI needs, to find what it has stored
		if item, _ := item.(map[string]any); item["type"] == "function_call" || item["type"] == "message" {
			delete(item, "id")
			delete(item, "status")
		}
	}
	if _, ok := want["store"]; !ok {
		require.Equal(t, false, got["store"])
		delete(got, "store")
	}
	if _, ok := want["include"]; !ok {
		require.Equal(t, []any{"reasoning.encrypted_content"}, got["include"])
		delete(got, "include")
	}
}

func indented(t *testing.T, v any) string {
	t.Helper()
	text, err := json.MarshalIndent(v, "", " ")
	require.NoError(t, err)
	return string(text)
}
