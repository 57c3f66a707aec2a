package builtin_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/history"
)

// drawLimit draws a limiter with a valid configuration.
func drawLimit(t *rapid.T) builtin.ToolCallLimit {
	limit := rapid.Ptr(rapid.IntRange(0, 6), true)
	l := builtin.ToolCallLimit{
		ToolName:    rapid.SampledFrom([]string{"", "search", "calc"}).Draw(t, "tool"),
		ThreadLimit: limit.Draw(t, "thread limit"), RunLimit: limit.Draw(t, "run limit"),
		ExitBehavior: rapid.SampledFrom([]string{"", "continue", "end", "error"}).Draw(t, "exit behavior"),
	}
	if l.ThreadLimit == nil && l.RunLimit == nil {
		l.RunLimit = new(2)
	}
	if l.ThreadLimit != nil && l.RunLimit != nil {
		*l.RunLimit = min(*l.RunLimit, *l.ThreadLimit)
	}
	return l
}

// drawAnswering draws a middleware that answers some of the calls that are open, as a review does.
func drawAnswering(t *rapid.T) host.Middleware {
	every := rapid.IntRange(2, 5).Draw(t, "every")
	n := 0
	return host.AfterModel("answers", func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
		messages := rt.State().Messages()
		at := messages.LastAI()
		update := &host.Update{}
		for _, call := range messages.At(at).ToolCalls {
			answered := false
			for i := at + 1; i < messages.Len(); i++ {
				answered = answered || messages.At(i).ToolCallID == call.ID
			}
			n++
			if !answered && n%every == 0 {
				update.Messages = append(update.Messages, abi.ToolFailure(call, "rejected"))
			}
		}
		return update, nil
	})
}

func drawTurns(t *rapid.T) []string {
	turns := make([]string, rapid.IntRange(1, 8).Draw(t, "turns"))
	id := 0
	for i := range turns {
		for range rapid.IntRange(0, 4).Draw(t, "calls") {
			id++
			turns[i] += fmt.Sprintf("%s:%d ", rapid.SampledFrom([]string{"search", "calc"}).Draw(t, "call"), id)
		}
	}
	return turns
}

// Whatever limiters and reviews meet: each call is answered at most once and behind its call, a run that ends well
// leaves no call open, what is beyond a limit does not run, and the thread's counts never go backwards.
func TestToolCallLimitProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		limits := make([]builtin.ToolCallLimit, rapid.IntRange(1, 4).Draw(t, "limiters"))
		var middleware []host.Middleware
		for i := range limits {
			limits[i] = drawLimit(t)
			middleware = append(middleware, limits[i])
			if rapid.Bool().Draw(t, "answers") {
				middleware = append(middleware, drawAnswering(t))
			}
		}
		c := newChat(t, drawTurns(t), append([]host.Middleware{builtin.PatchToolCalls{}}, middleware...)...)
		var ranInThread []string
		for range rapid.IntRange(1, 4).Draw(t, "runs") {
			c.executed = nil
			result, err := c.run(t.Context())

			var exceeded *host.LimitError
			require.True(t, err == nil || errors.As(err, &exceeded), "%v", err)
			require.NoError(t, checkAnswers(result.Messages))
			if err == nil {
				require.Empty(t, openIn(result.Messages))
			}
			names := namesOf(result.Messages, c.executed)
			ranInThread = append(ranInThread, names...)
			for _, l := range limits {
				require.True(t, l.RunLimit == nil || count(names, l.ToolName) <= *l.RunLimit, "%s in the run", l.Name())
				require.True(t, l.ThreadLimit == nil || count(ranInThread, l.ToolName) <= *l.ThreadLimit, "%s in the thread", l.Name())
			}
			checkCountsGrow(t, c.events)
		}
	})
}

// openIn returns the ids of the calls that no message behind them answers.
func openIn(messages history.List) []string {
	var open []string
	for _, m := range messages.All() {
		for _, call := range m.ToolCalls {
			open = append(open, call.ID)
		}
		if m.Role == abi.RoleTool {
			open = slices.DeleteFunc(open, func(id string) bool { return id == m.ToolCallID })
		}
	}
	return open
}

func namesOf(messages history.List, ids []string) []string {
	var names []string
	for _, m := range messages.All() {
		for _, call := range m.ToolCalls {
			if slices.Contains(ids, call.ID) {
				names = append(names, call.Name)
			}
		}
	}
	return names
}

func count(names []string, tool string) int {
	n := 0
	for _, name := range names {
		if tool == "" || name == tool {
			n++
		}
	}
	return n
}

func checkCountsGrow(t *rapid.T, events []host.Event) {
	before := map[string]int{}
	for _, e := range events {
		raw := e.State.Get(threadCounts.Name)
		if e.Type != host.EventState || raw.IsZero() {
			continue
		}
		after := map[string]int{}
		require.NoError(t, host.Decode(raw, &after))
		for tool, n := range before {
			require.GreaterOrEqual(t, after[tool], n, tool)
		}
		before = after
	}
}

// Of any history patch_tool_calls makes one in which each call is answered once, directly behind its message, nothing
// else is an answer, and all other messages stand as they stood. It changes nothing that is in order.
func TestPatchToolCallsProperty(t *testing.T) {
	t.Parallel()
	row := rapid.Custom(func(t *rapid.T) string {
		id := rapid.SampledFrom([]string{"1", "2", "3"})
		switch rapid.IntRange(0, 5).Draw(t, "kind") {
		case 0:
			return "human x"
		case 1:
			return "ai"
		case 2:
			return "ai search:" + id.Draw(t, "id")
		case 3:
			return "ai search:1 calc:" + rapid.SampledFrom([]string{"2", "3"}).Draw(t, "second id") + " calc?4"
		default:
			return "tool " + id.Draw(t, "id") + " found"
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.OneOf(rapid.SliceOfN(row, 0, 4), rapid.SliceOfN(row, 0, 15)).Draw(t, "history")
		messages := transcript(rows...)
		for i := range messages {
			messages[i].ID = fmt.Sprintf("m%d", i)
		}

		patched, wrote, warnings := patch(t, builtin.PatchToolCalls{}, messages)

		require.Equal(t, withoutTools(messages), withoutTools(patched))
		checkValid(t, patched)
		kept := map[string]bool{}
		for _, m := range patched {
			require.False(t, kept[m.ID], "a message appears twice")
			kept[m.ID] = true
		}
		if !wrote {
			require.Equal(t, messages, patched)
			require.Empty(t, warnings)
		} else {
			require.NotEqual(t, messages, patched)
		}
		again, wrote, warnings := patch(t, builtin.PatchToolCalls{}, patched)
		require.False(t, wrote)
		require.Empty(t, warnings)
		require.Equal(t, patched, again)
	})
}

func withoutTools(messages []abi.Message) []abi.Message {
	return slices.DeleteFunc(slices.Clone(messages), func(m abi.Message) bool { return m.Role == abi.RoleTool })
}

// checkValid checks what providers ask for: directly behind an AI message with calls stand the answers to them.
func checkValid(t *rapid.T, messages []abi.Message) {
	var open []string
	for i, m := range messages {
		if m.Role == abi.RoleTool {
			at := slices.Index(open, m.ToolCallID)
			require.GreaterOrEqual(t, at, 0, "message %d answers no open call", i)
			open = slices.Delete(open, at, at+1)
			continue
		}
		require.Empty(t, open, "before message %d", i)
		for _, call := range m.ToolCalls {
			open = append(open, call.ID)
		}
		for _, call := range m.InvalidToolCalls {
			open = append(open, call.ID)
		}
	}
	require.Empty(t, open)
}
