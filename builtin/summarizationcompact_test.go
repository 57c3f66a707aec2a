package builtin_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
)

const nothingToCompact = "Nothing to compact yet — conversation is within the token budget."

// compacting gives the model the tool, and summarizes by itself only at such a size.
func compacting(trigger builtin.ContextSize, keep int) builtin.Summarization {
	s := overflowing(keep)
	s.Trigger, s.CompactConversation = builtin.ContextTriggers{trigger}, true
	return s
}

func TestCompactConversation(t *testing.T) {
	t.Parallel()
	small := newWitness(scripted.Say("SUMMARY"))
	main := newWitness(scripted.CallTools(abi.Call("1", "compact_conversation", nil), abi.Call("2", "search", nil)), scripted.Say("done"))
	s := compacting(messagesOf(10), 2)
	s.SystemPrompt = "Compact when you are done with something."
	given := talk("human 1", "ai calc:9", "tool 9 x", "ai: 4", "human 5")
	thread, err := runInThread(t, main, small, given, s)
	require.NoError(t, err)
	require.Equal(t, 1, small.Calls())
	require.Equal(t, []string{
		"human " + summaryText + "SUMMARY", "human 5", "ai compact_conversation:1 search:2",
		"tool 1 Conversation compacted. Summarized 4 messages into a concise summary.", "tool 2 search result ",
	}, main.seen())
	require.Equal(t, []string{"m00", "m04"}, ids(thread[:2]))
	require.Len(t, thread, 6)
	require.Contains(t, small.prompts()[0], `<tool_call id="9" name="calc">`)
	require.Equal(t, "Compact when you are done with something.", main.asked[0].System.Text())
	spec := main.asked[0].Tools[0]
	require.Equal(t, "compact_conversation", spec.Name)
	require.Contains(t, spec.Description, "Compact the conversation by summarizing older messages into a concise summary.")
}

// The tool acts from half of a trigger on, if there is something to summarize.
func TestWhenAConversationIsCompacted(t *testing.T) {
	t.Parallel()
	four := []string{"human 1", "ai: 2", "human 3", "human 4"} // five messages with the call
	counted := func(size builtin.ContextSize) builtin.Summarization {
		s := compacting(size, 1)
		s.TokenCounter = builtin.TokenCounter{PerMessage: 10}
		return s
	}
	list := counted(messagesOf(100))
	list.Trigger = append(list.Trigger, builtin.ContextSize{Tokens: new(100)})
	for name, test := range map[string]struct {
		s    builtin.Summarization
		want bool
	}{
		"half of the messages":    {counted(messagesOf(11)), true},
		"fewer messages":          {counted(messagesOf(12)), false},
		"half of the tokens":      {counted(tokensOf(101)), true},
		"fewer tokens":            {counted(tokensOf(102)), false},
		"half of a fraction":      {counted(builtin.ContextSize{Fraction: new(1.0)}), true},
		"all of one size":         {counted(builtin.ContextSize{Messages: new(12), Tokens: new(100)}), false},
		"one of a list":           {list, true},
		"nothing before the call": {compacting(messagesOf(8), 5), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			small := newWitness(scripted.Say("SUMMARY"))
			small.info.MaxInputTokens = 100
			main := newWitness(scripted.CallTools(abi.Call("1", "compact_conversation", nil)), scripted.Say("done"))
			_, err := runInThread(t, main, small, talk(four...), test.s)
			require.NoError(t, err)
			seen := main.seen()
			if test.want {
				require.Equal(t, "tool 1 Conversation compacted. Summarized 4 messages into a concise summary.", seen[len(seen)-1])
			} else {
				require.Equal(t, "tool 1 "+nothingToCompact, seen[len(seen)-1])
				require.Zero(t, small.Calls())
			}
		})
	}
}

// Of several calls in one answer, only the first summarizes; the others would find the same history.
func TestCompactConversationInParallel(t *testing.T) {
	t.Parallel()
	small := newWitness(scripted.Say("SUMMARY"))
	main := newWitness(
		scripted.CallTools(abi.Call("1", "compact_conversation", nil), abi.Call("2", "compact_conversation", nil)), scripted.Say("done"),
	)
	_, err := runInThread(t, main, small, talk("human 1", "ai: 2", "human 3"), compacting(messagesOf(8), 1))
	require.NoError(t, err)
	require.Equal(t, 1, small.Calls())
	require.Equal(t, []string{
		"human " + summaryText + "SUMMARY", "ai compact_conversation:1 compact_conversation:2",
		"tool 1 Conversation compacted. Summarized 3 messages into a concise summary.", "tool 2 " + nothingToCompact,
	}, main.seen())
}

func TestFailedCompactionIsAnAnswer(t *testing.T) {
	t.Parallel()
	small := newWitness(scripted.Fail(&model.Error{Provider: "acme", Kind: model.ErrorAuthentication, Err: errors.New("wrong key")}))
	main := newWitness(scripted.CallTools(abi.Call("1", "compact_conversation", nil)), scripted.Say("done"))
	given := talk("human 1", "ai: 2", "human 3")
	thread, err := runInThread(t, main, small, given, compacting(messagesOf(8), 1))
	require.NoError(t, err)
	require.Equal(t, given, thread[:3])
	require.True(t, thread[4].Failed())
	text := thread[4].Content.Text()
	require.True(t, strings.HasPrefix(text, "Compaction failed: an error occurred while generating the summary ("), text)
	require.Contains(t, text, "wrong key). The conversation has not been compacted — no messages were summarized or removed.")
}

// The tokens that the calling message reports are those of the history before.
func TestNoSummaryFollowsACompaction(t *testing.T) {
	t.Parallel()
	small := newWitness(scripted.Say("SUMMARY"))
	call := scripted.CallTools(abi.Call("1", "compact_conversation", nil))
	call.Message.Usage = &abi.Usage{TotalTokens: 5000}
	call.Message.Meta = wire.Map{{Key: "provider", Value: wire.String("acme")}}
	main := newWitness(call, scripted.Say("done"))
	thread, err := runInThread(t, main, small, talk("human 1", "ai: 2", "human 3"), compacting(tokensOf(1000), 2))
	require.NoError(t, err)
	require.Equal(t, 1, small.Calls())
	require.Equal(t, "Conversation compacted. Summarized 2 messages into a concise summary.", thread[3].Content.Text())
}

// While another call of the same answer waits for a person, the summary is kept, and paid once.
func TestCompactionOverAnInterrupt(t *testing.T) {
	t.Parallel()
	small := newWitness(scripted.Say("SUMMARY"))
	main := newWitness(scripted.CallTools(abi.Call("1", "compact_conversation", nil), abi.Call("2", "calc", nil)), scripted.Say("done"))
	agent := newReaderWith(t, host.Config{
		Model: main, Models: map[string]model.Model{"small": small}, Checkpointer: memory.New(),
	}, compacting(messagesOf(8), 1), builtin.HumanInTheLoop{InterruptOn: map[string]builtin.ReviewPolicy{"calc": builtin.AnyDecision()}})
	result, err := agent.Run(t.Context(), host.Input{Thread: "t", Messages: talk("human 1", "ai: 2", "human 3")})
	require.NoError(t, err)
	require.Equal(t, host.Interrupted, result.Status)
	result, err = agent.Run(t.Context(), host.Input{Thread: "t", Resume: []host.Answer{{Value: decide(approve)}}})
	require.NoError(t, err)
	require.Equal(t, host.Completed, result.Status)
	require.Equal(t, 1, small.Calls())
	require.Equal(t, summaryText+"SUMMARY", result.Messages.Entry(0).Message().Content.Text())
	require.NoError(t, checkAnswers(result.Messages))
}

func TestCompactConversationIsChecked(t *testing.T) {
	t.Parallel()
	env := host.Env{Model: scripted.NewTurns()}
	_, err := builtin.Summarization{CompactConversation: true}.Hooks(t.Context(), env)
	require.EqualError(t, err, "compact_conversation needs a trigger: the tool acts from half of it on; add one, such as {tokens: 100000}")
	_, err = builtin.Summarization{SystemPrompt: "Compact."}.Hooks(t.Context(), env)
	require.EqualError(t, err, "system_prompt is about the tool compact_conversation; add compact_conversation: true")
}
