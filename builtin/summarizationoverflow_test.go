package builtin_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// tooLong is the refusal of a request that is longer than the model's context.
var tooLong = scripted.Fail(&model.Error{Provider: "acme", Kind: model.ErrorContextLength, Status: 400, Err: errors.New("too many tokens")})

// wordy is a text that is longer than the summaries of these tests.
var wordy = strings.Repeat("word ", 100)

// overflowing summarizes on an overflow only, and keeps so many messages.
func overflowing(keep int) builtin.Summarization {
	return builtin.Summarization{Model: "small", Keep: messagesOf(keep), SummaryPrompt: "{messages}"}
}

// runInThread starts a run in the thread "t" and returns the thread's messages after it.
func runInThread(t *testing.T, main, small model.Model, given []abi.Message, middleware ...host.Middleware) (thread []abi.Message, err error) {
	t.Helper()
	agent := newReaderWith(t, host.Config{
		Model: main, Models: map[string]model.Model{"small": small}, Checkpointer: memory.New(),
	}, middleware...)
	_, err = agent.Run(t.Context(), host.Input{Thread: "t", Messages: slices.Clone(given)})
	snapshot, failure := agent.State(t.Context(), "t", 0)
	require.NoError(t, failure)
	return snapshot.Messages.Messages(), err
}

func TestAnOverflowSummarizesAndTriesAgain(t *testing.T) {
	t.Parallel()
	small := newWitness(scripted.Say("SUMMARY"))
	main := newWitness(tooLong, scripted.Say("done"))
	given := talk("human "+wordy, "ai search:1", "tool 1 found", "ai: 4", "human 5")
	thread, err := runInThread(t, main, small, given, overflowing(2))
	require.NoError(t, err)
	require.Equal(t, 1, small.Calls())
	require.Equal(t, 2, main.Calls())
	sent := []string{"human " + summaryText + "SUMMARY", "ai 4", "human 5"}
	require.Equal(t, sent, main.seen())
	require.Equal(t, []string{"m00", "m03", "m04"}, ids(thread[:3]), "the summary is where the first message was")
	require.Equal(t, `{"lc_source":"summarization"}`, thread[0].Meta.Raw().JSON())
	require.Equal(t, summaryText+"SUMMARY", thread[0].Content.Text())
	require.Equal(t, given[3:], thread[1:3])
	require.Equal(t, "done", thread[3].Content.Text())
	require.Len(t, thread, 4)
}

// What other middleware adds behind the answer stays, and the next run begins with the summary.
func TestAnOverflowKeepsOtherUpdates(t *testing.T) {
	t.Parallel()
	note := host.WrapModelCall("note", func(
		ctx context.Context, _ *host.Runtime, req *model.Request, next host.ModelHandler,
	) (*model.Response, *host.Update, error) {
		resp, err := next(ctx, req.WithMessages(req.Messages.Append(abi.Human("made up"))))
		return resp, &host.Update{Messages: []abi.Message{abi.Human("a note")}}, err
	})
	for _, order := range [][]host.Middleware{{note, overflowing(3)}, {overflowing(2), note}} {
		main := newWitness(tooLong, scripted.Say("done"))
		thread, err := runInThread(t, main, newWitness(scripted.Say("SUMMARY")), talk("human "+wordy, "ai: 2", "ai: 3", "human 4"), order...)
		require.NoError(t, err)
		require.Equal(t, []string{"human " + summaryText + "SUMMARY", "ai 3", "human 4", "human made up"}, main.seen())
		texts := make([]string, len(thread))
		for i := range thread {
			texts[i] = thread[i].Content.Text()
		}
		require.Equal(t, []string{summaryText + "SUMMARY", "3", "4", "done", "a note"}, texts)
	}
}

func TestAnOverflowClipsTheNewestResults(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ä", 3000) + strings.Repeat("b", 3000)
	given := talk("human "+wordy, "ai: 2", "human 3", "ai search:1 read_file:2 calc:3", "tool 1 "+long, "tool 2 "+long, "tool 3 short")
	given[3].ToolCalls[1].Args = abi.Call("2", "read_file", map[string]any{"file_path": "/notes.txt"}).Args
	picture := abi.ImageURLBlock("https://example.com/a.png")
	given[4].Content = abi.Blocks(abi.TextBlock(long), picture)

	small := newWitness(scripted.Say("SUMMARY"))
	main := newWitness(tooLong, tooLong, scripted.Say("done"))
	thread, err := runInThread(t, main, small, given, overflowing(4))
	require.NoError(t, err)
	require.Equal(t, 3, main.Calls())
	require.Equal(t, []string{"m00", "m03", "m04", "m05", "m06"}, ids(thread[:5]))
	require.Equal(t, abi.Blocks(abi.TextBlock(strings.Repeat("ä", 2000)+
		"\n\n[Output was truncated due to context window size limits. 2000 characters were left out here. "+
		"Call the tool again for a smaller part if you need them.]\n\n"+strings.Repeat("b", 2000)), picture), thread[2].Content)
	require.Equal(t, abi.Text(strings.Repeat("ä", 3000)+strings.Repeat("b", 1000)+
		"\n\n[Output was truncated due to context window size limits. The full content is at /notes.txt. "+
		"Use read_file with offset and limit parameters to retrieve specific portions. "+
		"For example, to read the first 100 lines, call read_file with file_path='/notes.txt', offset=0, limit=100.]"), thread[3].Content)
	require.Equal(t, given[6], thread[4])
	require.Equal(t, main.seen()[1:], lines(history.Of(thread[1:5]...)))

	t.Run("at once if there is nothing to summarize", func(t *testing.T) {
		t.Parallel()
		small, main := newWitness(scripted.Say("SUMMARY")), newWitness(tooLong, scripted.Say("done"))
		thread, err := runInThread(t, main, small, given, overflowing(7))
		require.NoError(t, err)
		require.Zero(t, small.Calls())
		require.Equal(t, 2, main.Calls())
		require.Equal(t, given[:4], thread[:4])
		require.Contains(t, thread[5].Content.Text(), "The full content is at /notes.txt.")
	})
}

// Nothing is sent for ever: an attempt for the summary, one for the clipped results, and then the error passes.
func TestAnOverflowThatStays(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long ", 1000)
	calling := talk("human "+wordy, "ai: 2", "ai search:1", "tool 1 "+long)
	for name, test := range map[string]struct {
		s            builtin.Summarization
		given        []abi.Message
		summary      scripted.Turn
		calls, asked int
		want         string
	}{
		"after all attempts": {overflowing(2), calling, scripted.Say("S"), 3, 1, "still too long after its history was shortened; shorten the input"},
		"with no results":    {overflowing(2), talk("human 1 "+long, "ai: 2", "human 3"), scripted.Say("S"), 2, 1, "still too long"},
		"with nothing to shorten": {
			overflowing(3), talk("human 1", "ai: 2", "human "+long), scripted.Say("S"), 1, 0,
			`model "witness": acme: context length (HTTP 400): too many tokens`,
		},
		"with a summary that is no shorter": {overflowing(1), talk("human 1", "ai: 2", "human 3"), scripted.Say(long), 1, 1, "too many tokens"},
		"with an earlier summary only":      {overflowing(2), summed(talk("human S", "ai: 2", "human 3")), scripted.Say("S"), 1, 0, "too many tokens"},
		"with results that are hardly too long": {
			overflowing(9), talk("human 1", "ai search:1", "tool 1 "+strings.Repeat("x", 4001)), scripted.Say("S"), 1, 0, "too many tokens",
		},
		"without a summary": {
			overflowing(1), talk("human 1 "+long, "ai: 2", "human 3"), scripted.Say(""), 1, 3,
			"too many tokens; the history was not summarized and stays unchanged: the model answered with an empty text",
		},
		"as configured": {func() builtin.Summarization {
			s := overflowing(1)
			s.OnOverflow = "fail"
			return s
		}(), talk("human 1 "+long, "ai: 2", "human 3"), scripted.Say("S"), 1, 0, "too many tokens"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			small, main := newWitness(test.summary), newWitness(tooLong)
			thread, err := runInThread(t, main, small, test.given, test.s)
			require.ErrorContains(t, err, test.want)
			failure, ok := errors.AsType[*host.ModelError](err)
			require.True(t, ok)
			require.Equal(t, model.ErrorContextLength, failure.Kind)
			require.Equal(t, test.calls, main.Calls())
			require.Equal(t, test.asked, small.Calls())
			require.Equal(t, test.given, thread, "the history stays")
		})
	}
}

// summed marks the first message as an earlier summary.
func summed(messages []abi.Message) []abi.Message {
	messages[0].Meta = wire.Map{{Key: "lc_source", Value: wire.String("summarization")}}
	return messages
}

// Other errors are not the business of summarization, whenever they come.
func TestOtherErrorsThanAnOverflowPass(t *testing.T) {
	t.Parallel()
	busy := scripted.Fail(&model.Error{Provider: "acme", Kind: model.ErrorOverloaded})
	for _, turns := range [][]scripted.Turn{{busy}, {tooLong, busy}} {
		main := newWitness(turns...)
		given := talk("human "+wordy, "ai: 2", "human 3")
		thread, err := runInThread(t, main, newWitness(scripted.Say("S")), given, overflowing(1))
		require.ErrorContains(t, err, "overloaded")
		require.Equal(t, len(turns), main.Calls())
		require.Equal(t, given, thread)
	}
}

// A call and its late answer are summarized together or not at all, also if other middleware hides the answer from the model.
func TestAnOverflowSeparatesNoCallFromItsAnswer(t *testing.T) {
	t.Parallel()
	hiding := host.WrapModelCall("hiding", func(
		ctx context.Context, _ *host.Runtime, req *model.Request, next host.ModelHandler,
	) (*model.Response, *host.Update, error) {
		kept := slices.DeleteFunc(req.Messages.Messages(), func(m abi.Message) bool { return m.Role == abi.RoleTool })
		resp, err := next(ctx, req.WithMessages(history.Of(kept...)))
		return resp, nil, err
	})
	given := talk("human "+wordy, "ai search:1", "human 3", "tool 1 late", "human 5")
	small, main := newWitness(scripted.Say("S")), newWitness(tooLong)
	thread, err := runInThread(t, main, small, given, hiding, overflowing(2))
	require.ErrorContains(t, err, "too many tokens")
	require.Zero(t, small.Calls())
	require.Equal(t, given, thread)
}

func TestOnOverflowIsChecked(t *testing.T) {
	t.Parallel()
	_, err := builtin.Summarization{OnOverflow: "ignore"}.Hooks(t.Context(), host.Env{Model: scripted.NewTurns()})
	require.EqualError(t, err, `on_overflow is "ignore"; use summarize or fail`)
	hooks, err := builtin.Summarization{OnOverflow: "fail"}.Hooks(t.Context(), host.Env{Model: scripted.NewTurns()})
	require.NoError(t, err)
	require.Nil(t, hooks.WrapModelCall.Func)
}
