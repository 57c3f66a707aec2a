package builtin_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/anthropic"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

const notSupported = "AnthropicPromptCachingMiddleware caching middleware only supports Anthropic models, not instances of "

// claude is a model of Anthropic that answers with its name.
func claude(errs ...error) *asked {
	m := failing("claude", errs...)
	m.info = model.Info{Name: "claude-sonnet-4-5", Provider: "anthropic", Caching: true}
	return m
}

func TestAnthropicPromptCaching(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		config builtin.AnthropicPromptCaching
		info   model.Info
		system string
		want   string // the settings
		warned string
	}{
		{
			name: "a model of Anthropic", info: model.Info{Name: "claude-sonnet-4-5", Provider: "anthropic", Caching: true},
			want: `{"cache_control":{"ttl":"5m","type":"ephemeral"}}`,
		},
		{
			name: "a new one", info: model.Info{Name: "claude-next", Provider: "anthropic"}, want: `{"cache_control":{"ttl":"5m","type":"ephemeral"}}`,
		},
		{
			name: "one that says that it caches", info: model.Info{Name: "claude", Provider: "bedrock", Caching: true},
			config: builtin.AnthropicPromptCaching{Type: "ephemeral", TTL: "1h"}, want: `{"cache_control":{"ttl":"1h","type":"ephemeral"}}`,
		},
		{
			name: "one that is known not to cache", info: model.Info{Name: "claude-3-sonnet", Provider: "anthropic"},
			want: `{}`, warned: notSupported + "anthropic:claude-3-sonnet",
		},
		{name: "another provider", info: model.Info{Name: "gpt-5", Provider: "openai"}, want: `{}`, warned: notSupported + "openai:gpt-5"},
		{name: "no provider", info: model.Info{Name: "x"}, config: builtin.AnthropicPromptCaching{UnsupportedModelBehavior: "warn"}, want: `{}`, warned: notSupported + "x"},
		{
			name: "another provider, ignored", info: model.Info{Name: "gpt-5", Provider: "openai"},
			config: builtin.AnthropicPromptCaching{UnsupportedModelBehavior: "ignore"}, want: `{}`,
		},
		{
			name: "as many messages as needed", info: model.Info{Provider: "anthropic"}, config: builtin.AnthropicPromptCaching{MinMessagesToCache: 1},
			want: `{"cache_control":{"ttl":"5m","type":"ephemeral"}}`,
		},
		{name: "too few messages", info: model.Info{Provider: "anthropic"}, config: builtin.AnthropicPromptCaching{MinMessagesToCache: 2}, want: `{}`},
		{
			name: "the system prompt is one", info: model.Info{Provider: "anthropic"}, system: "be kind",
			config: builtin.AnthropicPromptCaching{MinMessagesToCache: 2}, want: `{"cache_control":{"ttl":"5m","type":"ephemeral"}}`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m := failing("m")
			m.info = test.info
			out, err := try(t.Context(), t, host.Config{Model: m, SystemPrompt: abi.Text(test.system), Middleware: []host.Middleware{test.config}})
			require.NoError(t, err)
			require.Equal(t, test.want, m.requests[0].Settings.Raw().JSON())
			if test.warned == "" {
				require.Empty(t, out.warned)
			} else {
				require.Equal(t, []string{test.warned}, out.warned)
			}
			require.Equal(t, []string{"1: m answers"}, out.tokens, "they stream")
		})
	}
}

func TestAnthropicPromptCachingRaises(t *testing.T) {
	t.Parallel()
	m := failing("m")
	_, err := try(t.Context(), t, host.Config{
		Model: m, Middleware: []host.Middleware{builtin.AnthropicPromptCaching{UnsupportedModelBehavior: "raise"}},
	})
	require.ErrorContains(t, err, notSupported+"m")
	require.Zero(t, m.calls())
}

// A run is warned once: over its steps, its retries and its interrupts. The next run is warned again.
func TestAnthropicPromptCachingWarnsOnce(t *testing.T) {
	t.Parallel()
	n := 0
	m := &asked{info: model.Info{Name: "m"}, fn: func(_ context.Context, call int) (string, error) {
		if call == 1 {
			return "", errBoom
		}
		return "fine", nil
	}}
	again := host.AfterModel("again", func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
		n++
		if n > 1 {
			return nil, nil //nolint:nilnil // nothing to say
		}
		if _, err := rt.Interrupt("on?", nil); err != nil {
			n--
			return nil, err
		}
		return &host.Update{JumpTo: abi.JumpModel}, nil
	}, host.CanJumpTo(abi.JumpModel))
	agent, err := host.New(host.Config{
		Model: m, Checkpointer: memory.New(),
		Middleware: []host.Middleware{builtin.ModelRetry{Retry: builtin.Retry{InitialDelay: new(builtin.Seconds(0))}}, builtin.AnthropicPromptCaching{}, again},
	})
	require.NoError(t, err)
	defer func() { require.NoError(t, agent.Close()) }()
	out, err := tryAgent(t.Context(), agent, host.Input{Thread: "t", Messages: []abi.Message{abi.Human("go")}})
	require.NoError(t, err)
	require.Equal(t, host.Interrupted, out.result.Status)
	require.Equal(t, []string{notSupported + "m", `model_retry: attempt 2 of 3 in 0s: model "m": boom`}, out.warned)

	out, err = tryAgent(t.Context(), agent, host.Input{Thread: "t", Resume: []host.Answer{{Value: "yes"}}})
	require.NoError(t, err)
	require.Equal(t, 3, m.calls())
	require.Empty(t, out.warned)

	out, err = tryAgent(t.Context(), agent, host.Input{Thread: "t", Messages: []abi.Message{abi.Human("more")}})
	require.NoError(t, err)
	require.Equal(t, []string{notSupported + "m"}, out.warned)
}

// Inside of a fallback it looks at the model that is asked. Outside, a fallback to another provider goes without marks.
func TestAnthropicPromptCachingAndFallback(t *testing.T) {
	t.Parallel()
	caching := builtin.AnthropicPromptCaching{UnsupportedModelBehavior: "ignore"}
	fallback := builtin.ModelFallback{Models: []string{"next"}}
	mark := wire.Map{{Key: "cache_control", Value: wire.Map{{Key: "ttl", Value: wire.String("5m")}, {Key: "type", Value: wire.String("ephemeral")}}.Raw()}}
	for _, test := range []struct {
		name          string
		main, next    *asked
		middleware    []host.Middleware
		first, second wire.Map
	}{
		{"outside, to another provider", claude(errBoom), failing("gpt"), []host.Middleware{caching, fallback}, mark, wire.Map{}},
		{"outside, to the same provider", claude(errBoom), claude(), []host.Middleware{caching, fallback}, mark, mark},
		{"outside, from another provider", always("gpt", errBoom), claude(), []host.Middleware{caching, fallback}, nil, nil},
		{"inside, to another provider", claude(errBoom), failing("gpt"), []host.Middleware{fallback, caching}, mark, nil},
		{"inside, from another provider", always("gpt", errBoom), claude(), []host.Middleware{fallback, caching}, nil, mark},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := try(t.Context(), t, host.Config{Model: test.main, Models: map[string]model.Model{"next": test.next}, Middleware: test.middleware})
			require.NoError(t, err)
			require.Equal(t, test.first, test.main.requests[0].Settings)
			require.Equal(t, test.second, test.next.requests[0].Settings)
		})
	}
	hooks, err := caching.Hooks(t.Context(), host.Env{})
	require.NoError(t, err)
	require.Equal(t, "model_fallback", hooks.Order[0].Inside)
}

// What Anthropic gets has the marks.
func TestAnthropicPromptCachingIsSent(t *testing.T) {
	t.Parallel()
	var body map[string]any
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = json.NewDecoder(r.Body).Decode(&body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"id":"1","type":"message","role":"assistant","content":[{"type":"text","text":"hi"}],
			"model":"claude-sonnet-4-5","stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":2}}`))
	}))
	defer server.Close()
	m := anthropic.New("claude-sonnet-4-5")
	m.BaseURL, m.HTTPClient = server.URL, &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	agent, err := host.New(host.Config{
		Model: m, SystemPrompt: abi.Text("be kind"), Tools: []host.Tool{flaky("a"), flaky("b")},
		Middleware: []host.Middleware{builtin.AnthropicPromptCaching{TTL: "1h"}},
	})
	require.NoError(t, err)
	defer func() { require.NoError(t, agent.Close()) }()
	result, err := agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("hi")}})
	require.NoError(t, err)
	require.Equal(t, "hi", result.Text())
	mark := map[string]any{"type": "ephemeral", "ttl": "1h"}
	require.Equal(t, []any{map[string]any{"type": "text", "text": "be kind", "cache_control": mark}}, body["system"])
	require.Equal(t, []any{map[string]any{"role": "user", "content": []any{map[string]any{"type": "text", "text": "hi", "cache_control": mark}}}}, body["messages"])
	tools, ok := body["tools"].([]any)
	require.True(t, ok)
	require.NotContains(t, tools[0], "cache_control")
	require.Contains(t, tools[1], "cache_control")
	require.NotContains(t, body, "cache_control")
}

func TestAnthropicPromptCachingConfiguration(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		config builtin.AnthropicPromptCaching
		want   string
	}{
		{builtin.AnthropicPromptCaching{Type: "eternal"}, `type is "eternal"; the only one is ephemeral`},
		{builtin.AnthropicPromptCaching{TTL: "2h"}, `ttl is "2h"; use 5m or 1h`},
		{builtin.AnthropicPromptCaching{MinMessagesToCache: -1}, "min_messages_to_cache must be >= 0"},
		{builtin.AnthropicPromptCaching{UnsupportedModelBehavior: "cry"}, `unsupported_model_behavior is "cry"; use warn, ignore or raise`},
	} {
		_, err := test.config.Hooks(t.Context(), host.Env{})
		require.EqualError(t, err, test.want)
	}
	var config builtin.AnthropicPromptCaching
	require.NoError(t, strictyaml.Decode("x.yaml", []byte("{type: ephemeral, ttl: 1h, min_messages_to_cache: 3, unsupported_model_behavior: raise}"), &config))
	require.Equal(t, builtin.AnthropicPromptCaching{Type: "ephemeral", TTL: "1h", MinMessagesToCache: 3, UnsupportedModelBehavior: "raise"}, config)
}
