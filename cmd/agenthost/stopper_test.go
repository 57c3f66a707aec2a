package main

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRunsAreToldToStop(t *testing.T) {
	t.Parallel()
	var events []string
	note := func(event string) func() { return func() { events = append(events, event) } }
	s := &stopper{end: note("end")}
	require.False(t, s.tell(), "nothing is under way")
	s.during(note("never"))()
	require.Empty(t, events)
	first, second := s.during(note("first")), s.during(note("second"))
	require.True(t, s.tell())
	require.False(t, s.tell(), "whoever says it twice does not want to wait")
	first()
	first()
	require.Equal(t, []string{"first", "second"}, events)
	third := s.during(note("third")) // as a chat may begin it
	second()
	third()
	require.Equal(t, []string{"first", "second", "third", "end"}, events)
}

// The command is told to stop when the run begins. It stops after the model's answer, and the thread goes on from there.
func TestARunStopsBetweenTwoSteps(t *testing.T) {
	t.Parallel()
	b := setup(t, `apiVersion: agenthost/v1
model: {provider: scripted, turns: [{tool_calls: [{name: list_files, args: {}}]}, {content: done}]}
tools: [{files: {root: .}}]
checkpoint: sqlite:agent.db
`)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s := &stopper{end: cancel}
	during := func(yield func()) func() {
		ended := s.during(yield)
		require.True(t, s.tell())
		return ended
	}
	code := execute(ctx, []string{"run", "-f", b.path("agenthost.yaml"), "--thread", "t", "hi"}, streams{
		in: strings.NewReader(""), out: &b.out, err: &b.err, during: during,
	})
	require.Equal(t, exitSignal, code, &b.err)
	require.Contains(t, b.err.String(), "agenthost: interrupted\n  the run stopped before tools; to continue it:\n  agenthost resume t ")
	require.Equal(t, exitOK, b.run("resume", "t"), &b.err)
	require.Equal(t, "done\n", b.out.String())
}
