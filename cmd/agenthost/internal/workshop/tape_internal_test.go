package workshop

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/plugin/cassette"
)

func TestATapeForgetsWholeRuns(t *testing.T) {
	t.Parallel()
	tape, p := NewTape(4*overhead), &cassette.Plugin{Name: "p"}
	record := func(run string, size int) {
		tape.Record(p, &cassette.Frame{Export: "before_model", Input: wire.Map{{Key: "run", Value: wire.String(run)}}.Raw(), Result: make([]byte, size)})
	}
	numbers := func(runs ...string) (out []int, whole bool) {
		frames, whole := tape.frames(runs)
		for _, f := range frames {
			require.Same(t, p, f.Plugin)
			out = append(out, f.Number)
		}
		return out, whole
	}
	record("a", 10)
	record("b", 10)
	record("a", 10)
	got, whole := numbers("b", "a", "nobody")
	require.Equal(t, []int{1, 2, 3}, got)
	require.True(t, whole)
	record("c", overhead) // there is no room for it beside the others
	got, whole = numbers("a")
	require.Empty(t, got)
	require.False(t, whole, "a part of a run would mislead")
	record("a", 10)
	got, _ = numbers("a", "b", "c")
	require.Equal(t, []int{2, 4}, got)
	record("huge", 10*overhead)
	got, whole = numbers("huge")
	require.Empty(t, got)
	require.False(t, whole)
	require.Zero(t, tape.used)
	tape.Record(p, &cassette.Frame{Export: "before_model", Cut: true})
	require.Zero(t, tape.used)
}

func TestNamesOfFiles(t *testing.T) {
	t.Parallel()
	require.Equal(t, "run-ada-01234567", fileName("run", "ada", "0123456789"))
	require.Equal(t, "run----etc-passwd-------x", fileName("run", "../etc/passwd", "/\x00é.."+"/x"))
}
