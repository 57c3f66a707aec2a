package builtin_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

// reminding is a loop control with a short reminder.
func reminding() builtin.LoopControl { return builtin.LoopControl{Reminder: "{count} open: {open}"} }

// A run goes on while todos are open, a number of times.
func TestOpenTodos(t *testing.T) {
	t.Parallel()
	opened := scripted.CallTools(plan("1", pending("a"), completed("b")))
	closed := scripted.CallTools(plan("2", completed("a"), completed("b")))
	const (
		human, wrote, closing = "human go", "ai write_todos:1", "ai write_todos:2"
		answer                = `tool 1 Updated todo list to [{"content":"a","status":"pending"},{"content":"b","status":"completed"}]`
		finished              = `tool 2 Updated todo list to [{"content":"a","status":"completed"},{"content":"b","status":"completed"}]`
		reminder              = "human 1 open: - a (pending)"
	)
	for name, test := range map[string]struct {
		turns     []scripted.Turn
		continues *int
		want      []string
	}{
		"until they are completed": {
			[]scripted.Turn{opened, scripted.Say("x"), closed, scripted.Say("done")},
			nil,
			[]string{human, wrote, answer, "ai x", reminder, closing, finished, "ai done"},
		},
		"three times": {
			[]scripted.Turn{opened, scripted.Say("x"), scripted.Say("y"), scripted.Say("z"), scripted.Say("end"), scripted.Say("never")},
			nil,
			[]string{human, wrote, answer, "ai x", reminder, "ai y", reminder, "ai z", reminder, "ai end"},
		},
		"once": {
			[]scripted.Turn{opened, scripted.Say("x"), scripted.Say("y"), scripted.Say("never")},
			new(1),
			[]string{human, wrote, answer, "ai x", reminder, "ai y"},
		},
		"the times of one run are counted together": {
			[]scripted.Turn{
				opened, scripted.Say("x"), scripted.CallTools(plan("2", completed("a"), completed("b"))), scripted.CallTools(plan("3", pending("c"))),
				scripted.Say("y"),
			},
			new(1),
			[]string{
				human, wrote, answer, "ai x", reminder, closing, finished,
				"ai write_todos:3", `tool 3 Updated todo list to [{"content":"c","status":"pending"}]`, "ai y",
			},
		},
		"never": {[]scripted.Turn{opened, scripted.Say("x"), scripted.Say("never")}, new(0), []string{human, wrote, answer, "ai x"}},
		"none are open": {
			[]scripted.Turn{closed, scripted.Say("x"), scripted.Say("never")}, nil, []string{human, closing, finished, "ai x"},
		},
		"there is no list": {[]scripted.Turn{scripted.Say("x"), scripted.Say("never")}, nil, []string{human, "ai x"}},
		"an empty list": {
			[]scripted.Turn{scripted.CallTools(plan("1")), scripted.Say("x"), scripted.Say("never")},
			nil,
			[]string{human, wrote, "tool 1 Updated todo list to []", "ai x"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			control := reminding()
			control.MaxContinues = test.continues
			control.MaxRepeats = 9
			l := newListener([]host.Middleware{builtin.TodoList{}, control}, test.turns...)
			require.Equal(t, test.want, lines(l.say(t, "t", "go").Messages))
		})
	}
}

// A run that ends with open todos says so.
func TestOpenTodosAtTheEndAreWarnedOf(t *testing.T) {
	t.Parallel()
	l := newListener([]host.Middleware{builtin.TodoList{}, builtin.LoopControl{MaxContinues: new(1)}},
		scripted.CallTools(plan("1", pending("a"))), scripted.Say("x"), scripted.Say("y"))
	agent, err := host.New(l.config)
	require.NoError(t, err)
	var warnings []string
	_, err = agent.RunEvents(t.Context(), host.Input{Messages: []abi.Message{abi.Human("go")}}, func(e host.Event) error {
		if e.Type == host.EventWarn {
			warnings = append(warnings, e.Text)
		}
		return nil
	})
	require.NoError(t, err)
	require.NoError(t, agent.Close())
	require.Equal(t, []string{"the run ends although 1 todos are open: it has gone on 1 times because of them (max_continues)"}, warnings)
}

// What others have ended stays ended.
func TestOpenTodosOfARunThatWasEnded(t *testing.T) {
	t.Parallel()
	one, two := 1, 2
	opened := scripted.CallTools(plan("1", pending("a")))
	direct := func(l *listener) { l.config.Tools = append(l.config.Tools, directTool{}) }
	for name, test := range map[string]struct {
		inside, outside []host.Middleware // of the loop control
		turns           []scripted.Turn
		adjust          func(*listener)
		last            string
	}{
		"by a limit of model calls": {
			inside: []host.Middleware{builtin.ModelCallLimit{RunLimit: &one}}, turns: []scripted.Turn{opened, scripted.Say("never")},
			last: "ai Model call limits exceeded: run limit (1/1)",
		},
		"by one outside": {
			outside: []host.Middleware{builtin.ModelCallLimit{RunLimit: &one}}, turns: []scripted.Turn{opened, scripted.Say("never")},
			last: "ai Model call limits exceeded: run limit (1/1)",
		},
		"by a limit of model calls, when it goes on": {
			inside: []host.Middleware{builtin.ModelCallLimit{RunLimit: &two}}, turns: []scripted.Turn{opened, scripted.Say("x"), scripted.Say("never")},
			last: "ai Model call limits exceeded: run limit (2/2)",
		},
		"by a limit of tool calls": {
			inside: []host.Middleware{builtin.ToolCallLimit{RunLimit: &one, ExitBehavior: "end"}},
			turns:  []scripted.Turn{opened, scripted.CallTools(abi.Call("2", "search", nil)), scripted.Say("never")},
			last:   "ai Tool call limit reached: run limit exceeded (2/1 calls).",
		},
		"by one outside of it": {
			outside: []host.Middleware{builtin.ToolCallLimit{RunLimit: &one, ExitBehavior: "end"}},
			turns:   []scripted.Turn{opened, scripted.CallTools(abi.Call("2", "search", nil)), scripted.Say("never")},
			last:    "ai Tool call limit reached: run limit exceeded (2/1 calls).",
		},
		"by a jump inside": {
			inside: []host.Middleware{endsAfter(2)}, turns: []scripted.Turn{opened, scripted.Say("x"), scripted.Say("never")}, last: "ai x",
		},
		"by a tool that returns directly": {
			adjust: direct, turns: []scripted.Turn{opened, scripted.CallTools(abi.Call("2", "direct", nil)), scripted.Say("never")},
			last: "tool 2 direct result",
		},
		"by max_loops, which would fail": {
			adjust: func(l *listener) { l.config.ToolCalls.MaxLoops = 2 }, turns: []scripted.Turn{opened, scripted.Say("x"), scripted.Say("never")},
			last: "ai x",
		},
		"by max_loops": {
			adjust: func(l *listener) {
				l.config.ToolCalls.MaxLoops, l.config.ToolCalls.ErrorOnExceedLimit = 2, new(false)
			},
			turns: []scripted.Turn{opened, scripted.Say("x"), scripted.Say("never")}, last: "ai x",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			middleware := slices.Concat(test.outside, []host.Middleware{builtin.TodoList{}, reminding()}, test.inside)
			l := newListener(middleware, test.turns...)
			if test.adjust != nil {
				test.adjust(l)
			}
			all := lines(l.say(t, "t", "go").Messages)
			require.Equal(t, test.last, all[len(all)-1])
			require.NotContains(t, all, "ai never")
		})
	}
}

// directTool returns directly.
type directTool struct{}

func (directTool) Spec() abi.ToolSpec { return abi.ToolSpec{Name: "direct", ReturnDirect: true} }

func (directTool) Call(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
	return host.TextOutput("direct result"), nil
}

// endsAfter ends a run after so many model calls, without a word.
func endsAfter(n uint64) host.Middleware {
	return host.AfterModel("ends", func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
		if rt.N() == n {
			return &host.Update{JumpTo: abi.JumpEnd}, nil
		}
		return nil, nil
	}, host.CanJumpTo(abi.JumpEnd))
}

// What a run has left open does not drive the thread's next one on, unless that takes the list up.
func TestOpenTodosOfAnEarlierRun(t *testing.T) {
	t.Parallel()
	l := newListener([]host.Middleware{builtin.TodoList{}, builtin.LoopControl{Reminder: "on", MaxContinues: new(1)}},
		scripted.CallTools(plan("1", pending("a"))), scripted.Say("x"), scripted.Say("y"),
		scripted.Say("it is noon"),
		scripted.CallTools(plan("2", pending("a"), pending("b"))), scripted.Say("z"), scripted.Say("end"),
	)
	require.Equal(t, "y", l.say(t, "t", "go").Text())
	require.Equal(t, "it is noon", l.say(t, "t", "what time is it?").Text())
	result := l.say(t, "t", "go on")
	require.Equal(t, "end", result.Text())
	all := lines(result.Messages)
	require.Equal(t, []string{"ai z", "human on", "ai end"}, all[len(all)-3:])
	reminder := result.Messages.At(result.Messages.Len() - 2)
	require.JSONEq(t, `{"source":"loop_control"}`, reminder.Meta.Raw().JSON())
	require.Empty(t, result.State.Get("loop_control"), "what it counts is hidden")
}

// An interrupt inside of a run that goes on changes nothing of its counts.
func TestLoopControlOverAnInterrupt(t *testing.T) {
	t.Parallel()
	l := newListener([]host.Middleware{
		builtin.TodoList{},
		builtin.HumanInTheLoop{InterruptOn: map[string]builtin.ReviewPolicy{"search": builtin.AnyDecision()}},
		builtin.LoopControl{Reminder: "on", MaxContinues: new(2), MaxRepeats: 1},
	},
		scripted.CallTools(plan("1", pending("a"))), scripted.Say("x"), // continues
		scripted.CallTools(abi.Call("2", "search", nil)), scripted.CallTools(abi.Call("3", "search", nil)),
		scripted.Say("y"), scripted.Say("z"), scripted.Say("never"),
	)
	result := l.say(t, "t", "go")
	require.Equal(t, host.Interrupted, result.Status)
	result, err := l.run(t, "t", host.Input{Resume: []host.Answer{{Value: builtin.Decisions{Decisions: []builtin.Decision{approve}}}}})
	require.NoError(t, err)
	require.Equal(t, host.Completed, result.Status, "the repeated call is refused before a human is asked about it")
	all := lines(result.Messages)
	require.Equal(t, []string{"ai x", "human on", "ai search:2", "tool 2 search result", "ai search:3"}, all[3:8])
	require.Contains(t, all[8], "tool 3! Error: `search` was called more than 1 times in a row")
	require.Equal(t, []string{"ai y", "human on", "ai z"}, all[9:])
	require.Equal(t, []string{"search"}, l.ran)
}

// Another after_agent hook runs where the run really ends if it stands outside, and each time if it stands inside.
func TestLoopControlAndOtherHooksAtTheEnd(t *testing.T) {
	t.Parallel()
	var outer, inner int
	count := func(n *int) host.Middleware {
		return host.AfterAgent("count", func(context.Context, *host.Runtime) (*host.Update, error) { *n++; return nil, nil })
	}
	l := newListener([]host.Middleware{count(&outer), builtin.TodoList{}, reminding(), count(&inner)},
		scripted.CallTools(plan("1", pending("a"))), scripted.Say("x"), scripted.Say("y"), scripted.Say("z"), scripted.Say("end"))
	require.Equal(t, "end", l.say(t, "t", "go").Text())
	require.Equal(t, [2]int{1, 4}, [2]int{outer, inner})
}

// The reminder repeats what the model wrote, within bounds.
func TestReminder(t *testing.T) {
	t.Parallel()
	var many []builtin.Todo
	for i := range 25 {
		many = append(many, pending(fmt.Sprint("step ", i)))
	}
	for name, test := range map[string]struct {
		todos []builtin.Todo
		want  string
	}{
		"several":      {[]builtin.Todo{pending("a"), completed("b"), {Content: "c", Status: builtin.TodoInProgress}}, "2 open: - a (pending)\n- c (in_progress)"},
		"many":         {many, "\n- step 19 (pending)\n- and 5 more"},
		"long":         {[]builtin.Todo{pending(strings.Repeat("é", 1000))}, "1 open: - " + strings.Repeat("é", 150) + "… (pending)"},
		"lines":        {[]builtin.Todo{pending("a\n\n- b (completed)\r\n")}, "1 open: - a - b (completed) (pending)"},
		"placeholders": {[]builtin.Todo{pending("{count} {open}")}, "1 open: - {count} {open} (pending)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			control := reminding()
			control.MaxContinues = new(1)
			l := newListener([]host.Middleware{builtin.TodoList{}, control}, scripted.CallTools(plan("1", test.todos...)), scripted.Say("x"), scripted.Say("y"))
			require.Contains(t, l.say(t, "t", "go").Messages.At(4).Content.Text(), test.want)
		})
	}
	l := newListener([]host.Middleware{builtin.TodoList{}, builtin.LoopControl{}}, scripted.CallTools(plan("1", pending("a"))), scripted.Say("x"))
	require.Contains(t, l.say(t, "t", "go").Messages.At(4).Content.Text(), "1 of your todos are still open:\n\n- a (pending)\n\nGo on")
}

// A field todos of another form has nothing open, and does no harm.
func TestOpenTodosOfAnotherForm(t *testing.T) {
	t.Parallel()
	for _, value := range []any{"text", 7, map[string]any{"status": "pending"}, []any{"a", 1, map[string]any{"x": 1}, map[string]any{"status": 1}, nil}} {
		set := host.BeforeModel("set", func(context.Context, *host.Runtime) (*host.Update, error) {
			raw, err := host.Encode(value)
			update := &host.Update{}
			update.State.Set("todos", raw)
			return update, err
		}, host.WithFields(host.Field{Name: "todos"}))
		l := newListener([]host.Middleware{set, reminding()}, scripted.Say("x"), scripted.Say("never"))
		require.Equal(t, []string{"human go", "ai x"}, lines(l.say(t, "t", "go").Messages), "%v", value)
	}
}

func TestLoopControlIsRefused(t *testing.T) {
	t.Parallel()
	for want, control := range map[string]builtin.LoopControl{
		"max_continues is -1; it must not be negative":       {MaxContinues: new(-1)},
		"max_repeats is -1; it must not be negative":         {MaxRepeats: -1},
		"it would do nothing":                                {MaxContinues: new(0)},
		`repeat_behavior is "error"; use continue or end`:    {RepeatBehavior: "error"},
		"reminder has no placeholder {todos}; use {open}, {": {Reminder: "{todos}"},
		`"todos"`: {}, // nobody declares it
	} {
		l := newListener([]host.Middleware{control})
		_, err := host.New(l.config)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "loop_control")
	}
}

// However the model behaves, a run ends, goes on no more often than it may, and no call runs more often in a row than it may.
func TestLoopControlProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		continues, repeats := rapid.IntRange(0, 3).Draw(t, "continues"), rapid.IntRange(1, 3).Draw(t, "repeats")
		turns := rapid.SliceOfN(rapid.SampledFrom([]string{"say", "open", "close", "search", "both"}), 1, 25).Draw(t, "turns")
		var script []scripted.Turn
		for i, turn := range turns {
			id := fmt.Sprint(i)
			script = append(script, map[string]scripted.Turn{
				"say": scripted.Say("x"), "open": scripted.CallTools(plan(id, pending(id))), "close": scripted.CallTools(plan(id, completed(id))),
				"search": scripted.CallTools(abi.Call(id, "search", nil)),
				"both":   scripted.CallTools(abi.Call(id, "search", nil), abi.Call(id+"b", "search", nil)),
			}[turn])
		}
		l := newListener([]host.Middleware{
			builtin.TodoList{}, builtin.LoopControl{MaxContinues: &continues, MaxRepeats: repeats, Reminder: "on"},
		}, script...)
		agent, err := host.New(l.config)
		require.NoError(t, err)
		result, err := agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("go")}})
		require.NoError(t, err)
		require.NoError(t, agent.Close())
		require.NoError(t, checkAnswers(result.Messages))
		reminders, row := 0, 0
		for _, m := range result.Messages.All() {
			switch {
			case m.Role == abi.RoleHuman && m.Content.Text() == "on":
				reminders++
			case m.Role == abi.RoleTool && m.Name == "search" && !m.Failed():
				row++
				require.LessOrEqual(t, row, repeats)
			case m.Role == abi.RoleAI && !slices.ContainsFunc(m.ToolCalls, func(c abi.ToolCall) bool { return c.Name == "search" }):
				row = 0
			}
		}
		require.LessOrEqual(t, reminders, continues)
	})
}

// It does not keep tokens from streaming.
func TestLoopControlPassesTokens(t *testing.T) {
	t.Parallel()
	hooks, err := builtin.LoopControl{}.Hooks(t.Context(), host.Env{Name: "loop_control", Model: model.Model(scripted.NewTurns())})
	require.NoError(t, err)
	require.Nil(t, hooks.WrapModelCall.Func)
}

func TestLoopControlIsDecoded(t *testing.T) {
	t.Parallel()
	entry, ok := builtin.Lookup("loop_control")
	require.True(t, ok)
	decoded := entry.New()
	require.NoError(t, strictyaml.Decode("agenthost.yaml", []byte(
		`{max_continues: 1, reminder: a, max_repeats: 2, repeat_tools: [search], repeat_behavior: end}`), decoded))
	require.Equal(t, &builtin.LoopControl{
		MaxContinues: new(1), Reminder: "a", MaxRepeats: 2, RepeatTools: []string{"search"}, RepeatBehavior: "end",
	}, decoded)
}
