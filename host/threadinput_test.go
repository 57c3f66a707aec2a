package host_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model/scripted"
)

func TestANewInputKeepsARunThatWaits(t *testing.T) {
	t.Parallel()
	b := setup(t, calls("ask"), scripted.Say("done"), scripted.Say("new")).keeps().tool("ask", asking)
	agent := b.build()
	keeping := say("never mind")
	keeping.KeepWaiting = true
	require.Equal(t, host.Interrupted, outcome(t, agent, say("hi")).Status)

	for _, at := range []checkpoint.ID{0, 1} { // an older checkpoint would abandon the run, too
		keeping.Checkpoint = at
		result, err := agent.Run(t.Context(), keeping)
		require.ErrorIs(t, err, host.ErrWaiting)
		require.EqualError(t, err, `thread "t": its run waits for an answer, and a new input would give it up; resume the run first`)
		require.Equal(t, host.Failed, result.Status)
		require.Empty(t, result.Next)
	}

	answer := resume(host.Answer{Value: "yes"})
	answer.KeepWaiting = true
	require.Equal(t, "done", completed(t, agent, answer).Text(), "an answer is no new input")
	keeping.Checkpoint = 0
	require.Equal(t, "new", completed(t, agent, keeping).Text(), "a run that is over does not wait")
}

func TestANewInputGivesUpARunThatWaitsUnlessItKeepsIt(t *testing.T) {
	t.Parallel()
	agent := setup(t, calls("ask"), scripted.Say("new")).keeps().tool("ask", asking).build()
	require.Equal(t, host.Interrupted, outcome(t, agent, say("hi")).Status)
	require.Equal(t, "new", completed(t, agent, say("never mind")).Text())
}

func TestAThreadKeepsTheManifestOfItsRun(t *testing.T) {
	t.Parallel()
	store := memory.New()
	agent := func(manifest string, script ...scripted.Turn) *host.Agent {
		b := setup(t, script...).tool("ask", asking)
		b.Checkpointer, b.Manifest = store, manifest
		return b.build()
	}
	kept := func() string {
		held, err := store.Load(t.Context(), "t", 0)
		require.NoError(t, err)
		return held.Program.Manifest
	}
	for _, test := range []struct {
		what, manifest string
		in             host.Input
		script         scripted.Turn
		want           string
	}{
		{"a new thread", "/a.yaml", say("hi"), calls("ask"), "/a.yaml"},
		{"an agent of another manifest goes on", "/b.yaml", resume(host.Answer{Value: "yes"}), calls("ask"), "/a.yaml"},
		{"a new run", "/b.yaml", say("hi"), calls("ask"), "/b.yaml"},
		{"an agent without a manifest goes on", "", resume(host.Answer{Value: "yes"}), calls("ask"), "/b.yaml"},
		{"a new run without a manifest", "", say("hi"), calls("ask"), ""},
		{"a manifest for a run without one", "/a.yaml", resume(host.Answer{Value: "yes"}), calls("ask"), "/a.yaml"},
	} {
		require.Equal(t, host.Interrupted, outcome(t, agent(test.manifest, test.script), test.in).Status, test.what)
		require.Equal(t, test.want, kept(), test.what)
	}

	changed := setup(t, scripted.Say("done")).tool("ask", asking).use(versioned("a", "1", ""))
	changed.Checkpointer, changed.Manifest = store, "/changed.yaml"
	in := resume(host.Answer{Value: "yes"})
	in.AcceptChanges = true
	completed(t, changed.build(), in)
	require.Equal(t, "/changed.yaml", kept(), "only this manifest describes the program that went on")
}
