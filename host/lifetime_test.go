package host_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// looking notes a field in every hook.
func (b *bundle) looking(field string) *middleware {
	m := b.noting("look")
	node := host.NodeHook{Func: func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
		b.notef("%s %s", rt.Step(), show(rt, field))
		return nil, nil
	}}
	m.hooks.BeforeAgent, m.hooks.BeforeModel, m.hooks.AfterModel, m.hooks.AfterAgent = node, node, node, node
	m.hooks.WrapModelCall = host.WrapModelHook{Func: passing(func(rt *host.Runtime) *host.Update {
		b.notef("%s %s", rt.Step(), show(rt, field))
		return nil
	})}
	m.hooks.WrapToolCall = host.WrapToolHook{}
	return m
}

func TestAFieldOfAStepLivesInTheNextStepOnly(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		hook abi.Hook // that writes it
		want []string
	}{
		{"written by before_agent", abi.BeforeAgent, []string{
			"look.before_agent 7", "look.before_model -", "look.wrap_model_call -", "look.after_model -", "look.after_agent -",
		}},
		{"written by before_model", abi.BeforeModel, []string{
			"look.before_agent -", "look.before_model 7", "look.wrap_model_call -", "look.after_model -", "look.after_agent -",
		}},
		{"written by after_model", abi.AfterModel, []string{
			"look.before_agent -", "look.before_model -", "look.wrap_model_call -", "look.after_model -", "look.after_agent 7",
		}},
		{"written by after_agent", abi.AfterAgent, []string{
			"look.before_agent -", "look.before_model -", "look.wrap_model_call -", "look.after_model -", "look.after_agent -",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, scripted.Say("done"))
			b.State = []host.Field{{Name: "f", Lifetime: host.LifetimeStep}}
			b.use(nodeHook(test.hook, host.NodeHook{Func: constant(setting("f", 7), nil)}), b.looking("f"))
			result := b.mustRun()
			require.Equal(t, test.want, b.log)
			if test.hook == abi.AfterAgent {
				require.Equal(t, `{"f":7}`, stateOf(result), "the result comes after the last step")
				return
			}
			require.Empty(t, result.State)
		})
	}
}

func TestAFieldOfAStepThatIsInputLivesInTheFirstStep(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Say("done"))
	b.State = []host.Field{{Name: "f", Lifetime: host.LifetimeStep, Reducer: host.Add()}}
	b.use(b.looking("f"))
	_, err := b.build().Run(t.Context(), host.Input{State: map[string]any{"f": 2}})
	require.NoError(t, err)
	require.Equal(t, []string{
		"look.before_agent 2", "look.before_model 0", "look.wrap_model_call 0", "look.after_model 0", "look.after_agent 0",
	}, b.log)
}

func TestFieldsOfTheRunAndTheThreadLastAsLongAsTheRun(t *testing.T) {
	t.Parallel()
	for _, lifetime := range []host.Lifetime{host.LifetimeRun, host.LifetimeThread} {
		t.Run(lifetime.String(), func(t *testing.T) {
			t.Parallel()
			b := setup(t, scripted.Say("done"), scripted.Say("done"))
			b.State = []host.Field{{Name: "f", Lifetime: lifetime}}
			b.use(host.BeforeAgent("w", constant(setting("f", 7), nil)), b.looking("f"))
			agent := b.build()
			for range 2 {
				b.log = nil
				result, err := agent.Run(t.Context(), hi())
				require.NoError(t, err)
				require.Equal(t, []string{
					"look.before_agent 7", "look.before_model 7", "look.wrap_model_call 7", "look.after_model 7", "look.after_agent 7",
				}, b.log)
				require.Equal(t, `{"f":7}`, stateOf(result))
			}
		})
	}
}

func TestVisibility(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Say("done"))
	b.State = []host.Field{
		{Name: "both"},
		{Name: "in", HideOutput: true},
		{Name: "out", HideInput: true},
		{Name: "none", HideInput: true, HideOutput: true},
	}
	b.use(host.BeforeAgent("look", func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
		b.notef("%s", rt.State().Fields([]string{"both", "in", "out", "none", "unknown"}).Raw().JSON())
		return setting("out", "hook", "none", "hook"), nil
	}))
	in := hi()
	in.State = map[string]any{"both": 1, "in": 2, "out": 3, "none": 4}
	var warnings []string
	var end host.Event
	for event, err := range b.build().Stream(t.Context(), in) {
		require.NoError(t, err)
		if event.Type == host.EventWarn {
			warnings = append(warnings, event.Step+": "+event.Text)
		}
		end = event
	}
	require.Equal(t, host.EventEnd, end.Type)
	require.Equal(t, []string{`{"both":1,"in":2}`}, b.log, "hidden values are ignored")
	require.Equal(t, []string{
		`input: field "none" is hidden from the caller; its value is ignored`,
		`input: field "out" is hidden from the caller; its value is ignored`,
	}, warnings)

	b.Model = scripted.NewTurns(scripted.Say("done"))
	result, err := b.build().Run(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, `{"both":1,"out":"hook"}`, stateOf(result))
}

func TestInputThatDoesNotFit(t *testing.T) {
	t.Parallel()
	schema, err := wire.Of(map[string]any{"type": "string"})
	require.NoError(t, err)
	for _, test := range []struct {
		name  string
		input host.Input
		want  string
	}{
		{"an unknown field", host.Input{State: map[string]any{"unknown": 1, "zebra": 2}}, `step "input": field "unknown": is not declared; the caller may set: s`},
		{
			"a value that does not fit the schema",
			host.Input{State: map[string]any{"s": 1}},
			`step "input": field "s": the value does not fit the field's schema: type: 1 has type "integer", want "string"`,
		},
		{"a value without a form", host.Input{State: map[string]any{"s": make(chan int)}}, `step "input": field "s": `},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, scripted.Say("done"))
			b.State = []host.Field{{Name: "s", Schema: schema}}
			result, err := b.build().Run(t.Context(), test.input)
			var wrong *host.UpdateError
			require.ErrorAs(t, err, &wrong)
			require.ErrorContains(t, err, test.want)
			require.Equal(t, host.Failed, result.Status)
			require.Zero(t, result.Messages.Len())
			require.Zero(t, result.Steps)
		})
	}
}

func TestUpdatesThatDoNotApply(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		hook host.Middleware
		want string
	}{
		{
			"of a field that nobody declared, from a node hook", host.BeforeModel("m", constant(setting("x", 1), nil)),
			`middleware "m": before_model: field "x": is not declared; declare it in the middleware's fields or the agent's State`,
		},
		{
			"of a field that nobody declared, from a wrap",
			host.WrapModelCall("m", passing(func(*host.Runtime) *host.Update { return setting("x", 1) })),
			`middleware "m": wrap_model_call: field "x": is not declared; declare it in the middleware's fields or the agent's State`,
		},
		{
			"of a message that is not there", host.AfterAgent("m", constant(&host.Update{Remove: []string{"x"}}, nil)),
			`middleware "m": after_agent: messages: remove: there is no message with the id "x"`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := setup(t, scripted.Say("done")).use(test.hook).run()
			var wrong *host.UpdateError
			require.ErrorAs(t, err, &wrong)
			require.EqualError(t, err, test.want)
		})
	}
}

func TestAnUpdateThatDoesNotApplyChangesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Say("done"))
	b.State = []host.Field{{Name: "f"}}
	bad := setting("f", 1, "x", 1)
	bad.Messages = []abi.Message{abi.Human("more")}
	result, err := b.use(host.AfterModel("m", constant(bad, nil))).run()
	require.Error(t, err)
	require.Equal(t, []string{"human: hi", "ai: done"}, lines(result.Messages))
	require.Empty(t, result.State)
}
