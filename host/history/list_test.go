package history_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/history"
)

func TestListIsImmutable(t *testing.T) {
	t.Parallel()
	b := setup(t, "a", "b")
	first := b.List()
	b.apply(&abi.Update{Messages: messages("c")})
	second := b.List()
	left := second.Append(messages("left")...)
	right := second.Append(messages("right")...)
	b.apply(&abi.Update{Messages: messages("d", "a=x"), Remove: []string{"b"}})
	b.apply(&abi.Update{Overwrite: true, Messages: messages("z")})

	require.Equal(t, []string{"a", "b"}, specs(first))
	require.Equal(t, []string{"a", "b", "c"}, specs(second))
	require.Equal(t, []string{"a", "b", "c", "left"}, specs(left))
	require.Equal(t, []string{"a", "b", "c", "right"}, specs(right))
	require.Equal(t, []string{"z"}, specs(b.List()))
}

func TestListReads(t *testing.T) {
	t.Parallel()
	all := messages("a", "b", "c", "b=again")
	all[1].Role = abi.RoleAI
	list := history.Of(all...)

	require.Equal(t, 4, list.Len())
	require.Equal(t, 1, list.LastAI())
	require.Equal(t, all, list.Messages())
	require.Equal(t, all[2], list.At(2))
	require.Equal(t, all[2], *list.Entry(2).Message())
	last, ok := list.Last()
	require.True(t, ok)
	require.Equal(t, all[3], last)
	require.Equal(t, []string{"b", "c"}, specs(list.Slice(1, 3)))
	require.Equal(t, []string{"b=again"}, specs(list.Tail(1)))
	require.Equal(t, 4, list.Tail(9).Len())

	found, ok := list.Find("b")
	require.True(t, ok)
	require.Equal(t, "again", found.Content.Text(), "Find looks from the end")
	for _, id := range []string{"", "x"} {
		_, ok = list.Find(id)
		require.False(t, ok, "id %q", id)
	}
	for i := range list.All() {
		require.Zero(t, i)
		break
	}
}

func TestEmptyList(t *testing.T) {
	t.Parallel()
	var list history.List

	require.Zero(t, list.Len())
	require.Equal(t, -1, list.LastAI())
	require.Empty(t, list.Messages())
	require.Zero(t, list.Tail(3).Len())
	_, ok := list.Last()
	require.False(t, ok)
	require.Equal(t, []string{"a"}, specs(list.Append(messages("a")...)))
}

func TestEncodedIsMadeOnce(t *testing.T) {
	t.Parallel()
	b := setup(t, "a", "b")
	first := b.List().Entry(0).Encoded()

	b.apply(&abi.Update{Messages: messages("c", "b=x")})
	b.apply(&abi.Update{Remove: []string{"c"}})
	again := b.List().Entry(0).Encoded()
	require.Same(t, &first[0], &again[0], "an entry that stays keeps its encoding")

	var m abi.Message
	rest, err := m.UnmarshalMsg(b.List().Entry(1).Encoded())
	require.NoError(t, err)
	require.Empty(t, rest)
	require.Equal(t, messages("b=x")[0], m)
}

func TestListReplace(t *testing.T) {
	t.Parallel()
	list := setup(t, "a", "b", "c").List()
	other := messages("b=x")[0]

	replaced := list.Replace(map[int]*abi.Message{1: &other})

	require.Equal(t, []string{"a", "b=x", "c"}, specs(replaced))
	require.Equal(t, []string{"a", "b", "c"}, specs(list), "the list stays as it is")
	require.Same(t, list.Entry(2), replaced.Entry(2), "the others are shared")
}
