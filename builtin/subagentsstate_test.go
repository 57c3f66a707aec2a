package builtin_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/tool"
)

// declares is a middleware that declares fields.
func declares(fields ...host.Field) host.Middleware {
	pass := func(context.Context, *host.Runtime) (*host.Update, error) { return nil, nil }
	return host.BeforeAgent("declares", pass, host.WithFields(fields...))
}

// writes is a tool that writes fields, and tells what it has found in them.
func writes(found *[]string, values map[string]any) host.Tool {
	return tool.Func("write", "", func(ctx context.Context, _ struct{}) (*host.ToolOutput, error) {
		update := &host.Update{}
		state := host.RuntimeOf(ctx).State()
		for _, f := range state.Declared() {
			if value := state.Get(f.Name); !value.IsZero() {
				*found = append(*found, f.Name+"="+value.JSON())
			}
			if given, ok := values[f.Name]; ok {
				raw, err := host.Encode(given)
				if err != nil {
					return nil, err
				}
				update.State.Set(f.Name, raw)
			}
		}
		return &host.ToolOutput{Update: update}, nil
	})
}

// writesOnce is a model that calls the tool, and is ready then.
func writesOnce() speaker {
	return func(_ context.Context, req *model.Request) (abi.Message, error) {
		if req.Messages.Len() == 1 {
			return abi.AI("", abi.Call("w", "write", nil)), nil
		}
		return abi.AI("ready"), nil
	}
}

func field(name string, options ...func(*host.Field)) host.Field {
	return host.NewField[any](name, options...).Field
}

func TestSubagentsShareFields(t *testing.T) {
	t.Parallel()
	var found []string
	hideInput, hideOutput := func(f *host.Field) { f.HideInput = true }, func(f *host.Field) { f.HideOutput = true }
	own := []host.Field{ // which the subagent declares too
		field("place"), field("notes", host.Reduced(host.Append())), field("cost", host.Reduced(host.Add())), field("unset"),
		field("hidden", host.Hidden), field("todos"), field("structured_response"),
		field("only_in", hideInput), field("only_out", hideOutput), field("same"),
	}
	middle := []host.Field{field("outer"), field("both")}
	agent, err := host.New(host.Config{
		Model: boss(task("1", "w", "x"), task("2", "w", "y")), State: own, ToolCalls: host.ToolCallConfig{Parallel: 1},
		Tools:  []host.Tool{writes(&found, map[string]any{"notes": []any{"b"}, "cost": 2, "outer": "lost", "hidden": "bad", "todos": "bad", "structured_response": "bad"})},
		Models: map[string]model.Model{"w": writesOnce()},
		Middleware: []host.Middleware{
			declares(middle...),
			builtin.Subagents{Agents: []builtin.Subagent{{
				Name: "w", Description: "Works.", Model: "w", Middleware: []host.Middleware{declares(field("both"), field("inner"))},
			}}},
		},
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, agent.Close()) })
	in := start("go")
	in.State = map[string]any{
		"place": "here", "notes": []any{"a"}, "cost": 10, "hidden": "no", "todos": "mine", "structured_response": "mine",
		"only_out": "kept", "same": 1, "outer": "o", "both": "b",
	}
	result, err := agent.Run(t.Context(), in)
	require.NoError(t, err)
	alone := []string{`place="here"`, `notes=["a"]`, `cost=10`, `same=1`, `both="b"`}
	require.Equal(t, slices.Concat(alone, alone), found, "each begins with what the agent had")
	require.JSONEq(t, `{"place": "here", "notes": ["a", "b", "b"], "cost": 14, "todos": "mine", "structured_response": "mine",
		"same": 1, "outer": "o", "both": "b"}`, result.State.Raw().JSON())
}

// Two subagents that change one field meet in it, as two tools do.
func TestSubagentsThatChangeOneFieldMeet(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		tasks []abi.ToolCall
		says  string
	}{
		"one":          {[]abi.ToolCall{task("1", "w", "x")}, ""},
		"two":          {[]abi.ToolCall{task("1", "w", "x"), task("2", "w", "x")}, `field "place": two updates in one step`},
		"one and idle": {[]abi.ToolCall{task("1", "w", "x"), task("2", "idle", "x")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			agent := team(t, host.Config{
				Model: boss(test.tasks...), State: []host.Field{field("place")},
				Tools: []host.Tool{writes(new([]string), map[string]any{"place": "there"})}, ToolCalls: host.ToolCallConfig{Parallel: 1},
				Models: map[string]model.Model{"w": writesOnce(), "idle": alwaysSay("x")},
			}, builtin.Subagent{Name: "w", Description: "Works.", Model: "w"}, builtin.Subagent{Name: "idle", Description: "Rests.", Model: "idle"})
			in := start("go")
			in.State = map[string]any{"place": "here"}
			result, err := agent.Run(t.Context(), in)
			if test.says != "" {
				require.ErrorContains(t, err, test.says)
				require.Equal(t, `"here"`, result.State.Get("place").JSON())
				return
			}
			require.NoError(t, err)
			require.Equal(t, `"there"`, result.State.Get("place").JSON())
		})
	}
}

// What a plugin keeps for itself, another of the same field does not change through a subagent.
func TestSubagentsDoNotShareWhatIsExclusive(t *testing.T) {
	t.Parallel()
	exclusive := func(f *host.Field) { f.Exclusive = true }
	var found []string
	agent := team(t, host.Config{
		Model: boss(task("1", "w", "x")), Models: map[string]model.Model{"w": writesOnce()},
		Tools: []host.Tool{writes(&found, map[string]any{"trusted": true})}, Middleware: []host.Middleware{declares(field("trusted", exclusive))},
	}, builtin.Subagent{Name: "w", Description: "Works.", Model: "w", Middleware: []host.Middleware{declares(field("trusted"))}})
	in := start("go")
	in.State = map[string]any{"trusted": false}
	result, err := agent.Run(t.Context(), in)
	require.NoError(t, err)
	require.Empty(t, found)
	require.Equal(t, "false", result.State.Get("trusted").JSON())
}

// A value that does not fit the agent's field is an error of the tool.
func TestASubagentWhoseFieldDoesNotFit(t *testing.T) {
	t.Parallel()
	schema, err := host.Encode(map[string]any{"type": "integer"})
	require.NoError(t, err)
	number := func(f *host.Field) { f.Schema = schema }
	inner := member(t, "w", host.Config{
		Model: writesOnce(), Tools: []host.Tool{writes(new([]string), map[string]any{"n": "many"})}, State: []host.Field{field("n")},
	})
	agent := team(t, host.Config{
		Model: boss(task("1", "w", "x")), State: []host.Field{field("n", number)},
		Middleware: []host.Middleware{builtin.ToolError{OnError: builtin.ToolErrorAnswer{Format: "{message}"}}},
	}, inner)
	result, err := agent.Run(t.Context(), start("go"))
	require.NoError(t, err)
	require.Contains(t, lines(result.Messages)[2], `tool 1! agent w: field "n": the value does not fit the field's schema`)
}

// However fields are declared on either side, an agent and its subagent share those alone that both show, and what one task
// after the other changes is what tools of the agent itself would have changed.
func TestSubagentsShareFieldsProperty(t *testing.T) {
	t.Parallel()
	reducers := []host.Reducer{host.Last(), host.Add(), host.Append()}
	values := []func(n int) any{
		func(n int) any { return fmt.Sprint(n) }, func(n int) any { return n }, func(n int) any { return []any{n} },
	}
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.IntRange(0, 2).Draw(t, "reducer")
		declare := func(side string) host.Field {
			return field("f", func(f *host.Field) {
				f.Reducer = reducers[kind]
				f.HideInput, f.HideOutput = rapid.Bool().Draw(t, side+" hides input"), rapid.Bool().Draw(t, side+" hides output")
			})
		}
		outer, inner := declare("outer"), declare("inner")
		given := rapid.Bool().Draw(t, "given")
		tasks := rapid.IntRange(1, 3).Draw(t, "tasks")
		changes := rapid.Bool().Draw(t, "changes")

		var found []string
		written := map[string]any{}
		if changes {
			written["f"] = values[kind](3)
		}
		sub, err := host.New(host.Config{Model: writesOnce(), State: []host.Field{inner}, Tools: []host.Tool{writes(&found, written)}})
		require.NoError(t, err)
		defer func() { require.NoError(t, sub.Close()) }()
		one := func(_ context.Context, req *model.Request) (abi.Message, error) {
			if n := req.Messages.Len() / 2; n < tasks {
				return abi.AI("", task(fmt.Sprint(n), "w", "x")), nil
			}
			return abi.AI("done"), nil
		}
		var last string
		see := host.AfterAgent("see", func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
			last = rt.State().Get("f").JSON()
			return nil, nil
		})
		agent, err := host.New(host.Config{
			Model: speaker(one), State: []host.Field{outer}, Middleware: []host.Middleware{see, builtin.Subagents{
				Agents: []builtin.Subagent{{Name: "w", Description: "Works.", Agent: sub}}, GeneralPurpose: new(false),
			}},
		})
		require.NoError(t, err)
		defer func() { require.NoError(t, agent.Close()) }()
		in := start("go")
		if given {
			in.State = map[string]any{"f": values[kind](1)}
		}
		_, err = agent.Run(t.Context(), in)
		require.NoError(t, err)

		comesBack := changes && !inner.HideOutput && !outer.HideInput
		want := []int{}
		if given && !outer.HideInput {
			want = append(want, 1)
		}
		if len(want) > 0 && (outer.HideOutput || inner.HideInput) {
			for _, text := range found {
				require.NotContains(t, text, "1", "what is hidden stays hidden")
			}
		}
		for range tasks {
			if comesBack {
				want = append(want, 3)
			}
		}
		require.Equal(t, folded(kind, want), last)
	})
}

// folded is what comes of these values in a field with the reducer last, add or append.
func folded(kind int, values []int) string {
	switch kind {
	case 0:
		if len(values) == 0 {
			return "null"
		}
		return fmt.Sprintf("%q", fmt.Sprint(values[len(values)-1]))
	case 1:
		sum := 0
		for _, n := range values {
			sum += n
		}
		return fmt.Sprint(sum)
	default:
		out := "["
		for i, n := range values {
			if i > 0 {
				out += ","
			}
			out += fmt.Sprint(n)
		}
		return out + "]"
	}
}
