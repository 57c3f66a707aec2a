package builtin_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

func TestModelFallbackAsksInOrder(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		main   *asked
		models map[string]model.Model
		want   []string
		err    error
	}{
		{"the main model answers", failing("main"), map[string]model.Model{"a": failing("a"), "b": failing("b")}, []string{"main"}, nil},
		{"the first answers", always("main", errBoom), map[string]model.Model{"a": failing("a"), "b": failing("b")}, []string{"main!", "a"}, nil},
		{"the second answers", always("main", errBoom), map[string]model.Model{"a": always("a", errKey), "b": failing("b")}, []string{"main!", "a!", "b"}, nil},
		{"nobody answers", always("main", errBoom), map[string]model.Model{"a": always("a", errBoom), "b": always("b", errValue)}, []string{"main!", "a!", "b!"}, errValue},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			out, err := try(t.Context(), t, host.Config{
				Model: test.main, Models: test.models, Middleware: []host.Middleware{builtin.ModelFallback{Models: []string{"a", "b"}}},
			})
			require.ErrorIs(t, err, test.err)
			require.Equal(t, test.want, out.models)
			require.Len(t, out.warned, len(test.want)-1)
		})
	}
}

func TestModelFallbackShowsItself(t *testing.T) {
	t.Parallel()
	out, err := try(t.Context(), t, host.Config{
		Model: always("main", errKey), Models: map[string]model.Model{"small": failing("gpt-x")},
		Middleware: []host.Middleware{builtin.ModelFallback{Models: []string{"small"}}},
	})
	require.NoError(t, err)
	require.Equal(t, []string{`model_fallback: asking the model "small": model "main": acme: authentication (HTTP 401): no such key`}, out.warned)
	require.Equal(t, []string{"1: half of ", "2: gpt-x answers"}, out.tokens, "the index makes what came before void")
}

// The model of the request comes first, whatever model the agent has, and the rest of the request is the same for all.
func TestModelFallbackKeepsTheRequest(t *testing.T) {
	t.Parallel()
	main, other, small := failing("main"), always("other", errBoom), failing("small")
	changes := host.WrapModelCall("changes", func(
		ctx context.Context, _ *host.Runtime, req *model.Request, next host.ModelHandler,
	) (*model.Response, *host.Update, error) {
		req = req.WithModel(other).WithSystem(abi.Text("be kind")).WithToolChoice("any").WithSettings(wire.Map{{Key: "top_p", Value: wire.Float(0.5)}})
		resp, err := next(ctx, req)
		return resp, nil, err
	})
	_, err := try(t.Context(), t, host.Config{
		Model: main, Models: map[string]model.Model{"small": small}, Tools: []host.Tool{flaky("work")},
		Middleware: []host.Middleware{changes, builtin.ModelFallback{Models: []string{"small"}}},
	})
	require.NoError(t, err)
	require.Zero(t, main.calls())
	require.Equal(t, 1, other.calls())
	want := *other.requests[0]
	want.Model = small
	require.Equal(t, &want, small.requests[0])
	require.Equal(t, "any", want.ToolChoice)
	require.Len(t, want.Tools, 1)
}

func TestModelFallbackLeavesAlone(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]error{
		"a cancellation": fmt.Errorf("stopped: %w", context.Canceled),
		"a limit":        &host.LimitError{Message: "too much"},
		"an update":      &host.UpdateError{Step: "x", Err: errBoom},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			small := failing("small")
			fails := host.WrapModelCall("fails", func(
				context.Context, *host.Runtime, *model.Request, host.ModelHandler,
			) (*model.Response, *host.Update, error) {
				return nil, nil, want
			})
			out, err := try(t.Context(), t, host.Config{
				Model: failing("main"), Models: map[string]model.Model{"small": small},
				Middleware: []host.Middleware{builtin.ModelFallback{Models: []string{"small", "small"}}, fails},
			})
			require.ErrorIs(t, err, want)
			require.Zero(t, small.calls())
			require.Empty(t, out.warned)
		})
	}
}

func TestModelFallbackEndsWithTheRun(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	main := &asked{fn: func(context.Context, int) (string, error) {
		cancel()
		return "", errBoom
	}}
	small := failing("small")
	out, err := try(ctx, t, host.Config{
		Model: main, Models: map[string]model.Model{"small": small}, Middleware: []host.Middleware{builtin.ModelFallback{Models: []string{"small"}}},
	})
	require.Error(t, err)
	require.NotEqual(t, host.Completed, out.result.Status)
	require.Zero(t, small.calls())
}

// The question of a middleware inside is asked once, of the model that answers.
func TestModelFallbackAndAQuestion(t *testing.T) {
	t.Parallel()
	asks := host.WrapModelCall("asks", func(
		ctx context.Context, rt *host.Runtime, req *model.Request, next host.ModelHandler,
	) (*model.Response, *host.Update, error) {
		resp, err := next(ctx, req)
		if err != nil {
			return nil, nil, err
		}
		_, err = rt.Interrupt("good?", wire.String(resp.AI().Content.Text()))
		return resp, nil, err
	})
	small, never := failing("small"), failing("never")
	agent, err := host.New(host.Config{
		Model: always("main", errBoom), Models: map[string]model.Model{"small": small, "never": never}, Checkpointer: memory.New(),
		Middleware: []host.Middleware{builtin.ModelFallback{Models: []string{"small", "never"}}, asks},
	})
	require.NoError(t, err)
	defer func() { require.NoError(t, agent.Close()) }()
	out, err := tryAgent(t.Context(), agent, host.Input{Thread: "t", Messages: []abi.Message{abi.Human("go")}})
	require.NoError(t, err)
	require.Equal(t, host.Interrupted, out.result.Status)
	out, err = tryAgent(t.Context(), agent, host.Input{Thread: "t", Resume: []host.Answer{{Value: "yes"}}})
	require.NoError(t, err)
	require.Equal(t, []string{"human go", "ai small answers"}, lines(out.result.Messages))
	require.Equal(t, 2, small.calls())
	require.Zero(t, never.calls())
}

// marked is a block with a mark for the cache.
func marked(text string) abi.Block {
	return abi.BlockOf(abi.TextBlock(text).Fields().With(wire.Map{{Key: "cache_control", Value: wire.Map{{Key: "type", Value: wire.String("ephemeral")}}.Raw()}}))
}

// markedRequest sets everything that may be marked.
func markedRequest(req *model.Request) *model.Request {
	mark := map[string]any{"type": "ephemeral", "ttl": "1h"}
	settings, err := wire.MapOf(map[string]any{
		"cache_control": mark, "temperature": 0.3,
		"tools": []any{map[string]any{"name": "work", "cache_control": mark, "strict": true}, map[string]any{"name": "other"}, "no tool"},
	})
	if err != nil {
		panic(err)
	}
	return req.WithSettings(settings).WithSystem(abi.Blocks(abi.TextBlock("a"), marked("b")))
}

func TestModelFallbackTakesOutCacheMarks(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		info  model.Info
		keeps bool
	}{
		{"of another provider", model.Info{Name: "gpt-5", Provider: "openai"}, false},
		{"of nobody", model.Info{Name: "x"}, false},
		{"of Anthropic", model.Info{Name: "claude-sonnet-4-5", Provider: "anthropic", Caching: true}, true},
		{"of Anthropic, new", model.Info{Name: "claude-new", Provider: "anthropic"}, true},
		{"of Anthropic, old", model.Info{Name: "claude-3-sonnet", Provider: "anthropic"}, false},
		{"of one that takes them too", model.Info{Name: "claude", Provider: "bedrock", Caching: true}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			main, small := always("main", errBoom), failing("small")
			small.info = test.info
			marks := host.WrapModelCall("marks", func(
				ctx context.Context, _ *host.Runtime, req *model.Request, next host.ModelHandler,
			) (*model.Response, *host.Update, error) {
				resp, err := next(ctx, markedRequest(req))
				return resp, nil, err
			})
			agent, err := host.New(host.Config{
				Model: main, Models: map[string]model.Model{"small": small}, Middleware: []host.Middleware{marks, builtin.ModelFallback{Models: []string{"small"}}},
			})
			require.NoError(t, err)
			defer func() { require.NoError(t, agent.Close()) }()
			human := abi.Message{Role: abi.RoleHuman, Content: abi.Blocks(marked("question"), abi.TextBlock("more"))}
			out, err := tryAgent(t.Context(), agent, host.Input{Messages: []abi.Message{abi.Human("plain"), human}})
			require.NoError(t, err)
			require.Equal(t, human.Content, out.result.Messages.At(1).Content, "the history was not summarized and stays unchanged")
			first, second := main.requests[0], small.requests[0]
			require.Equal(t, human.Content, first.Messages.At(1).Content)
			require.True(t, first.Settings.Has("cache_control"))
			if test.keeps {
				require.Equal(t, first.Settings, second.Settings)
				require.Equal(t, first.Messages, second.Messages)
				return
			}
			require.Equal(t, `{"temperature":0.3,"tools":[{"name":"work","strict":true},{"name":"other"},"no tool"]}`, second.Settings.Raw().JSON())
			require.Equal(t, abi.Blocks(abi.TextBlock("a"), abi.TextBlock("b")), second.System)
			require.Equal(t, abi.Blocks(abi.TextBlock("question"), abi.TextBlock("more")), second.Messages.At(1).Content)
			require.Equal(t, abi.Text("plain"), second.Messages.At(0).Content)
		})
	}
}

// Of any models that fail or answer, the first that answers is the last that is asked.
func TestModelFallbackProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		fail := rapid.SliceOfN(rapid.Bool(), 2, 6).Draw(r, "fail")
		models := map[string]model.Model{}
		var names, want []string
		for i, fails := range fail {
			name := fmt.Sprint("m", i)
			m := failing(name)
			if fails {
				m = always(name, fmt.Errorf("%s fails", name)) //nolint:err113 // of this model
			}
			models[name] = m
			names = append(names, name)
			if first := slices.Index(fail, false); first < 0 || i <= first {
				want = append(want, name+map[bool]string{true: "!"}[fails])
			}
		}
		out, err := try(t.Context(), t, host.Config{
			Model: models["m0"], Models: models, Middleware: []host.Middleware{builtin.ModelFallback{Models: names[1:]}},
		})
		require.Equal(r, want, out.models)
		if slices.Contains(fail, false) {
			require.NoError(r, err)
			return
		}
		require.ErrorContains(r, err, names[len(names)-1]+" fails")
	})
}

func TestModelFallbackConfiguration(t *testing.T) {
	t.Parallel()
	env := host.Env{Models: map[string]model.Model{"small": failing("small")}}
	_, err := builtin.ModelFallback{}.Hooks(t.Context(), env)
	require.EqualError(t, err, "models is missing; name the models to ask when the agent's model has failed, such as [small]")
	_, err = builtin.ModelFallback{Models: []string{"small", "large"}}.Hooks(t.Context(), env)
	require.EqualError(t, err, `models[1]: there is no model "large"; the agent has small`)

	var fallback builtin.ModelFallback
	require.NoError(t, strictyaml.Decode("x.yaml", []byte("{models: [large, small]}"), &fallback))
	require.Equal(t, builtin.ModelFallback{Models: []string{"large", "small"}}, fallback)
}
