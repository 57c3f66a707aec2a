package builtin_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
)

func TestRepeatedCalls(t *testing.T) {
	t.Parallel()
	search := func(id string, q any) abi.ToolCall { return abi.Call(id, "search", map[string]any{"q": q}) }
	turn := scripted.CallTools
	for name, test := range map[string]struct {
		control builtin.LoopControl
		turns   []scripted.Turn
		ran     int
		refused []string // ids
	}{
		"within the limit": {
			builtin.LoopControl{MaxRepeats: 2}, []scripted.Turn{turn(search("1", "a")), turn(search("2", "a"))}, 2, nil,
		},
		"beyond it": {
			builtin.LoopControl{MaxRepeats: 2},
			[]scripted.Turn{turn(search("1", "a")), turn(search("2", "a")), turn(search("3", "a")), turn(search("4", "a"))},
			2,
			[]string{"3", "4"},
		},
		"other arguments": {
			builtin.LoopControl{MaxRepeats: 1}, []scripted.Turn{turn(search("1", "a")), turn(search("2", "b")), turn(search("3", "a"))}, 3, nil,
		},
		"another tool": {
			builtin.LoopControl{MaxRepeats: 1}, []scripted.Turn{turn(abi.Call("1", "search", nil)), turn(abi.Call("2", "calc", nil))}, 2, nil,
		},
		"the order of keys does not matter": {
			builtin.LoopControl{MaxRepeats: 1},
			[]scripted.Turn{
				turn(abi.Call("1", "search", map[string]any{"a": 1, "b": 2})), turn(abi.Call("2", "search", map[string]any{"b": 2, "a": 1})),
			},
			1,
			[]string{"2"},
		},
		"beside another call": {
			builtin.LoopControl{MaxRepeats: 1},
			[]scripted.Turn{turn(search("1", "a"), search("2", "b")), turn(search("3", "c"), search("4", "b"))},
			3,
			[]string{"4"},
		},
		"in one answer": {
			builtin.LoopControl{MaxRepeats: 1}, []scripted.Turn{turn(search("1", "a"), search("2", "a"), search("3", "b"))}, 2, []string{"2"},
		},
		"a tool that is not counted": {
			builtin.LoopControl{MaxRepeats: 1, RepeatTools: []string{"calc"}},
			[]scripted.Turn{turn(search("1", "a")), turn(search("2", "a"), abi.Call("3", "calc", nil)), turn(abi.Call("4", "calc", nil))},
			3,
			[]string{"4"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.control.MaxContinues = new(0)
			l := newListener([]host.Middleware{test.control}, append(test.turns, scripted.Say("done"))...)
			result := l.say(t, "t", "go")
			require.Equal(t, "done", result.Text())
			require.Len(t, l.ran, test.ran)
			require.NoError(t, checkAnswers(result.Messages))
			var refused []string
			for _, m := range result.Messages.All() {
				if m.Failed() {
					require.Contains(t, m.Content.Text(), "Change your approach")
					refused = append(refused, m.ToolCallID)
				}
			}
			require.Equal(t, test.refused, refused)
		})
	}
}

// With end no call of the answer runs, and all are answered; what a limiter has answered is not answered again.
func TestRepeatedCallsEndTheRun(t *testing.T) {
	t.Parallel()
	search, calc := abi.Call("1", "search", nil), abi.Call("2", "calc", nil)
	control := builtin.LoopControl{MaxContinues: new(0), MaxRepeats: 1, RepeatBehavior: "end"}
	const notice = "ai Stopped: 'search' was called 2 times in a row with the same arguments."
	l := newListener([]host.Middleware{control}, scripted.CallTools(search), scripted.CallTools(calc, abi.Call("3", "search", nil)), scripted.Say("never"))
	all := lines(l.say(t, "t", "go").Messages)
	require.Equal(t, []string{
		"tool 3! Error: `search` was called more than 1 times in a row with the same arguments, so this call was not executed. " +
			"The result would not be another one. Change your approach: use other arguments or another tool, or answer with what you have.",
		"tool 2! Execution stopped before this tool call could run because another tool call in the same batch was repeated too often.",
		notice,
	}, all[len(all)-3:])
	require.Equal(t, []string{"search"}, l.ran)

	limited := newListener([]host.Middleware{control, builtin.ToolCallLimit{ToolName: "search", RunLimit: new(1)}},
		scripted.CallTools(search), scripted.CallTools(abi.Call("3", "search", nil)), scripted.CallTools(abi.Call("4", "search", nil)), scripted.Say("done"))
	result := limited.say(t, "t", "go")
	require.Equal(t, "done", result.Text(), "the limiter has answered what would end the run")
	require.NoError(t, checkAnswers(result.Messages))

	fresh := newListener([]host.Middleware{control}, scripted.CallTools(search), scripted.Say("x"), scripted.CallTools(search), scripted.Say("y"))
	fresh.say(t, "t", "go")
	require.Equal(t, "y", fresh.say(t, "t", "go").Text(), "each run counts for itself")
}

// Two in one agent count each for itself.
func TestTwoLoopControls(t *testing.T) {
	t.Parallel()
	l := newListener([]host.Middleware{
		builtin.LoopControl{MaxContinues: new(0), MaxRepeats: 1, RepeatTools: []string{"search"}},
		builtin.LoopControl{MaxContinues: new(0), MaxRepeats: 2, RepeatTools: []string{"calc"}},
	},
		scripted.CallTools(abi.Call("1", "search", nil), abi.Call("2", "calc", nil)),
		scripted.CallTools(abi.Call("3", "search", nil), abi.Call("4", "calc", nil)),
		scripted.CallTools(abi.Call("5", "calc", nil)), scripted.Say("done"))
	l.say(t, "t", "go")
	require.Equal(t, []string{"search", "calc", "calc"}, l.ran)
}
