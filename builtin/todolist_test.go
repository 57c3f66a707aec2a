package builtin_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

const parallelTodos = "Error: The `write_todos` tool should never be called multiple times in parallel. " +
	"Please call it only once per model invocation to update the todo list."

// plan is a call of write_todos. The steps are their contents, with a status behind "|" where it is not pending.
func plan(id string, steps ...builtin.Todo) abi.ToolCall {
	items := make([]any, len(steps))
	for i, step := range steps {
		items[i] = map[string]any{"content": step.Content, "status": string(step.Status)}
	}
	return abi.Call(id, "write_todos", map[string]any{"todos": items})
}

func pending(content string) builtin.Todo {
	return builtin.Todo{Content: content, Status: builtin.TodoPending}
}

func completed(content string) builtin.Todo {
	return builtin.Todo{Content: content, Status: builtin.TodoCompleted}
}

func todosOf(t testingT, result *host.Result) []builtin.Todo {
	var list []builtin.Todo
	if raw := result.State.Get("todos"); !raw.IsZero() {
		require.NoError(t, host.Decode(raw, &list))
	}
	return list
}

// What the model may write, and what it is told.
func TestWriteTodos(t *testing.T) {
	t.Parallel()
	item := func(fields map[string]any) abi.ToolCall {
		return abi.Call("1", "write_todos", map[string]any{"todos": []any{fields}})
	}
	for name, test := range map[string]struct {
		call   abi.ToolCall
		answer string // what it begins with
		want   []builtin.Todo
	}{
		"keys are sorted in the answer": {
			item(map[string]any{"status": "in_progress", "content": "a"}),
			`Updated todo list to [{"content":"a","status":"in_progress"}]`,
			[]builtin.Todo{{Content: "a", Status: builtin.TodoInProgress}},
		},
		"other keys are dropped": {
			item(map[string]any{"content": "a", "status": "pending", "id": 7, "activeForm": "doing a"}),
			`Updated todo list to [{"content":"a","status":"pending"}]`,
			[]builtin.Todo{pending("a")},
		},
		"text is text": {
			item(map[string]any{"content": "\"quotes\" {braces}\n\u2028", "status": "pending"}),
			"Updated todo list to [{\"content\":\"\\\"quotes\\\" {braces}\\n",
			[]builtin.Todo{pending("\"quotes\" {braces}\n\u2028")},
		},
		"an unknown status is answered": {
			item(map[string]any{"content": "a", "status": "blocked"}), "Error invoking tool 'write_todos'", nil,
		},
		"a missing content is answered": {item(map[string]any{"status": "pending"}), "Error invoking tool 'write_todos'", nil},
		"a text is not a list": {
			abi.Call("1", "write_todos", map[string]any{"todos": "a, b"}), "Error invoking tool 'write_todos'", nil,
		},
		"no arguments": {abi.Call("1", "write_todos", nil), "Error invoking tool 'write_todos'", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newListener([]host.Middleware{builtin.TodoList{}}, scripted.CallTools(test.call), scripted.Say("done"))
			result := l.say(t, "t", "go")
			answer := result.Messages.At(2)
			require.Equal(t, "write_todos", answer.Name)
			require.Equal(t, test.want == nil, answer.Failed())
			require.Contains(t, answer.Content.Text(), test.answer)
			require.Equal(t, test.want, todosOf(t, result))
		})
	}
}

// A call is answered once, whoever answers it first, and two lists in one answer of the model are refused all the same.
func TestParallelTodos(t *testing.T) {
	t.Parallel()
	one := 1
	for name, test := range map[string]struct {
		middleware []host.Middleware
		calls      []abi.ToolCall
		want       []string // the answers
		todos      []builtin.Todo
	}{
		"another tool beside it runs": {
			[]host.Middleware{builtin.TodoList{}},
			[]abi.ToolCall{abi.Call("1", "search", nil), plan("2", pending("a")), abi.Call("3", "calc", nil)},
			[]string{"tool 1 search result", `tool 2 Updated todo list to [{"content":"a","status":"pending"}]`, "tool 3 calc result"},
			[]builtin.Todo{pending("a")},
		},
		"two are refused, the tool beside them runs": {
			[]host.Middleware{builtin.TodoList{}},
			[]abi.ToolCall{plan("1", pending("a")), abi.Call("2", "search", nil), plan("3", pending("b"))},
			[]string{"tool 1! " + parallelTodos, "tool 3! " + parallelTodos, "tool 2 search result"},
			nil,
		},
		"what a limiter has blocked is not answered again": {
			[]host.Middleware{builtin.TodoList{}, builtin.ToolCallLimit{ToolName: "write_todos", RunLimit: &one}},
			[]abi.ToolCall{plan("1", pending("a")), plan("2", pending("b"))},
			[]string{"tool 2! Tool call limit exceeded. Do not call 'write_todos' again.", "tool 1! " + parallelTodos},
			nil,
		},
		"a limiter outside sees none": {
			[]host.Middleware{builtin.ToolCallLimit{ToolName: "write_todos", RunLimit: &one}, builtin.TodoList{}},
			[]abi.ToolCall{plan("1", pending("a")), plan("2", pending("b"))},
			[]string{"tool 1! " + parallelTodos, "tool 2! " + parallelTodos},
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newListener(test.middleware, scripted.CallTools(test.calls...), scripted.Say("done"))
			result := l.say(t, "t", "go")
			all := lines(result.Messages)
			require.Equal(t, test.want, all[2:len(all)-1])
			require.NoError(t, checkAnswers(result.Messages))
			require.Equal(t, test.todos, todosOf(t, result))
		})
	}
}

// The list is written while other tools run.
func TestTodosBesideToolsThatRunAtOnce(t *testing.T) {
	t.Parallel()
	var calls []abi.ToolCall
	for i := range 8 {
		calls = append(calls, abi.Call(string(rune('a'+i)), "search", nil))
	}
	l := newListener([]host.Middleware{builtin.TodoList{}, builtin.ToolError{OnError: builtin.ToolErrorAnswer{Format: "{message}"}}},
		scripted.CallTools(append(calls, plan("todos", pending("x")))...), scripted.Say("done"))
	l.config.ToolCalls.Parallel = 4
	result := l.say(t, "t", "go")
	require.Len(t, l.ran, 8)
	require.NoError(t, checkAnswers(result.Messages))
	require.Equal(t, []builtin.Todo{pending("x")}, todosOf(t, result))
}

// A list lasts as long as its thread; a human may change a call that writes it.
func TestTodosInAThread(t *testing.T) {
	t.Parallel()
	l := newListener([]host.Middleware{
		builtin.TodoList{SystemPrompt: new("")},
		builtin.HumanInTheLoop{InterruptOn: map[string]builtin.ReviewPolicy{"write_todos": builtin.AnyDecision()}},
	}, scripted.CallTools(plan("1", pending("a")), abi.Call("2", "search", nil)), scripted.Say("planned"), scripted.Say("hello"))

	result := l.say(t, "t", "go")
	require.Equal(t, host.Interrupted, result.Status)
	require.Empty(t, todosOf(t, result))
	edited := edit("write_todos", map[string]any{"todos": []any{map[string]any{"content": "b", "status": "completed"}}})
	result, err := l.run(t, "t", host.Input{Resume: []host.Answer{{Value: builtin.Decisions{Decisions: []builtin.Decision{edited}}}}})
	require.NoError(t, err)
	require.Equal(t, host.Completed, result.Status)
	require.Equal(t, []builtin.Todo{completed("b")}, todosOf(t, result))

	result, err = l.run(t, "t", host.Input{
		Messages: []abi.Message{abi.Human("again")}, State: map[string]any{"todos": []any{}},
	})
	require.NoError(t, err)
	require.Equal(t, []builtin.Todo{completed("b")}, todosOf(t, result), "the caller cannot set it")
	require.Empty(t, todosOf(t, l.say(t, "another", "go")))
}

func TestTodoListPrompt(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		prompt *string
		system string
		want   []string
	}{
		"alone":               {new("Plan."), "", []string{"Plan."}},
		"behind another":      {new("Plan."), "Base", []string{"Base", "\n\nPlan."}},
		"none":                {new(""), "Base", []string{"Base"}},
		"none and no other":   {new(""), "", nil},
		"placeholders remain": {new("{x} {{y}} %s"), "", []string{"{x} {{y}} %s"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newListener([]host.Middleware{builtin.TodoList{SystemPrompt: test.prompt}}, scripted.Say("done"))
			l.config.SystemPrompt = abi.Text(test.system)
			l.say(t, "t", "go")
			require.Equal(t, [][]string{test.want}, l.systems())
			require.Equal(t, "write_todos", l.asked[0].Tools[0].Name)
			require.Contains(t, l.asked[0].Tools[0].Description, "replaces the whole list")
		})
	}
}

// Whatever the model asks for, each call has one answer, and the list is that of the last answer with one list.
func TestTodosProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var turns []scripted.Turn
		var want []builtin.Todo
		for turn := range rapid.IntRange(1, 4).Draw(t, "turns") {
			var calls []abi.ToolCall
			lists := 0
			for i, name := range rapid.SliceOfN(rapid.SampledFrom([]string{"write_todos", "search"}), 1, 4).Draw(t, "calls") {
				id := string(rune('a'+turn)) + string(rune('0'+i))
				if name == "search" {
					calls = append(calls, abi.Call(id, name, nil))
					continue
				}
				lists++
				calls = append(calls, plan(id, pending(id)))
			}
			if lists == 1 {
				for _, call := range calls {
					if call.Name == "write_todos" {
						want = []builtin.Todo{pending(call.ID)}
					}
				}
			}
			turns = append(turns, scripted.CallTools(calls...))
		}
		l := newListener([]host.Middleware{builtin.TodoList{}}, append(turns, scripted.Say("done"))...)
		agent, err := host.New(l.config)
		require.NoError(t, err)
		result, err := agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("go")}})
		require.NoError(t, err)
		require.NoError(t, agent.Close())
		require.NoError(t, checkAnswers(result.Messages))
		require.Equal(t, want, todosOf(t, result))
	})
}

func TestTodoListIsDecoded(t *testing.T) {
	t.Parallel()
	entry, ok := builtin.Lookup("planning")
	require.True(t, ok)
	require.Equal(t, "todo_list", entry.Name)
	decoded := entry.New()
	require.NoError(t, strictyaml.Decode("agenthost.yaml", []byte(`{system_prompt: "", tool_description: b}`), decoded))
	require.Equal(t, &builtin.TodoList{SystemPrompt: new(""), ToolDescription: "b"}, decoded)
}
