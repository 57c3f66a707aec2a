package probe_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

func TestNodeActions(t *testing.T) {
	t.Parallel()
	hook := script(t, abi.BeforeModel, `[
		{"log": "{n} {messages} {last} {state.f} {state.l} {state.gone} {other} {"},
		{"log": "second", "only_on": [2]},
		{"update": {"a": "x{n}", "deep": [{"k": "{n}"}], "messages": [{"role": "human", "content": "m{n}"}]}},
		{"update": {"a": "y", "messages": [{"role": "ai", "content": "", "id": "i"}]}},
		{"increment": "c"}, {"increment": "f", "by": 2.5},
		{"jump_to": "end"}]`)
	require.Equal(t, []string{"f", "l", "gone", "c", "f"}, hook.Reads())
	b := &bench{n: 3, state: map[string]wire.Raw{"f": wire.Int(4), "l": raw(t, `{"b": [1, 2.0, null], "a": "q\""}`)}, messages: []abi.Message{
		abi.Human("one"), abi.AI("two"),
	}}
	update, err := hook.Node(b)
	require.NoError(t, err)
	require.Equal(t, []string{`3 2 two 4 {"a":"q\"","b":[1,2.0,null]} - {other} {`}, b.log)
	require.Equal(t, abi.JumpEnd, update.JumpTo)
	require.JSONEq(t, `{"a": "y", "c": 1, "deep": [{"k": "3"}], "f": 6.5}`, update.State.Raw().JSON())
	require.Len(t, update.Messages, 2)
	require.Equal(t, "m3", update.Messages[0].Content.Text())
	require.Equal(t, "i", update.Messages[1].ID)

	b = &bench{n: 2}
	update, err = script(t, abi.AfterModel, `[{"log": "second", "only_on": [2]}, {"log": "first", "only_on": [1]}]`).Node(b)
	require.NoError(t, err)
	require.Nil(t, update)
	require.Equal(t, []string{"second"}, b.log)
}

func TestNodeRemovals(t *testing.T) {
	t.Parallel()
	update := func(messages string) *abi.Update {
		u, err := script(t, abi.BeforeModel, `[{"update": {"messages": `+messages+`}}]`).Node(&bench{n: 1})
		require.NoError(t, err)
		return u
	}
	u := update(`[{"role": "remove", "id": "a"}, {"role": "human", "content": "x"}]`)
	require.Equal(t, []string{"a"}, u.Remove)
	require.Len(t, u.Messages, 1)
	u = update(`[{"role": "human", "content": "x"}, {"role": "remove", "id": "*"}, {"role": "human", "content": "y"}]`)
	require.True(t, u.Overwrite)
	require.Equal(t, "y", u.Messages[0].Content.Text())
	require.Len(t, u.Messages, 1)
	u = update(`[{"role": "remove", "id": "a"}, {"role": "human", "content": "x", "id": "a"}]`)
	require.Empty(t, u.Remove, "the message replaces the one of its id")
	u = update(`[{"role": "human", "content": "x", "id": "a"}, {"role": "remove", "id": "a"}]`)
	require.Empty(t, u.Messages)
}

func TestNodeInterruptAndRaise(t *testing.T) {
	t.Parallel()
	hook := script(t, abi.BeforeModel, `[{"log": "a"}, {"interrupt": {"q": 1}, "into": "f"}, {"log": "b"}, {"interrupt": "again"}, {"raise": {"type": "E", "message": "m"}}]`)
	b := &bench{n: 1}
	_, err := hook.Node(b)
	require.ErrorIs(t, err, errAsked)
	require.Equal(t, []string{"a"}, b.log)
	b.answers = map[string]wire.Raw{"1": wire.String("yes")}
	_, err = hook.Node(b)
	require.ErrorIs(t, err, errAsked, "each question has a key of its own")
	b.answers["3"] = wire.Int(1)
	_, err = hook.Node(b)
	require.Equal(t, &abi.Error{Type: "E", Message: "m"}, err)
	update, err := script(t, abi.BeforeModel, `[{"interrupt": 1, "into": "f"}]`).Node(&bench{n: 1, answers: map[string]wire.Raw{"0": wire.Int(7)}})
	require.NoError(t, err)
	require.JSONEq(t, `{"f": 7}`, update.State.Raw().JSON())
	_, err = script(t, abi.BeforeModel, `[{"increment": "f"}]`).Node(&bench{n: 1, state: map[string]wire.Raw{"f": wire.String("x")}})
	require.Error(t, err)
}
