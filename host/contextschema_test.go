package host_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// seen is a middleware that keeps the contexts of runs.
type seen struct{ contexts []any }

func (*seen) Name() string { return "seen" }

func (s *seen) Hooks(context.Context, host.Env) (*host.Hooks, error) {
	return &host.Hooks{BeforeModel: host.NodeHook{Func: func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
		s.contexts = append(s.contexts, rt.ContextValue())
		return nil, nil
	}}}, nil
}

func jsonSchema(t *testing.T, text string) wire.Raw {
	t.Helper()
	raw, err := wire.FromJSON([]byte(text), wire.DefaultLimits)
	require.NoError(t, err)
	return raw
}

func TestTheContextMustFitItsSchema(t *testing.T) {
	t.Parallel()
	type user struct {
		Role string `msgpack:"role"`
	}
	schema := jsonSchema(t, `{"type": "object", "additionalProperties": false, "required": ["role"], "properties": {
		"role": {"type": "string", "enum": ["admin", "guest"]}, "limit": {"type": "integer", "default": 3},
		"team": {"type": "object", "properties": {"name": {"type": "string"}}}}}`)
	for name, test := range map[string]struct {
		given, want any
		problem     string
	}{
		"a map gets defaults":  {map[string]any{"role": "admin"}, map[string]any{"role": "admin", "limit": int64(3)}, ""},
		"a Go value stays":     {user{"guest"}, user{"guest"}, ""},
		"missing":              {nil, nil, "role: Field required"},
		"of another type":      {map[string]any{"role": "admin", "limit": "many"}, nil, "/limit: "},
		"deeper":               {map[string]any{"role": "admin", "team": map[string]any{"name": 7}}, nil, "/team/name: "},
		"misspelt":             {map[string]any{"role": "admin", "limt": 3}, nil, `/limt: the schema has no such property; did you mean "limit"?`},
		"not one of the words": {user{"root"}, nil, "/role: "},
		"without a form":       {make(chan int), nil, "context_schema: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &seen{}
			threads := memory.New()
			agent, err := host.New(host.Config{
				Model: scripted.NewTurns(scripted.Say("hi")), ContextSchema: schema, Middleware: []host.Middleware{s}, Checkpointer: threads,
			})
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, agent.Close()) })
			result, err := agent.Run(t.Context(), host.Input{Thread: "ada", Messages: []abi.Message{abi.Human("hi")}, Context: test.given})
			if test.problem == "" {
				require.NoError(t, err)
				require.Equal(t, []any{test.want}, s.contexts)
				return
			}
			var wrong *host.ContextError
			require.ErrorAs(t, err, &wrong)
			require.ErrorContains(t, err, "the run's context does not fit the agent's context_schema: ")
			require.ErrorContains(t, err, test.problem)
			require.Equal(t, host.Failed, result.Status)
			require.Empty(t, result.Next, "the input was refused")
			_, err = threads.Load(t.Context(), "ada", 0)
			require.ErrorIs(t, err, checkpoint.ErrNoThread)
		})
	}
	_, err := host.New(host.Config{Model: scripted.NewTurns(), ContextSchema: jsonSchema(t, `{"type": 7}`)})
	var wrong *host.ConfigError
	require.ErrorAs(t, err, &wrong)
	require.Equal(t, host.SubjectContextSchema, wrong.Subject.Kind)
}

func TestAMissingContextIsAnEmptyObject(t *testing.T) {
	t.Parallel()
	s := &seen{}
	agent, err := host.New(host.Config{
		Model: scripted.NewTurns(scripted.Say("hi")), Middleware: []host.Middleware{s},
		ContextSchema: jsonSchema(t, `{"type": "object", "properties": {"limit": {"type": "integer", "default": 3}}}`),
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, agent.Close()) })
	_, err = agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("hi")}})
	require.NoError(t, err)
	require.Equal(t, []any{map[string]any{"limit": int64(3)}}, s.contexts)
}
