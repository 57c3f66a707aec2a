package threadview_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/threadview"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/model/scripted"
)

func TestThreadsAreListed(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Say("hi"), writes(call("call-1", "a.txt", "one")), scripted.Fail(&abi.Error{Type: "x", Message: "no"}), scripted.Say("hi"))
	for _, thread := range []string{"done", "waiting", "failed", "running\u202e"} {
		_, _ = b.agent.Run(t.Context(), host.Input{Thread: thread, Messages: []abi.Message{abi.Human("hi")}})
	}
	session, err := b.store.Open(t.Context(), "running\u202e")
	require.NoError(t, err)
	defer func() { require.NoError(t, session.Close()) }()
	var threads []threadview.Summary
	for s, err := range threadview.Summaries(t.Context(), b.store, checkpoint.Query{}) {
		require.NoError(t, err)
		threads = append(threads, s)
	}
	require.Equal(t, `THREAD    MESSAGES  UPDATED               STATE        NEXT
done      2         2026-01-02 03:04:05Z  done
failed    1         2026-01-02 03:04:05Z  failed       model
running   2         2026-01-02 03:04:05Z  running
waiting   2         2026-01-02 03:04:05Z  waiting (1)  human_in_the_loop.after_model
`, printed(t, func(out *bytes.Buffer) error { return threadview.PrintTable(out, threads) }))
	require.Equal(t, `model "scripted": x: no`, threads[1].Failure)
}

// A run that Ctrl-C ended did not fail.
func TestACancelledRunIsNotShownAsFailed(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Say("hi"))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for e, err := range b.agent.Stream(ctx, host.Input{Thread: "ada", Messages: []abi.Message{abi.Human("hi")}}) {
		if err != nil {
			require.ErrorIs(t, err, context.Canceled)
		}
		if e.Type == host.EventStep {
			cancel()
		}
	}
	found, err := threadview.Find(t.Context(), b.store, "ada")
	require.NoError(t, err)
	require.True(t, found.Cancelled)
	require.Contains(t, printed(t, func(out *bytes.Buffer) error { return threadview.PrintTable(out, []threadview.Summary{found}) }),
		"  stopped (cancelled)  model\n")
	require.Contains(t, b.history(), "    cancelled\n")
	require.NotContains(t, b.history(), "failed")
	require.Contains(t, b.show(0, false), "\nstopped before model, cancelled\n")

	_, err = b.agent.UpdateState(t.Context(), host.StateUpdate{Thread: "ada", Update: host.Update{Messages: []abi.Message{abi.Human("more")}}})
	require.NoError(t, err)
	require.Contains(t, b.show(0, false), "cancelled\n", "an update leaves the run where it is")
}

func TestAThreadIsFoundByItsName(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Say("hi"))
	b.say("hi")
	for i := range 60 {
		require.NoError(t, b.store.Fork(t.Context(), "ada", 0, fmt.Sprintf("ad%02d", i)))
		require.NoError(t, b.store.Fork(t.Context(), "ada", 0, fmt.Sprintf("ada%02d", i)))
	}
	for _, name := range []string{"ada", "ada07", "ad59"} {
		found, err := threadview.Find(t.Context(), b.store, name)
		require.NoError(t, err)
		require.Equal(t, name, found.Thread)
	}
	_, err := threadview.Find(t.Context(), b.store, "adz")
	require.EqualError(t, err, `thread "adz": there is no such thread`)
}
