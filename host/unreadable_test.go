package host_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/sqlite"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// onDisk is a store that keeps bytes, unlike one in memory: it must read what it has written.
func onDisk(t *testing.T) *sqlite.Store {
	t.Helper()
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "agent.db"), sqlite.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	return store
}

// untyped is content with a block that does not say what it is. It can be made, and not be read.
func untyped() abi.Content {
	return abi.Blocks(abi.BlockOf(wire.Map{{Key: "text", Value: wire.String("no type")}}), abi.TextBlock("x"))
}

const untypedText = `content: a block needs the key "type"`

// What tools return is mended or refused. A thread can be read whatever that is, and takes a new message.
func TestAToolThatReturnsWhatCannotBeReadLeavesTheThreadReadable(t *testing.T) {
	t.Parallel()
	twice := wire.Map{{Key: "a", Value: wire.Int(1)}, {Key: "a", Value: wire.Int(2)}}
	block := func(m wire.Map) *host.ToolOutput { return &host.ToolOutput{Content: abi.Blocks(abi.BlockOf(m))} }
	typed := wire.Pair{Key: "type", Value: wire.String("z")}
	message := func(m abi.Message) *host.ToolOutput {
		m.Content = abi.Text("y")
		return &host.ToolOutput{Update: &host.Update{Messages: []abi.Message{m}}}
	}
	for name, test := range map[string]struct {
		output *host.ToolOutput
		fails  string
	}{
		"a block without a type":         {&host.ToolOutput{Content: untyped()}, untypedText},
		"a block whose type is not text": {block(wire.Map{{Key: "type", Value: wire.Int(1)}}), untypedText},
		"a block with a key twice":       {block(append(wire.Map{typed}, twice...)), `the key "a" appears twice`},
		"a block that is not sorted":     {block(wire.Map{{Key: "z", Value: wire.Int(1)}, {Key: "a", Value: wire.Int(2)}, typed}), ""},
		"a role that is not UTF-8":       {message(abi.Message{Role: "r\xff"}), ""},
		"a status that is not UTF-8":     {message(abi.Message{Role: abi.RoleHuman, Status: "\xff"}), ""},
		"a meta with a key twice":        {message(abi.Message{Role: abi.RoleHuman, Meta: twice}), `the key "a" appears twice`},
		"a meta whose key is not UTF-8":  {message(abi.Message{Role: abi.RoleHuman, Meta: wire.Map{{Key: "\xff", Value: wire.Int(1)}}}), ""},
		"arguments that are not a map": {
			message(abi.Message{Role: abi.RoleAI, ToolCalls: []abi.ToolCall{{ID: "z", Name: "act", Args: wire.Int(1)}}}), "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, calls("act"), scripted.Say("done"), scripted.Say("yes"))
			b.Checkpointer = onDisk(t)
			b.tool("act", func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) { return test.output, nil })
			agent := b.build()
			_, err := agent.Run(t.Context(), say("hi"))
			if test.fails == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, test.fails)
			}
			_, err = agent.State(t.Context(), "t", 0)
			require.NoError(t, err)
			completed(t, agent, say("are you there?"))
		})
	}
}

// The process dies before a checkpoint is saved: the journal alone knows of the result that was refused.
func TestAJournalIsReadableWhateverAToolReturns(t *testing.T) {
	t.Parallel()
	d := newDying(t, calls("act", "act"), scripted.Say("done"))
	d.store.Store = onDisk(t)
	d.ToolCalls.Parallel = 1
	d.tool("act", func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
		d.sent++
		if d.sent == 1 {
			return &host.ToolOutput{Content: untyped()}, nil
		}
		return host.TextOutput("acted"), nil
	})
	d.use(host.WrapToolCall("dies", func(
		ctx context.Context, _ *host.Runtime, req *host.ToolRequest, next host.ToolHandler,
	) (*abi.Message, *host.Update, error) {
		m, err := next(ctx, req)
		if err != nil {
			d.die()
		}
		return m, nil, err
	}))
	_, err := d.build().Run(t.Context(), say("hi"))
	require.ErrorContains(t, err, `tool "act": call "1": the content of a message cannot be kept: `+untypedText)
	agent := d.revive()
	got, err := agent.State(t.Context(), "t", 0)
	require.NoError(t, err)
	require.Empty(t, got.Failure, "no checkpoint holds it")
	result := completed(t, agent, goOn())
	require.Equal(t, []string{"human: hi", "ai: ", "tool 1: acted", "tool 2: acted", "ai: done"}, lines(result.Messages))
	require.Equal(t, 3, d.sent)
}

func TestAPatchIsMendedOrRefused(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		content abi.Content
		want    string
		fails   string
	}{
		{abi.Text("caf\xe9"), "ai: caf\uFFFD", ""},
		{untyped(), "ai: coffee", untypedText},
	} {
		b := setup(t, scripted.Say("coffee"), scripted.Say("yes"))
		b.Checkpointer = onDisk(t)
		b.use(host.AfterModel("patches", func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
			last, _ := rt.State().Messages().Last()
			if last.Content.Text() == "yes" {
				return nil, nil
			}
			return &host.Update{Patch: []abi.Patch{abi.NewPatch(last.ID).SetContent(test.content)}}, nil
		}))
		agent := b.build()
		_, err := agent.Run(t.Context(), say("hi"))
		if test.fails == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, test.fails)
		}
		got, err := agent.State(t.Context(), "t", 0)
		require.NoError(t, err)
		require.Equal(t, []string{"human: hi", test.want}, lines(got.Messages))
		completed(t, agent, say("are you there?"))
	}
}

func TestAnInputThatCannotBeReadIsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Say("yes"))
	b.Checkpointer = onDisk(t)
	agent := b.build()
	_, err := agent.Run(t.Context(), host.Input{Thread: "t", Messages: []abi.Message{{Role: abi.RoleHuman, Content: untyped()}}})
	require.EqualError(t, err, `step "input": the content of a message cannot be kept: `+untypedText)
	result := completed(t, agent, say("are you there?"))
	require.Equal(t, []string{"human: are you there?", "ai: yes"}, lines(result.Messages))
}

// A wrap cuts a result in the middle of a letter, while another call asks: the result stays beside the state until then.
func TestATextThatAWrapHasBrokenIsMendedBesideAQuestion(t *testing.T) {
	t.Parallel()
	b := setup(t, calls("look", "ask"), scripted.Say("done")).answering("look", "a caf\u00e9").tool("ask", asking)
	b.Checkpointer = onDisk(t)
	b.use(host.WrapToolCall("shorten", func(
		ctx context.Context, _ *host.Runtime, req *host.ToolRequest, next host.ToolHandler,
	) (*abi.Message, *host.Update, error) {
		m, err := next(ctx, req)
		if err == nil {
			m.Content = abi.Text(m.Content.Text()[:6])
		}
		return m, nil, err
	}, host.OnlyTools("look")))
	agent := b.build()
	ids := interrupted(t, agent, say("hi"))
	require.Equal(t, ids, interrupted(t, agent, goOn()))
	result := completed(t, agent, answering("yes"))
	require.Equal(t, []string{"human: hi", "ai: ", "tool 1: a caf\uFFFD", "tool 2: yes", "ai: done"}, lines(result.Messages))
	require.Equal(t, []string{"look"}, b.log)
}

// The value is refused when the others are not done yet. Of the call the answer alone is kept, and the thread goes on.
func TestAFieldThatCannotBeKeptIsRefusedBesideAQuestion(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]host.Input{"an answer": answering("yes"), "a new message": say("never mind")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, calls("set", "ask"), scripted.Say("done")).tool("ask", asking)
			b.Checkpointer = onDisk(t)
			b.State = []host.Field{{Name: "f"}}
			b.tool("set", func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
				return &host.ToolOutput{Content: abi.Text("set"), Update: &host.Update{State: wire.Map{{Key: "f", Value: wire.Raw{0xc1}}}}}, nil
			})
			agent := b.build()
			result, err := agent.Run(t.Context(), say("hi"))
			require.ErrorContains(t, err, `step "tools": field "f": the value cannot be kept`)
			require.Len(t, result.Interrupts, 1)
			got, err := agent.State(t.Context(), "t", 0)
			require.NoError(t, err)
			require.Contains(t, got.Failure, `field "f": the value cannot be kept`)
			require.Equal(t, result.Interrupts, got.Interrupts)
			require.Equal(t, host.Interrupted, outcome(t, agent, goOn()).Status)
			result = completed(t, agent, in)
			require.Contains(t, lines(result.Messages), "tool 1: set")
			require.Equal(t, "done", result.Text())
			require.Equal(t, "{}", stateOf(result))
		})
	}
}
