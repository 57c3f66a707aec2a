package scripted_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
)

func TestTurnsComeInOrder(t *testing.T) {
	t.Parallel()
	call := abi.Call("1", "search", map[string]any{"q": "x"})
	broken := errors.New("broken")
	m := scripted.NewTurns(scripted.CallTools(call), scripted.Fail(broken), scripted.Say("done"))

	require.Equal(t, []abi.ToolCall{call}, ask(t, m).ToolCalls)
	_, err := m.Generate(t.Context(), request())
	require.Same(t, broken, err)
	answer := ask(t, m)
	require.Equal(t, "done", answer.Content.Text())
	require.Equal(t, abi.RoleAI, answer.Role)
	require.Equal(t, 3, m.Calls())
}

func TestTurnsAfterTheEnd(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		after  scripted.AfterEnd
		script []scripted.Turn
		want   string
		err    string
	}{
		{"fails", scripted.EndError, []scripted.Turn{scripted.Say("a")}, "", "call 2 of a script of length 1: the script has no more turns; add turns, or set after_end (AfterEnd in Go)"},
		{"repeats the last turn", scripted.EndRepeat, []scripted.Turn{scripted.Say("a")}, "a", ""},
		{"gives an empty answer", scripted.EndEmpty, []scripted.Turn{scripted.Say("a")}, "", ""},
		{"has nothing to repeat", scripted.EndRepeat, nil, "", "call 2 of a script of length 0: the script has no more turns; add turns, or set after_end (AfterEnd in Go)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m := &scripted.Turns{Script: test.script, AfterEnd: test.after}
			_, _ = m.Generate(t.Context(), request())

			resp, err := m.Generate(t.Context(), request())

			if test.err != "" {
				require.ErrorIs(t, err, scripted.ErrExhausted)
				require.EqualError(t, err, test.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, test.want, resp.AI().Content.Text())
		})
	}
}

// A new model, as in another process, continues the script where the history stands.
func TestTurnsContinueAHistory(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	fresh := func(id string) *scripted.Turns {
		m := scripted.NewTurns(
			scripted.CallTools(abi.Call("", "search", nil), abi.Call("mine", "search", nil), abi.Call("", "search", nil)), scripted.Fail(broken),
			scripted.Say("done"), scripted.CallTools(abi.Call("", "search", nil)),
		)
		m.ID, m.AfterEnd = id, scripted.EndRepeat
		return m
	}
	first := *ask(t, fresh("model"), abi.Human("hi"))
	require.Equal(t, []string{"call-1-1", "mine", "call-1-3"}, []string{first.ToolCalls[0].ID, first.ToolCalls[1].ID, first.ToolCalls[2].ID})
	require.JSONEq(t, `{"scripted":{"id":"model","turn":1}}`, first.Meta.Raw().JSON())
	other := *ask(t, fresh("models.small"), abi.Human("hi"), first)
	require.Equal(t, "call-1-1", other.ToolCalls[0].ID, "another script begins by itself")

	m := fresh("model")
	_, err := m.Generate(t.Context(), request(abi.Human("hi"), first, other))
	require.Same(t, broken, err)
	third := *ask(t, m, abi.Human("hi"), first, other)
	require.Equal(t, "done", third.Content.Text(), "the model knows that the turn has failed")
	require.Equal(t, 2, m.Calls())
	require.Equal(t, "call-4-1", ask(t, fresh("model"), first, third, abi.Human("hi")).ToolCalls[0].ID)
	require.Equal(t, "call-4-1", ask(t, m).ToolCalls[0].ID, "a model does not go back if its history was shortened")
	require.Equal(t, "call-5-1", ask(t, m).ToolCalls[0].ID, "repeated")

	m = fresh("")
	require.Empty(t, ask(t, m, first).Meta)
	require.Empty(t, ask(t, fresh(""), first, third).ToolCalls[0].ID, "without an ID, a new model begins with the first turn")
}

func TestAnIDIsNotUsedTwiceInAHistory(t *testing.T) {
	t.Parallel()
	turn := scripted.Say("a")
	turn.Message.ID = "mine"
	m := scripted.NewTurns(turn)
	m.AfterEnd = scripted.EndRepeat
	first := *ask(t, m)
	require.Equal(t, "mine", first.ID)
	require.Empty(t, ask(t, m, first).ID)
	require.Equal(t, "mine", ask(t, m).ID, "another history")
}

func TestInfo(t *testing.T) {
	t.Parallel()
	rules, err := scripted.NewRules()
	require.NoError(t, err)
	for _, test := range []struct {
		model model.Model
		want  model.Info
	}{
		{scripted.NewTurns(), model.Info{Name: "scripted"}},
		{&scripted.Turns{Name: "gpt", Provider: "openai"}, model.Info{Name: "gpt", Provider: "openai"}},
		{&scripted.Echo{}, model.Info{Name: "echo"}},
		{rules, model.Info{Name: "rules"}},
	} {
		require.Equal(t, test.want, test.model.Info())
	}
}

func TestModelsStopWithTheirContext(t *testing.T) {
	t.Parallel()
	rules, err := scripted.NewRules(scripted.Rule{Say: "x"})
	require.NoError(t, err)
	turns := scripted.NewTurns(scripted.Say("x"))
	for _, m := range []model.Model{turns, &scripted.Echo{}, rules} {
		_, err := m.Generate(cancelled(t), request(abi.Human("hi")))
		require.Error(t, err, m.Info().Name)
	}
	require.Zero(t, turns.Calls(), "no turn is lost")
}
