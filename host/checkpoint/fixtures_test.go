package checkpoint_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/history"
)

// ids gives message ids.
type ids struct{ n int }

func (s *ids) New() string {
	s.n++
	return fmt.Sprint("m", s.n)
}

func (*ids) Take(string) bool { return false }

// fixture is a record under the name of its file.
type fixture struct {
	name   string
	record checkpoint.Record
}

// records are records of every kind, as this version writes them: a thread, each the parent of the next.
func records(t testing.TB) []fixture {
	t.Helper()
	var log history.Log
	var saved history.Cursor
	names := &ids{}
	out := []fixture{}
	add := func(name string, u *abi.Update, r checkpoint.Record) {
		var err error
		log, err = log.Apply(u, names)
		require.NoError(t, err)
		n := checkpoint.ID(len(out) + 1)
		r.ID, r.Parent, r.Time = n, n-1, time.UnixMilli(1_700_000_000_000+int64(n)).UTC()
		r.Changes, r.Whole = log.Since(saved)
		saved = log.Cursor()
		r.Cursor, r.Messages = saved, log.List().Len()
		out = append(out, fixture{name, r})
	}
	ai := abi.AI("calls", abi.Call("1", "search", map[string]any{"q": []any{1, "x", nil, 1.5, true}}), abi.Call("3", "send", nil))
	ai.InvalidToolCalls = []abi.InvalidToolCall{{ID: "2", Name: "broken", Args: `{"q":`, Error: "unexpected end"}}
	ai.Usage = &abi.Usage{InputTokens: 1, OutputTokens: 2, TotalTokens: 3}
	result := abi.ToolResult(ai.ToolCalls[0], "found")
	result.Artifact = wire.Int(7)
	state := wire.Map{{Key: "a", Value: wire.Int(1)}, {Key: "b", Value: wire.String("x")}}
	run := checkpoint.Run{ID: "run-1", Seed: 1<<64 - 1, IDSeed: 10, IDs: 9, Steps: 8, ModelSteps: 7, Malformed: 6, ToolTokens: 5, Usage: checkpoint.Usage{InputTokens: 1, OutputTokens: 2, TotalTokens: 3, CacheReadTokens: 4, CacheCreationTokens: 5, ReasoningTokens: 6}}

	add("whole", &abi.Update{Messages: []abi.Message{abi.System("be brief"), abi.Human("hi 🙂")}}, checkpoint.Record{
		Source: checkpoint.SourceInput, State: state,
		Program: &checkpoint.Program{Digest: "00ff", Middleware: []checkpoint.Part{
			{Name: "x", Version: "1.2.3", Digest: "sha256:00"}, {Name: "y"},
		}},
		Checkpoint: checkpoint.Checkpoint{Run: run, Next: "model"},
	})
	add("delta", &abi.Update{Messages: []abi.Message{ai, result, abi.ToolFailure(abi.ToolCall{ID: "2", Name: "broken"}, "no")}}, checkpoint.Record{
		Source: checkpoint.SourceLoop, Step: "model", State: wire.Map{{Key: "c", Value: state.Raw()}}, Unset: []string{"a"},
		Checkpoint: checkpoint.Checkpoint{Run: run, Next: "tools", Cursors: []checkpoint.Cursor{{Step: "x.before_model", Epoch: 1, Seq: 3}}},
	})
	add("replaced", &abi.Update{
		Remove: []string{"m2"}, Messages: []abi.Message{{ID: "m1", Role: abi.RoleSystem, Content: abi.Text("be long")}},
	}, checkpoint.Record{Source: checkpoint.SourceLoop, Step: "x.after_model", Checkpoint: checkpoint.Checkpoint{Run: run, Next: "tools"}})
	add("interrupted", &abi.Update{}, checkpoint.Record{
		Source: checkpoint.SourceLoop, Step: "x.after_model",
		Checkpoint: checkpoint.Checkpoint{
			Run: run, Next: "tools",
			Questions: []checkpoint.Question{
				{ID: "ask-1", Step: "tools", CallID: "1", Key: "ok", Value: wire.String("may I?"), Answer: wire.Bool(true), AnsweredBy: "ann", AnsweredAt: 9, Fresh: true},
				{ID: "ask-2", Step: "x.wrap_tool_call", CallID: "3", Nested: "call-1", Key: "why", Value: wire.Map(nil).Raw()},
			},
			Finished: []checkpoint.FinishedCall{{
				Index: 2, CallID: "3", Message: abi.ToolResult(abi.Call("3", "search", nil), "found"),
				Updates: []checkpoint.Update{{Step: "x.wrap_tool_call", Update: &abi.Update{
					JumpTo: "end", Messages: []abi.Message{abi.Human("note")}, Remove: []string{"m1"}, State: state,
				}}},
			}},
		},
	})
	add("failed", &abi.Update{}, checkpoint.Record{
		Source: checkpoint.SourceLoop, Step: "x.after_model",
		Checkpoint: checkpoint.Checkpoint{Run: run, Next: "tools", Failure: "it broke", Paused: true, Executions: executions()},
	})
	add("update", &abi.Update{Messages: []abi.Message{abi.Human("from outside")}}, checkpoint.Record{
		Source: checkpoint.SourceUpdate, State: wire.Map{{Key: "a", Value: wire.Raw{0xc0}}},
		Checkpoint: checkpoint.Checkpoint{Run: run, Next: "model"},
	})
	add("written anew", &abi.Update{Overwrite: true, Messages: []abi.Message{abi.Human("summary")}}, checkpoint.Record{
		Source: checkpoint.SourceLoop, Step: "x.after_agent", State: state, Program: &checkpoint.Program{Digest: "11"},
		Checkpoint: checkpoint.Checkpoint{Run: run},
	})
	return out
}

// executions are notes of a journal: of one that had started, one that had ended, one that failed, one that asked.
func executions() []checkpoint.Execution {
	args := wire.Map{{Key: "q", Value: wire.Int(1)}}.Raw()
	return []checkpoint.Execution{
		{Message: "m3", CallID: "1", N: 1, Attempts: 2, Tool: "send", Args: args, Started: 7},
		{Message: "m3", CallID: "3", N: 2, Attempts: 1, Tool: "search", Args: args, Started: 5, Outcome: &checkpoint.Outcome{
			Message: abi.ToolResult(abi.Call("3", "search", nil), "found"),
			Updates: []checkpoint.Update{{Step: "tools", Update: &abi.Update{State: wire.Map{{Key: "a", Value: wire.Int(1)}}}}},
		}},
		{Message: "m3", CallID: "3", N: 1, Attempts: 1, Tool: "search", Args: args, Started: 4, Outcome: &checkpoint.Outcome{Failed: true}},
		{CallID: "call-00ff-1", N: 1, Attempts: 1, Tool: "ask", Started: 3, Outcome: &checkpoint.Outcome{Asked: true}},
	}
}
