package threadview_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/threadview"
	"github.com/agenthost/agenthost/host"
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
	for s, err := range threadview.Summaries(t.Context(), b.store) {
		require.NoError(t, err)
		threads = append(threads, s)
	}
	require.Equal(t, `THREAD    MESSAGES  UPDATED               STATE             NEXT
done      2         2026-01-02 03:04:05Z  done
failed    1         2026-01-02 03:04:05Z  stopped (failed)  model
running   2         2026-01-02 03:04:05Z  running
waiting   2         2026-01-02 03:04:05Z  waiting (1)       human_in_the_loop.after_model
`, printed(t, func(out *bytes.Buffer) error { return threadview.PrintTable(out, threads) }))
	require.Equal(t, `model "scripted": x: no`, threads[1].Failure)
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
