package gemini_test

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/gemini"
)

const (
	outSchema   = `{"type":"object","properties":{"name":{"type":"string"},"age":{"type":"integer"}},"required":["name","age"],"additionalProperties":false}`
	weatherArgs = `{"type":"object","properties":{"city":{"type":"string","description":"City name"},"unit":{"type":"string","enum":["c","f"]}},` +
		`"required":["city"],"additionalProperties":false}`
	png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)

// conversation is what the scripts asked Google's SDK for Python to send whose requests are in testdata/oracle.
func conversation(t *testing.T) *model.Request {
	t.Helper()
	picture, err := base64.StdEncoding.DecodeString(png)
	require.NoError(t, err)
	calls := abi.AI("",
		abi.ToolCall{ID: "fc_A", Name: "get_weather", Args: rawOf(t, `{"city":"Zürich","unit":"c"}`)},
		abi.ToolCall{ID: "host-1", Name: "list_all", Args: rawOf(t, `{}`)})
	calls.Meta = wire.Map{{
		Key: gemini.MetaCalls, Value: rawOf(t, `[{"name":"get_weather","id":"fc_A","thought_signature":"c2lnLfv/"},{"name":"list_all"}]`),
	}}
	req := request(
		abi.Message{Role: abi.RoleHuman, Content: abi.Blocks(
			abi.TextBlock("What is the weather in Zürich? See the picture."), abi.ImageBlock("image/png", picture))},
		calls,
		abi.Message{Role: abi.RoleTool, ToolCallID: "fc_A", Name: "get_weather", Content: abi.Text("21 °C, sunny")},
		abi.Message{Role: abi.RoleTool, ToolCallID: "host-1", Name: "list_all", Content: abi.Text("failed"), Status: abi.StatusError},
		abi.AI("It is 21 °C."),
		abi.Human("Now answer as JSON."),
	)
	req.System = abi.Text(`You are a terse weather assistant. Ünïcode <&> "quotes".`)
	req.Tools = []abi.ToolSpec{
		{Name: "get_weather", Description: "Look up the current weather", Parameters: rawOf(t, weatherArgs)},
		{Name: "list_all", Description: "List all cities"},
	}
	return req
}

func TestRequestsAreThoseOfTheSDK(t *testing.T) {
	t.Parallel()
	const question = "What is the weather in Zürich? See the picture."
	for name, test := range map[string]struct {
		model     string
		streaming bool
		request   func(t *testing.T) *model.Request
	}{
		"minimal": {"gemini-2.5-flash", false, func(*testing.T) *model.Request { return request(abi.Human("hi")) }},
		"full": {"gemini-2.5-flash", false, func(t *testing.T) *model.Request {
			t.Helper()
			req := conversation(t)
			req.ToolChoice = "auto"
			req.Format = &model.Format{Name: "person", Schema: rawOf(t, outSchema)}
			req.Settings = mapOf(t, `{"generationConfig":{"temperature":0.2,"topP":0.9,"topK":5,"maxOutputTokens":256,"stopSequences":["END"],"seed":7}}`)
			return req
		}},
		"full-stream": {"gemini-2.5-flash", true, func(t *testing.T) *model.Request {
			t.Helper()
			req := conversation(t)
			req.ToolChoice = "get_weather"
			req.Settings = mapOf(t, `{"generationConfig":{"temperature":0.2,"maxOutputTokens":256}}`)
			return req
		}},
		"thinking-level": {"gemini-3-pro-preview", false, func(t *testing.T) *model.Request {
			t.Helper()
			req := request(abi.Human(question))
			req.Settings = mapOf(t, `{"generationConfig":{"thinkingConfig":{"thinkingLevel":"LOW"}}}`)
			return req
		}},
		"file-uri-image": {"gemini-2.5-flash", false, func(*testing.T) *model.Request {
			return request(abi.Message{Role: abi.RoleHuman, Content: abi.Blocks(
				abi.ImageURLBlock("https://example.com/a.png"), abi.TextBlock(question))})
		}},
		"safety-cached": {"gemini-2.5-flash", false, func(t *testing.T) *model.Request {
			t.Helper()
			req := request(abi.Human("x"))
			req.Settings = mapOf(t, `{"safetySettings":[{"category":"HARM_CATEGORY_HATE_SPEECH","threshold":"BLOCK_NONE"}],"cachedContent":"cachedContents/abc"}`)
			return req
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var oracle []struct {
				Path    string     `json:"path"`
				Body    string     `json:"body_utf8"`
				Headers [][]string `json:"headers"`
			}
			require.NoError(t, json.Unmarshal([]byte(testdata(t, "oracle", name+".json")), &oracle))
			s := saying(t, asEvent(hello, test.streaming))
			m := modelAt(t, s)
			m.Name = test.model
			_, err := ask(t.Context(), m, test.request(t), test.streaming)
			require.NoError(t, err)
			got := s.last(t)
			path := got.path
			if got.query != "" {
				path += "?" + got.query
			}
			require.Equal(t, oracle[0].Path, path)
			require.Equal(t, normal("", parsed(t, oracle[0].Body)), normal("", any(got.body)))
			for _, header := range oracle[0].Headers {
				if name := strings.ToLower(header[0]); name == "x-goog-api-key" || name == "content-type" {
					require.Equal(t, header[1], got.header.Get(name))
				}
			}
		})
	}
}

// normal returns a body as all of its spellings are: keys in camel case outside of schemas and arguments, bytes in the
// standard's base64, a tool's result under the key that this package takes, and no empty config.
func normal(under string, value any) any {
	switch value := value.(type) {
	case []any:
		for i := range value {
			value[i] = normal(under, value[i])
		}
		return value
	case map[string]any:
		out := map[string]any{}
		for key, field := range value {
			key = camel(key)
			switch {
			case key == "args", strings.HasSuffix(key, "JsonSchema"):
			case under == "response" && key == "output":
				key = "result"
			default:
				field = normal(key, field)
			}
			if config, ok := field.(map[string]any); !ok || len(config) > 0 || key != "generationConfig" {
				out[key] = field
			}
		}
		return out
	case string:
		if under == "thoughtSignature" || under == "data" {
			return strings.NewReplacer("-", "+", "_", "/").Replace(value)
		}
	}
	return value
}

func camel(key string) string {
	words := strings.Split(key, "_")
	for i, word := range words[1:] {
		words[i+1] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.Join(words, "")
}
