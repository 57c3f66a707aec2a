package threadview_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/threadview"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/model/scripted"
)

func (b *bench) entries() []threadview.Entry {
	b.t.Helper()
	entries, err := threadview.History(b.t.Context(), b.store, "ada")
	require.NoError(b.t, err)
	return entries
}

func (b *bench) history() string {
	b.t.Helper()
	return printed(b.t, func(out *bytes.Buffer) error { return threadview.PrintHistory(out, b.entries()) })
}

func TestTheHistoryOfAThread(t *testing.T) {
	t.Parallel()
	b := setup(t, writes(call("call-1", "a.txt", "one")), scripted.Say("Done."), scripted.Say("Not done."))
	b.run(host.Input{Messages: []abi.Message{abi.Human("write")}, State: map[string]any{"mood": "good"}})
	b.run(host.Input{Resume: decisions("approve")})
	b.run(host.Input{Checkpoint: 3, Resume: decisions("reject")})
	require.Contains(t, b.history(), "#8 after #3  2026-01-02 03:04:05Z, fork, ")
	first := b.entries()[len(b.entries())-3:]
	require.Equal(t, `#3  2026-01-02 03:04:05Z, loop, after model, next human_in_the_loop.after_model
    ask-1-3 of human_in_the_loop.after_model asks about write {"path":"a.txt","text":"one"}
#2  2026-01-02 03:04:05Z, loop, after model, next human_in_the_loop.after_model
    + ai bot → write {"path":"a.txt","text":"one"}
#1  2026-01-02 03:04:05Z, input, next model
    + human: write
    mood = "good"
`, printed(t, func(out *bytes.Buffer) error { return threadview.PrintHistory(out, first) }))

	answered := 0
	for _, e := range b.entries() {
		require.Equal(t, e.ID == 8, e.Branches)
		for _, a := range e.Answered {
			answered++
			require.Equal(t, "ada\x1b", a.By)
			require.False(t, a.At.IsZero())
		}
	}
	require.Equal(t, 2, answered, "each where it was given")
	require.Contains(t, b.history(), "    ada  answered ask-1-3 of human_in_the_loop.after_model at 2026-01-02 03:04:")

	line, err := json.Marshal(&b.entries()[0])
	require.NoError(t, err)
	require.NotContains(t, string(line), "answered")
}

func TestABranchFromTheBeginningIsShownAsOne(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Say("one"))
	b.say("hi")
	before := len(b.entries())
	session, err := b.store.Open(t.Context(), "ada")
	require.NoError(t, err)
	_, err = session.Save(t.Context(), &checkpoint.Commit{Record: checkpoint.Record{Whole: true, Source: checkpoint.SourceInput, Checkpoint: checkpoint.Checkpoint{Next: "model"}}})
	require.NoError(t, err)
	require.NoError(t, session.Close())
	entries := b.entries()
	require.Len(t, entries, before+1)
	require.True(t, entries[0].Branches)
	require.False(t, entries[before].Branches)
	require.Contains(t, b.history(), fmt.Sprintf("#%d from the beginning  ", before+1))
}

func TestChangesOfTheHistory(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Say("one"), scripted.Say("two"))
	ids := b.say("hi").Messages
	update := func(u host.Update) threadview.Entry {
		_, err := b.agent.UpdateState(t.Context(), host.StateUpdate{Thread: "ada", Update: u})
		require.NoError(t, err)
		return b.entries()[0]
	}
	set := update(host.Update{State: wire.Map{{Key: "mood", Value: value(t, "bad")}}})
	require.Equal(t, `{"mood":"bad"}`, set.Set.Raw().JSON())
	unset := update(host.Update{State: wire.Map{{Key: "mood", Value: wire.Raw{0xc0}}}})
	require.NotEmpty(t, unset.Set.Raw())

	removed := update(host.Update{Remove: []string{ids.At(0).ID}})
	require.Equal(t, []string{ids.At(0).ID}, removed.Removed)

	changed := ids.At(1)
	changed.Content = abi.Text("changed")
	replaced := update(host.Update{Messages: []abi.Message{changed}})
	require.Empty(t, replaced.Added)
	require.Len(t, replaced.Replaced, 1)
	require.Equal(t, "changed", replaced.Replaced[0].Content.Text())

	rewritten := update(host.Update{Overwrite: true, Messages: []abi.Message{abi.Human("anew")}})
	require.True(t, rewritten.Rewritten)
	require.Len(t, rewritten.Added, 1)

	text := b.history()
	for _, line := range []string{
		"update, run complete\n    the history was rewritten, with 1 messages\n    + human: anew\n", "    ~ ai bot: changed\n",
		"    - " + ids.At(0).ID + "\n", "    mood = \"bad\"\n", "#2  2026-01-02 03:04:05Z, loop, after model, next human_in_the_loop.after_model\n    + ai bot: one\n",
	} {
		require.Contains(t, text, line)
	}
}

func TestAFailureStandsInTheHistory(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Fail(&abi.Error{Type: "x", Message: "overloaded"}))
	_, err := b.agent.Run(t.Context(), host.Input{Thread: "ada", Messages: []abi.Message{abi.Human("hi")}})
	require.Error(t, err)
	require.Contains(t, b.history(), "next model\n    failed: model \"scripted\": x: overloaded\n")
}

func TestAForkBeginsWithTheCheckpointsThatLeadToIt(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Say("one"), scripted.Say("two"))
	b.say("hi")
	b.run(host.Input{Checkpoint: 1, Messages: []abi.Message{abi.Human("other")}})
	require.NoError(t, b.store.Fork(t.Context(), "ada", 0, "copy"))
	entries, err := threadview.History(t.Context(), b.store, "copy")
	require.NoError(t, err)
	require.Len(t, entries, len(b.entries())-2)
}

func TestExports(t *testing.T) {
	t.Parallel()
	b := setup(t, writes(call("call-1", "a.txt", "one")), scripted.Say("Done."))
	b.say("write")
	b.run(host.Input{Resume: decisions("approve")})
	exported, err := threadview.LoadExport(t.Context(), b.store, "ada", 0)
	require.NoError(t, err)
	text, err := json.Marshal(exported)
	require.NoError(t, err)
	var doc struct {
		Format      string        `json:"format"`
		Thread      string        `json:"thread"`
		Messages    []abi.Message `json:"messages"`
		Checkpoints []struct {
			Checkpoint int           `json:"checkpoint"`
			Added      []abi.Message `json:"added"`
		} `json:"checkpoints"`
		Program struct {
			Digest     string           `json:"digest"`
			Middleware []map[string]any `json:"middleware"`
		} `json:"program"`
	}
	require.NoError(t, json.Unmarshal(text, &doc))
	require.Equal(t, "agenthost.thread/1", doc.Format)
	require.Equal(t, "ada", doc.Thread)
	require.Len(t, doc.Messages, 4)
	var added []abi.Message
	for i, c := range doc.Checkpoints {
		require.Equal(t, i+1, c.Checkpoint, "the oldest first")
		added = append(added, c.Added...)
	}
	require.Equal(t, doc.Messages, added)
	require.NotEmpty(t, doc.Program.Digest)
	require.Equal(t, "human_in_the_loop", doc.Program.Middleware[0]["name"])

	_, err = threadview.LoadExport(t.Context(), b.store, "bob", 0)
	require.EqualError(t, err, `thread "bob": there is no such thread`)
}
