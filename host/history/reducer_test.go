package history_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/history"
)

func TestApply(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		update abi.Update
		want   []string
	}{
		{"appends messages with new ids", abi.Update{Messages: messages("d", "e")}, []string{"a", "b", "c", "d", "e"}},
		{"gives ids to messages without", abi.Update{Messages: messages("=x", "=y")}, []string{"a", "b", "c", "new-1=x", "new-2=y"}},
		{"replaces in place", abi.Update{Messages: messages("b=x")}, []string{"a", "b=x", "c"}},
		{"replaces a message of the same update", abi.Update{Messages: messages("d", "e", "d=x")}, []string{"a", "b", "c", "d=x", "e"}},
		{"replaces and appends together", abi.Update{Messages: messages("d", "a=x", "=y")}, []string{"a=x", "b", "c", "d", "new-1=y"}},
		{"removes", abi.Update{Remove: []string{"a", "c"}}, []string{"b"}},
		{"removes once what is named twice", abi.Update{Remove: []string{"a", "a"}}, []string{"b", "c"}},
		{"removes and appends", abi.Update{Remove: []string{"a"}, Messages: messages("d")}, []string{"b", "c", "d"}},
		{"keeps the place of a removed message that comes back", abi.Update{Remove: []string{"b", "c"}, Messages: messages("b=x")}, []string{"a", "b=x"}},
		{"removes all", abi.Update{Remove: []string{"c", "b", "a"}}, []string{}},
		{"patches", abi.Update{Patch: []abi.Patch{patch("b", "x"), patch("b", "y"), patch("c", "z")}}, []string{"a", "b=y", "c=z"}},
		{"replaces what it patches", abi.Update{Patch: []abi.Patch{patch("b", "x")}, Messages: messages("b=y", "d")}, []string{"a", "b=y", "c", "d"}},
		{"patches beside a removal", abi.Update{Patch: []abi.Patch{patch("b", "x")}, Remove: []string{"a"}}, []string{"b=x", "c"}},
		{"overwrites", abi.Update{Overwrite: true, Messages: messages("x", "b=y", "=z")}, []string{"x", "b=y", "new-1=z"}},
		{"overwrites without looking for repeated ids", abi.Update{Overwrite: true, Messages: messages("x", "x=y")}, []string{"x", "x=y"}},
		{"overwrites with nothing", abi.Update{Overwrite: true}, []string{}},
		{"does nothing", abi.Update{}, []string{"a", "b", "c"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for _, others := range [][]string{nil, many()} {
				b := setup(t, append(others, "a", "b", "c")...)
				before := b.List()

				b.apply(&test.update)

				require.Equal(t, test.want, specs(b.List()))
				require.Equal(t, []string{"a", "b", "c"}, specs(before), "the older list stays as it was")
			}
		})
	}
}

func TestApplyError(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		update abi.Update
		want   string
	}{
		{"remove of an unknown id", abi.Update{Remove: []string{"a", "x"}}, `messages: remove: there is no message with the id "x"`},
		{"remove of no id", abi.Update{Remove: []string{""}}, `messages: remove: there is no message with the id ""`},
		{
			"remove of an id of the same update",
			abi.Update{Remove: []string{"x"}, Messages: messages("x")},
			`messages: remove: there is no message with the id "x"`,
		},
		{"patch of an unknown id", abi.Update{Patch: []abi.Patch{patch("a", "y"), patch("x", "y")}}, `messages: patch: there is no message with the id "x"`},
		{
			"patch of a removed message",
			abi.Update{Patch: []abi.Patch{patch("a", "y")}, Remove: []string{"a"}},
			`messages: patch: the message "a" is removed by the same update`,
		},
		{
			"patch of a role",
			abi.Update{Patch: []abi.Patch{abi.NewPatch("a").Set("role", wire.String("ai"))}},
			`messages: patch: of message "a" changes its role`,
		},
		{"overwrite beside remove", abi.Update{Overwrite: true, Remove: []string{"a"}}, `messages: overwrite cannot be combined with remove or patch`},
		{"overwrite beside patch", abi.Update{Overwrite: true, Patch: []abi.Patch{patch("a", "y")}}, `messages: overwrite cannot be combined with remove or patch`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for _, others := range [][]string{nil, many()} {
				b := setup(t, append(others, "a", "b")...)
				cursor := b.Cursor()

				log, err := b.Apply(&test.update, b)

				var want *history.UpdateError
				require.ErrorAs(t, err, &want)
				require.EqualError(t, err, test.want)
				require.Equal(t, []string{"a", "b"}, specs(log.List()), "the log is as it was")
				require.Equal(t, cursor, log.Cursor())
				require.Equal(t, cursor, b.Cursor())
			}
		})
	}
}

// An update that fails after ids were looked up and messages appended must leave nothing behind, although logs that
// came from one another share memory.
func TestApplyAfterAFailedUpdate(t *testing.T) {
	t.Parallel()
	b := setup(t, append(many(), "a", "b")...)
	b.apply(&abi.Update{Messages: messages("a=x")}) // ids are indexed from here on

	half, err := b.Apply(&abi.Update{Messages: messages("c", "d")}, b)
	require.NoError(t, err)
	_, err = half.Apply(&abi.Update{Patch: []abi.Patch{patch("c", "y"), patch("unknown", "y")}}, b)
	require.Error(t, err)
	require.Equal(t, []string{"a=x", "b"}, specs(b.List()))

	_, err = b.Apply(&abi.Update{Remove: []string{"c"}}, b)
	require.EqualError(t, err, `messages: remove: there is no message with the id "c"`)
	b.apply(&abi.Update{Messages: messages("e", "d=z")})
	b.apply(&abi.Update{Messages: messages("c")})
	b.apply(&abi.Update{Messages: messages("d=y", "e=y")})

	require.Equal(t, []string{"a=x", "b", "e=y", "d=y", "c"}, specs(b.List()))
}

// A log may have one id twice. An update changes the later message, however many messages there are.
func TestApplyToARepeatedID(t *testing.T) {
	t.Parallel()
	for _, others := range [][]string{nil, many()} {
		b := setup(t)
		b.apply(&abi.Update{Overwrite: true, Messages: messages(append(others, "x", "x=y", "z")...)})

		b.apply(&abi.Update{Patch: []abi.Patch{patch("x", "w")}})

		require.Equal(t, []string{"x", "x=w", "z"}, specs(b.List()))
	}
}

func TestListApply(t *testing.T) {
	t.Parallel()
	list := history.Of(messages("a", "b")...)

	changed, err := list.Apply(&abi.Update{Messages: messages("=x", "a=y"), Remove: []string{"b"}})
	require.NoError(t, err)
	require.Equal(t, []string{"a=y", "=x"}, specs(changed), "messages without an id stay without")
	require.Equal(t, []string{"a", "b"}, specs(list))

	_, err = list.Apply(&abi.Update{Remove: []string{"x"}})
	require.EqualError(t, err, `messages: remove: there is no message with the id "x"`)
}
