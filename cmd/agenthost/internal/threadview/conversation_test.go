package threadview_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/threadview"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/question"
	"github.com/agenthost/agenthost/internal/text"
)

func (b *bench) show(at checkpoint.ID, full bool) string {
	b.t.Helper()
	c, err := threadview.Load(b.t.Context(), b.store, "ada", at)
	require.NoError(b.t, err)
	return printed(b.t, func(out *bytes.Buffer) error {
		return c.Print(out, question.Command{Thread: "ada", File: "agenthost.yaml"}, full)
	})
}

func TestAConversationThatWaits(t *testing.T) {
	t.Parallel()
	b := setup(t, writes(call("call-1", "a.txt", "one\ntwo"), call("call-2", "b.txt", "three")), scripted.Say("Done."))
	b.say("write\n two files")
	require.Equal(t, `thread ada, checkpoint 3 of 3, 2026-01-02 03:04:05Z
waiting for an answer before human_in_the_loop.after_model

human
  │ write
  │  two files

ai bot
  → write (call-1)
    path: "a.txt"
    text: |
      │ one
      │ two
  → write (call-2)
    path: "b.txt"
    text: "three"

write (call-1) needs a decision, says human_in_the_loop.after_model
  │ Tool execution requires approval
  path: "a.txt"
  text: |
    │ one
    │ two
  --approve call-1 | --edit call-1=ARGUMENTS.json | --reject call-1 --message REASON | --respond call-1 --message ANSWER
write (call-2) needs a decision, says human_in_the_loop.after_model
  │ Tool execution requires approval
  path: "b.txt"
  text: "three"
  --approve call-2 | --edit call-2=ARGUMENTS.json | --reject call-2 --message REASON | --respond call-2 --message ANSWER
to continue it:
  agenthost resume ada -f agenthost.yaml --approve call-1 --approve call-2
`, b.show(0, false))
}

func TestAConversationThatIsDone(t *testing.T) {
	t.Parallel()
	b := setup(t, writes(call("call-1", "a.txt", "one")), scripted.Say("Done."))
	b.run(host.Input{Messages: []abi.Message{abi.Human("write")}, State: map[string]any{"mood": "good"}})
	b.run(host.Input{Resume: decisions("reject")})
	shown := b.show(0, false)
	require.Contains(t, shown, "\ndone\n")
	require.Contains(t, shown, "\ntool write (call-1): error\n  │ User rejected the tool call for `write` with id call-1.")
	require.Contains(t, shown, "\nai bot\n  │ Done.\n")
	require.Contains(t, shown, "\nfields\n")
	require.Contains(t, shown, "\n  mood = \"good\"\n")
	require.NotContains(t, shown, "to continue it")

	older := b.show(3, false)
	require.Contains(t, older, "thread ada, checkpoint 3 of ")
	require.Contains(t, older, "  agenthost resume ada -f agenthost.yaml --checkpoint 3 --approve call-1\n")
}

func TestAConversationThatFailed(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Fail(&abi.Error{Type: "x", Message: "overloaded\x1b[2J\nagain"}))
	_, err := b.agent.Run(t.Context(), host.Input{Thread: "ada", Messages: []abi.Message{abi.Human("hi")}})
	require.Error(t, err)
	shown := b.show(0, false)
	require.Contains(t, shown, "\nfailed before model: model \"scripted\": x: overloaded [2J again\n")
	require.Contains(t, shown, "\nto continue it:\n  agenthost resume ada -f agenthost.yaml\n")
}

func TestAConversationInARun(t *testing.T) {
	t.Parallel()
	b := setup(t, writes(call("call-1", "a.txt", "one")))
	b.say("write")
	session, err := b.store.Open(t.Context(), "ada")
	require.NoError(t, err)
	_, err = session.Load(t.Context(), 0)
	require.NoError(t, err)
	started := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	require.NoError(t, session.Journal(t.Context(), &checkpoint.Execution{
		CallID: "call-1", N: 1, Tool: "write", Args: wire.Map{}.Raw(), Started: started.UnixMilli(),
	}))
	shown := b.show(0, false)
	require.Contains(t, shown, "\nrunning; this is the last checkpoint that the run saved\n")
	require.Contains(t, shown, "\nrunning tools\n  write (call-1), started 2026-01-02 03:04:05Z\n")
	require.NotContains(t, shown, "to continue it")

	require.NoError(t, session.Close())
	shown = b.show(0, false)
	require.Contains(t, shown, "\ninterrupted by a crash; it is unknown whether these calls took effect\n  write (call-1), started 2026-01-02 03:04:05Z\n")
	require.Contains(t, shown, "to continue it")
}

func TestLongResultsAreCut(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Say(strings.Repeat("said\n", 50)))
	result := abi.ToolResult(abi.Call("call-0", "read", nil), strings.Repeat("line\n", 50))
	b.run(host.Input{Messages: []abi.Message{abi.Human("hi"), abi.AI("", abi.Call("call-0", "read", nil)), result}})
	shown := b.show(0, false)
	require.Equal(t, 20, strings.Count(shown, "  │ line\n"))
	require.Contains(t, shown, "  │ … 30 more lines (--full shows everything)\n")
	require.Equal(t, 50, strings.Count(shown, "  │ said\n"), "what people say to each other is shown whole")
	require.Equal(t, 50, strings.Count(b.show(0, true), "  │ line\n"))
}

func TestContentThatIsNoText(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Say("A cat."))
	m := abi.Human("")
	m.Content = abi.Blocks(abi.TextBlock("what is this?"), abi.FileBlock("cat\x1b.png", "image/png", []byte("x")), abi.ReasoningBlock("hm", ""))
	malformed := abi.AI("")
	malformed.InvalidToolCalls = []abi.InvalidToolCall{{ID: "call-0", Name: "write", Error: "no JSON"}}
	b.run(host.Input{Messages: []abi.Message{m, malformed, abi.Human("well?")}})
	shown := b.show(0, false)
	require.Contains(t, shown, "\nhuman\n  │ what is this?\n  [file cat .png image/png]\n  [reasoning] hm\n")
	require.Contains(t, shown, "  → write (call-0), malformed: no JSON\n")
}

func TestARefusalIsShownWithItsText(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Say("Well."))
	refused := abi.AI("")
	refused.Content = abi.Blocks(abi.RefusalBlock("I cannot\x1b[2J\nhelp.", "cyber"))
	b.run(host.Input{Messages: []abi.Message{abi.Human("hi"), refused, abi.Human("please")}})
	require.Contains(t, b.show(0, false), "\n  [refusal cyber] I cannot\uFFFD[2J\n  help.\n")
	require.Contains(t, b.history(), "[refusal cyber] I cannot [2J help.")
}

func TestNothingInAThreadSteersTheTerminalOrForgesALine(t *testing.T) {
	t.Parallel()
	const steer = "\x1b[2J\u202e\nhuman\n  forged\n\nto continue it:\n\r"
	b := setup(t, writes(abi.Call("call"+steer, "write", map[string]any{"path": steer, "text" + steer: steer})))
	b.run(host.Input{Messages: []abi.Message{abi.Human(steer)}, State: map[string]any{"mood": steer}})
	for _, shown := range []string{b.show(0, true), b.history()} {
		for line := range strings.Lines(shown) {
			line = strings.TrimSuffix(line, "\n")
			require.False(t, strings.ContainsFunc(line, text.Steers), "%q", line)
		}
	}
	require.Equal(t, 1, strings.Count(b.show(0, true), "\nhuman\n"), b.show(0, true))
	require.Equal(t, 1, strings.Count(b.show(0, true), "\nto continue it:\n"))
}

func TestTheDocumentOfAConversation(t *testing.T) {
	t.Parallel()
	b := setup(t, writes(call("call-1", "a.txt", "one")))
	b.say("write")
	c, err := threadview.Load(t.Context(), b.store, "ada", 0)
	require.NoError(t, err)
	text, err := json.Marshal(c)
	require.NoError(t, err)
	var doc struct {
		State      string        `json:"state"`
		Checkpoint int           `json:"checkpoint"`
		Next       string        `json:"next"`
		Messages   []abi.Message `json:"messages"`
		Interrupts []struct {
			ID    string `json:"id"`
			Kind  string `json:"kind"`
			Calls []struct {
				Ref     string          `json:"ref"`
				Allowed []question.Type `json:"allowed_decisions"`
			} `json:"calls"`
			Value map[string]any `json:"value"`
		} `json:"interrupts"`
	}
	require.NoError(t, json.Unmarshal(text, &doc))
	require.Equal(t, "waiting", doc.State)
	require.Equal(t, 3, doc.Checkpoint)
	require.Equal(t, "human_in_the_loop.after_model", doc.Next)
	require.Len(t, doc.Messages, 2)
	require.Equal(t, "review", doc.Interrupts[0].Kind)
	require.Equal(t, "call-1", doc.Interrupts[0].Calls[0].Ref)
	require.Len(t, doc.Interrupts[0].Calls[0].Allowed, 4)
	require.Contains(t, doc.Interrupts[0].Value, "action_requests")
	require.NotContains(t, string(text), "answered_at")
}

func TestThreadsThatAreNotThere(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Say("hi"))
	b.say("hi")
	_, err := threadview.Load(t.Context(), b.store, "bob", 0)
	require.ErrorIs(t, err, checkpoint.ErrNoThread)
	require.EqualError(t, err, `thread "bob": there is no such thread`)
	_, err = threadview.Load(t.Context(), b.store, "ada", 9)
	require.ErrorIs(t, err, checkpoint.ErrNoCheckpoint)
	_, err = threadview.Load(t.Context(), b.store, "", 0)
	require.ErrorIs(t, err, checkpoint.ErrThreadName)
	_, err = threadview.History(t.Context(), b.store, "bob")
	require.ErrorIs(t, err, checkpoint.ErrNoThread)
}
