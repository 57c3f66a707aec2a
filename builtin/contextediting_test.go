package builtin_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

// clearing clears results beyond the newest ones, whatever their size.
func clearing(keep int) builtin.ContextEditing {
	return builtin.ContextEditing{
		Edits: []builtin.ContextEdit{{Trigger: new(0), Keep: new(keep)}}, TokenCounter: builtin.TokenCounter{Counter: "chars"},
	}
}

func TestContextEditingIsDecoded(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]builtin.ContextEditing{
		"{}":                                 {},
		"{edits: null, token_counter: null}": {},
		`{edits: [{type: clear_tool_uses, trigger: 5, clear_at_least: 2, keep: 0, clear_tool_inputs: true, exclude_tools: [search],
			placeholder: gone}], token_count_method: model, token_counter: {per_message: 2}, persist: true}`: {
			Edits: []builtin.ContextEdit{{
				Type: "clear_tool_uses", Trigger: new(5), ClearAtLeast: 2, Keep: new(0), ClearToolInputs: true,
				ExcludeTools: []string{"search"}, Placeholder: "gone",
			}},
			TokenCountMethod: "model", TokenCounter: builtin.TokenCounter{PerMessage: 2}, Persist: true,
		},
	} {
		entry, ok := builtin.Lookup("context_editing")
		require.True(t, ok)
		decoded := entry.New()
		require.NoError(t, strictyaml.Decode("agenthost.yaml", []byte(text), decoded), text)
		require.Equal(t, &want, decoded, text)
	}
	for text, problem := range map[string]string{
		"{edits: {trigger: 5}}":    "edits: expected a list",
		"{edits: [{triger: 5}]}":   `unknown key "triger"`,
		"{persist: yes}":           "persist: expected true or false",
		"{token_counter: chars}":   "token_counter: expected a mapping",
		"{edits: [{keep: 1.5}]}":   "expected an integer",
		"{edits: [{trigger: {}}]}": "expected an integer",
	} {
		err := strictyaml.Decode("agenthost.yaml", []byte(text), new(builtin.ContextEditing))
		require.ErrorContains(t, err, problem, text)
	}
}

func TestContextEditingRefuses(t *testing.T) {
	t.Parallel()
	for problem, c := range map[string]builtin.ContextEditing{
		`edits[1]: the edit type "clear_thinking" is unknown`: {Edits: []builtin.ContextEdit{{}, {Type: "clear_thinking"}}},
		"edits[0]: trigger is -1":                             {Edits: []builtin.ContextEdit{{Trigger: new(-1)}}},
		"edits[0]: keep is -1":                                {Edits: []builtin.ContextEdit{{Keep: new(-1)}}},
		"edits[0]: clear_at_least is -1":                      {Edits: []builtin.ContextEdit{{ClearAtLeast: -1}}},
		"invalid token_count_method: 'exact'":                 {TokenCountMethod: "exact"},
		"does not count tokens itself":                        {TokenCountMethod: "model"},
		"persist edits the thread":                            {TokenCountMethod: "model", Persist: true},
		`there is no counter "words"`:                         {TokenCounter: builtin.TokenCounter{Counter: "words"}},
	} {
		_, err := host.New(host.Config{Model: scripted.NewTurns(), Middleware: []host.Middleware{c}})
		var refused *host.ConfigError
		require.ErrorAs(t, err, &refused)
		require.ErrorContains(t, err, problem)
	}
}

var results = []string{
	"human go", "ai search:1", "tool 1 1111111111", "ai search:2 search:3", "tool 2 2222222222", "tool 3 3333333333", "ai: so far",
	"ai search:1", "tool 1 4444444444",
}

func TestContextEditingClears(t *testing.T) {
	t.Parallel()
	const total = 2 + 40 + 6 // characters of results
	edit := func(change func(*builtin.ContextEdit)) []builtin.ContextEdit {
		e := builtin.ContextEdit{Trigger: new(0), Keep: new(0), Placeholder: "-"}
		change(&e)
		return []builtin.ContextEdit{e}
	}
	for name, test := range map[string]struct {
		edits   []builtin.ContextEdit
		counter builtin.TokenCounter
		cleared string // the first characters of the results that the model sees
	}{
		"none by default":       {nil, builtin.TokenCounter{}, "1234"},
		"the default keeps 3":   {nil, builtin.TokenCounter{PerMessage: 20_000}, "[234"},
		"all":                   {edit(func(*builtin.ContextEdit) {}), builtin.TokenCounter{}, "----"},
		"but the newest":        {edit(func(e *builtin.ContextEdit) { e.Keep = new(2) }), builtin.TokenCounter{}, "--34"},
		"more kept than are":    {edit(func(e *builtin.ContextEdit) { e.Keep = new(5) }), builtin.TokenCounter{}, "1234"},
		"not at the trigger":    {edit(func(e *builtin.ContextEdit) { e.Trigger = new(total) }), builtin.TokenCounter{Counter: "chars"}, "1234"},
		"above the trigger":     {edit(func(e *builtin.ContextEdit) { e.Trigger = new(total - 1) }), builtin.TokenCounter{Counter: "chars"}, "----"},
		"until it is enough":    {edit(func(e *builtin.ContextEdit) { e.ClearAtLeast = 10 }), builtin.TokenCounter{Counter: "chars"}, "--34"},
		"as much as there is":   {edit(func(e *builtin.ContextEdit) { e.ClearAtLeast = 1000 }), builtin.TokenCounter{Counter: "chars"}, "----"},
		"not of excluded tools": {edit(func(e *builtin.ContextEdit) { e.ExcludeTools = []string{"search"} }), builtin.TokenCounter{}, "1234"},
		"by a function": {
			edit(func(e *builtin.ContextEdit) { e.Trigger = new(0) }), builtin.TokenCounter{Func: func(*abi.Message) int { return -5 }}, "1234",
		},
		"one edit after another": {
			append(edit(func(e *builtin.ContextEdit) { e.Keep = new(3) }), edit(func(e *builtin.ContextEdit) { e.Keep, e.Placeholder = new(2), "+" })...),
			builtin.TokenCounter{},
			"-+34",
		},
		"the next one counts what is left": {
			append(edit(func(*builtin.ContextEdit) {}), edit(func(e *builtin.ContextEdit) { e.Trigger, e.Placeholder = new(13), "+" })...),
			builtin.TokenCounter{Counter: "chars"},
			"----",
		},
	} {
		for _, persist := range []bool{false, true} {
			t.Run(name+map[bool]string{true: ", for good"}[persist], func(t *testing.T) {
				t.Parallel()
				main := newWitness(scripted.Say("done"))
				given := talk(results...)
				result, err := ask(t, newReader(t, main, newWitness(), builtin.ContextEditing{
					Edits: test.edits, TokenCounter: test.counter, Persist: persist,
				}), given)
				require.NoError(t, err)
				got := main.asked[0].Messages
				require.Equal(t, test.cleared, firstCharacters(got))
				require.Equal(t, ids(given), ids(got.Messages()))
				if persist {
					require.Equal(t, test.cleared, firstCharacters(result.Messages))
				} else {
					require.Equal(t, given, result.Messages.Messages()[:len(given)])
				}
			})
		}
	}
}

func firstCharacters(messages history.List) string {
	var b strings.Builder
	for _, m := range messages.All() {
		if m.Role == abi.RoleTool {
			b.WriteString(m.Content.Text()[:1])
		}
	}
	return b.String()
}

// What no call of the message before asked for is none of the edit's business, and neither is an answer's status.
func TestContextEditingLeaves(t *testing.T) {
	t.Parallel()
	given := talk("tool 9 orphan", "human go", "ai search:1", "human wait", "tool 1 late", "tool 8 unknown", "ai: hm", "tool 1 too late", "human go on")
	given[4].Status, given[4].Artifact, given[4].Name = abi.StatusError, wire.String("data"), ""
	main := newWitness(scripted.Say("done"))
	editing := clearing(0)
	editing.Edits[0].ExcludeTools = []string{"calc"}
	_, err := ask(t, newReader(t, main, newWitness(), editing), given)
	require.NoError(t, err)
	require.Equal(t, []string{
		"tool 9 orphan", "human go", "ai search:1", "human wait", "tool 1! [cleared]", "tool 8 unknown", "ai hm", "tool 1 too late", "human go on",
	}, main.seen())
	m := main.asked[0].Messages.At(4)
	require.Equal(t, `{"context_editing":{"cleared":true,"strategy":"clear_tool_uses"}}`, m.Meta.Raw().JSON())
	require.Equal(t, wire.String("data"), m.Artifact)

	editing.Edits[0].ExcludeTools = []string{"search"}
	_, err = ask(t, newReader(t, main, newWitness(), editing), given)
	require.NoError(t, err)
	require.Contains(t, main.seen(), "tool 1! late", "an answer without a name has that of its call")
}

func TestContextEditingClearsInputs(t *testing.T) {
	t.Parallel()
	args := func(q string) map[string]any { return map[string]any{"q": q} }
	given := []abi.Message{
		abi.Human("go"), abi.AI("", abi.Call("1", "search", args("a")), abi.Call("2", "calc", args("b")), abi.Call("3", "search", args("c"))),
		abi.ToolResult(abi.Call("1", "search", nil), "A"), abi.ToolResult(abi.Call("2", "calc", nil), "B"),
		abi.ToolResult(abi.Call("3", "search", nil), "C"),
	}
	main := newWitness(scripted.Say("done"))
	editing := clearing(0)
	editing.Edits[0].ClearToolInputs, editing.Edits[0].ExcludeTools = true, []string{"calc"}
	result, err := ask(t, newReader(t, main, newWitness(), editing), given)
	require.NoError(t, err)
	shown := func(messages history.List) []string {
		m := messages.At(1)
		var out []string
		for _, call := range m.ToolCalls {
			out = append(out, call.Args.JSON())
		}
		return append(out, m.Meta.Raw().JSON())
	}
	require.Equal(t, []string{"{}", `{"q":"b"}`, "{}", `{"context_editing":{"cleared_tool_inputs":["1","3"]}}`}, shown(main.asked[0].Messages))
	require.Equal(t, []string{`{"q":"a"}`, `{"q":"b"}`, `{"q":"c"}`, "{}"}, shown(result.Messages), "the thread's messages stay")
}

// A thread that is edited for good is edited once; what comes later is edited when it is old enough.
func TestContextEditingPersists(t *testing.T) {
	t.Parallel()
	main := newWitness(
		scripted.CallTools(abi.Call("1", "search", nil), abi.Call("2", "calc", nil)), scripted.CallTools(abi.Call("3", "search", nil)),
		scripted.CallTools(abi.Call("4", "calc", nil)), scripted.Say("done"),
	)
	editing := clearing(1)
	editing.Persist = true
	agent := newReaderWith(t, host.Config{Model: main, Checkpointer: memory.New()}, editing)
	updates := 0
	result, err := agent.RunEvents(t.Context(), host.Input{Thread: "t", Messages: []abi.Message{abi.Human("go")}}, func(e host.Event) error {
		if e.Type == host.EventHook && e.Step == "context_editing.before_model" && e.Update != nil {
			updates += len(e.Update.Messages)
		}
		return nil
	})
	require.NoError(t, err)
	want := []string{
		"human go", "ai search:1 calc:2", "tool 1 [cleared]", "tool 2 [cleared]", "ai search:3", "tool 3 [cleared]", "ai calc:4",
		"tool 4 calc result ", "ai done",
	}
	require.Equal(t, want, lines(result.Messages))
	require.Equal(t, 3, updates, "each result is written once")
	snapshot, err := agent.State(t.Context(), "t", 0)
	require.NoError(t, err)
	require.Equal(t, want, lines(snapshot.Messages))
}

// A call that a human has yet to decide about is untouched when the run goes on, and old results are cleared in it.
func TestContextEditingOverAnInterrupt(t *testing.T) {
	t.Parallel()
	for _, persist := range []bool{false, true} {
		main := newWitness(
			scripted.CallTools(abi.Call("1", "search", nil)), scripted.CallTools(abi.Call("2", "search", nil), abi.Call("3", "calc", nil)),
			scripted.Say("done"),
		)
		editing := clearing(1)
		editing.Persist, editing.Edits[0].ClearToolInputs = persist, true
		agent := newReaderWith(t, host.Config{Model: main, Checkpointer: memory.New()},
			editing, builtin.HumanInTheLoop{InterruptOn: map[string]builtin.ReviewPolicy{"calc": builtin.AnyDecision()}},
			builtin.ToolCallLimit{RunLimit: new(5)})
		result, err := agent.Run(t.Context(), host.Input{Thread: "t", Messages: []abi.Message{abi.Human("go")}})
		require.NoError(t, err)
		require.Equal(t, host.Interrupted, result.Status)
		result, err = agent.Run(t.Context(), host.Input{
			Thread: "t", Resume: []host.Answer{{Value: decide(edit("calc", map[string]any{"q": "x"}))}},
		})
		require.NoError(t, err)
		require.Equal(t, host.Completed, result.Status)
		require.Equal(t, []string{"human go", "ai search:1", "tool 1 [cleared]", "ai search:2 calc:3", "tool 2 [cleared]"}, main.seen()[:5])
		require.Contains(t, main.seen()[5], "Executed instead: calc with arguments", "the newest result stays")
	}
}

// Messages that no edit changes are those of the thread, with what was encoded of them.
func TestContextEditingSharesMessages(t *testing.T) {
	t.Parallel()
	var before history.List
	look := host.WrapModelCall("look", func(
		ctx context.Context, _ *host.Runtime, req *model.Request, next host.ModelHandler,
	) (*model.Response, *host.Update, error) {
		before = req.Messages
		resp, err := next(ctx, req)
		return resp, nil, err
	})
	main := newWitness(scripted.Say("done"))
	_, err := ask(t, newReader(t, main, newWitness(), look, clearing(2)), talk(results...))
	require.NoError(t, err)
	after, changed := main.asked[0].Messages, 0
	for i := range before.All() {
		if before.Entry(i) != after.Entry(i) {
			changed++
		}
	}
	require.Equal(t, 2, changed)
	_, err = ask(t, newReader(t, main, newWitness(), look, clearing(9)), talk(results...))
	require.NoError(t, err)
	require.Same(t, before.Entry(0), main.asked[1].Messages.Entry(0))
}

// counter is a model that counts one token for each character.
type counter struct{ *witness }

func (counter) CountTokens(m *abi.Message) int { return len(m.Content.Text()) }

func TestContextEditingByTheModel(t *testing.T) {
	t.Parallel()
	for trigger, cleared := range map[int]string{1000: "1234", 100: "----"} {
		main := newWitness(scripted.Say("done"))
		_, err := ask(t, newReaderWith(t, host.Config{Model: counter{main}, SystemPrompt: abi.Text(strings.Repeat("x", 40))}, builtin.ContextEditing{
			Edits:            []builtin.ContextEdit{{Trigger: new(trigger), Keep: new(0), Placeholder: "-"}},
			TokenCountMethod: "model",
		}), talk(results...))
		require.NoError(t, err)
		require.Equal(t, cleared, firstCharacters(main.asked[0].Messages), "the messages have 48, the prompt 40, the tools some more")
	}
}

// It lets tokens pass, and stands before a summary of what it clears for good.
func TestContextEditingHooks(t *testing.T) {
	t.Parallel()
	env := host.Env{Model: scripted.NewTurns()}
	hooks, err := builtin.ContextEditing{}.Hooks(t.Context(), env)
	require.NoError(t, err)
	require.True(t, hooks.WrapModelCall.PassesTokens)
	require.Nil(t, hooks.BeforeModel.Func)
	hooks, err = builtin.ContextEditing{Persist: true}.Hooks(t.Context(), env)
	require.NoError(t, err)
	require.Nil(t, hooks.WrapModelCall.Func)
	require.Equal(t, "summarization", hooks.Order[0].Outside)
}

// Whatever the history, an edit changes nothing but contents and arguments of what is answered, keeps the newest, clears the
// oldest first, and does in a second pass nothing more.
func TestContextEditingKeepsHistoriesWhole(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		given := drawTalk(t)
		e := builtin.ContextEdit{
			Trigger: new(rapid.IntRange(0, 200).Draw(t, "trigger")), Keep: new(rapid.IntRange(0, 5).Draw(t, "keep")),
			ClearAtLeast: rapid.IntRange(0, 60).Draw(t, "clear_at_least"), ClearToolInputs: rapid.Bool().Draw(t, "clear_tool_inputs"),
		}
		editing := builtin.ContextEditing{Edits: []builtin.ContextEdit{e}, Persist: true}
		result, err := ask(t, newReader(t, newWitness(scripted.Say("done")), newWitness(), editing, ending()), given)
		require.NoError(t, err)
		got := result.Messages.Messages()
		require.Equal(t, ids(given), ids(got))
		require.NoError(t, checkAnswers(result.Messages))
		left := 0
		for i, is := range slices.Backward(got) {
			was := given[i]
			cleared := is.Role == abi.RoleTool && is.Meta.Has("context_editing")
			if cleared {
				require.GreaterOrEqual(t, left, *e.Keep)
				require.Equal(t, "[cleared]", is.Content.Text())
			} else {
				require.Equal(t, was.Content, is.Content)
			}
			if is.Role == abi.RoleTool {
				left++
			}
			require.Equal(t, was.ToolCallID, is.ToolCallID)
			require.Equal(t, was.Status, is.Status)
			require.Len(t, is.ToolCalls, len(was.ToolCalls))
		}
		if e.ClearAtLeast > 0 { // a second pass goes on
			return
		}
		again, err := ask(t, newReader(t, newWitness(scripted.Say("done")), newWitness(), editing, ending()), got)
		require.NoError(t, err)
		require.Equal(t, got, again.Messages.Messages())
	})
}
