package chat_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/chat"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/errortext"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/prompt"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
)

// bundle is a chat with an agent, by default with a person.
type bundle struct {
	*chat.Chat

	agent *host.Agent

	out  bytes.Buffer
	stop context.CancelFunc // what Ctrl-C does
	ask  func(context.Context, *host.Result) (host.Input, error)

	answer func() (bool, error) // whether to give up a run
}

var searching = tool.Func("search", "Searches.\nIn books.", func(ctx context.Context, in struct {
	Q string `json:"q"`
},
) (string, error) {
	switch in.Q {
	case "ask":
		answer, err := host.RuntimeOf(ctx).Interrupt("why", wire.String("Why?"))
		if err != nil {
			return "", err
		}
		text, _ := answer.AsString()
		return text, nil
	case "fail":
		return "", errors.New("no\x1b[2J books")
	}
	return "found " + in.Q, nil
})

// rules is a model that searches for the text of the message.
func rules(t testing.TB) model.Model {
	t.Helper()
	m, err := scripted.NewRules(
		scripted.Rule{From: "human", When: `^search (\w+)$`, Say: "Let me see.", Call: []scripted.RuleCall{{Tool: "search", Args: map[string]any{"q": "$1"}}}},
		scripted.Rule{From: "tool", When: "(.*)", Say: "It is $1"},
		scripted.Rule{When: "(?s)(.*)", Say: "You said $1"},
	)
	require.NoError(t, err)
	return m
}

func setup(t *testing.T, m model.Model, middleware ...host.Middleware) *bundle {
	t.Helper()
	threads := memory.New()
	agent, err := host.New(host.Config{
		Model: m, Tools: []host.Tool{searching}, Middleware: middleware, Checkpointer: threads,
		State: []host.Field{host.NewField[string]("mood").Field},
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, agent.Close()) })
	b := &bundle{agent: agent}
	b.Chat = &chat.Chat{
		Agent: agent, Threads: threads, Thread: "ada", Screen: &chat.Screen{Answers: &b.out, Notes: &b.out},
		Tools: func() []abi.ToolSpec { return []abi.ToolSpec{searching.Spec()} },
		Graph: func() string { return agent.Program().Mermaid() },
	}
	b.Person = &chat.Person{
		Turn: func(ctx context.Context) (context.Context, func()) {
			ctx, b.stop = context.WithCancel(ctx)
			return ctx, b.stop
		},
		Ask:    func(ctx context.Context, result *host.Result) (host.Input, error) { return b.ask(ctx, result) },
		GiveUp: func(context.Context) (bool, error) { return b.answer() },
	}
	return b
}

// says sends these lines and returns what the chat shows.
func (b *bundle) says(t *testing.T, lines ...string) string {
	t.Helper()
	b.out.Reset()
	b.Messages = chat.NewLines(strings.NewReader(strings.Join(lines, "\n")))
	require.NoError(t, b.Converse(t.Context()))
	return b.out.String()
}

func TestAConversation(t *testing.T) {
	t.Parallel()
	b := setup(t, rules(t))
	require.Equal(t, "You said hi\nLet me see.\n· tool search\nIt is found books\n", b.says(t, "hi", "  ", "search books"))
	require.Equal(t, 2, b.Turns())
	require.Contains(t, b.says(t, "/state"), "thread ada, checkpoint ")
	require.Contains(t, b.out.String(), "  messages 6; of the last run: steps 3, tokens 0\n")
	require.Equal(t, "You said /etc is a path\n", b.says(t, "//etc is a path"))
	require.NoError(t, b.Welcome(t.Context()))
	require.Contains(t, b.out.String(), "· 8 messages so far; the last run is complete\n")

	b.Quiet = true
	require.Equal(t, "Let me see.\nIt is found books\n", b.says(t, "search books"))
	b.Quiet, b.Verbose = false, true
	require.Equal(t, "Let me see.\n· tool search {\"q\":\"books\"} → found books\nIt is found books\n", b.says(t, "search books"))
}

func TestWithoutAPersonAnswersShowWhenTheyAreComplete(t *testing.T) {
	t.Parallel()
	b := setup(t, rules(t))
	b.Person = nil
	require.Equal(t, "· tool search\nIt is found books\nYou said hi\n", b.says(t, "search books", "hi"))

	b.Messages = chat.NewLines(strings.NewReader("search ask\nhi\n"))
	var waiting *chat.WaitingError
	require.ErrorAs(t, b.Converse(t.Context()), &waiting)
	require.EqualError(t, waiting, "the run is interrupted and waits before tools")
	require.Len(t, waiting.Result.Interrupts, 1)

	b.Messages = chat.NewLines(strings.NewReader("search fail\nhi\n"))
	b.GiveUp = true
	var failed *chat.TurnError
	require.ErrorAs(t, b.Converse(t.Context()), &failed)
	require.ErrorContains(t, failed, `tool "search": call`)
	require.Equal(t, host.Failed, failed.Result.Status)
	require.ErrorAs(t, failed, new(*host.ToolError))

	b.Messages = chat.NewLines(strings.NewReader("/nothing\n"))
	require.EqualError(t, b.Converse(t.Context()),
		`there is no command "/nothing"; /help lists the commands; to send a message that begins with a slash, write two slashes`)
}

func TestCommands(t *testing.T) {
	t.Parallel()
	b := setup(t, rules(t))
	require.Equal(t, "· thread ada is empty\n· there are no threads yet\n", b.says(t, "/state", "/threads"))
	require.NoError(t, b.Welcome(t.Context()))
	require.Equal(t, "error: /retry: there is no message to send again yet\n", b.says(t, "/retry"))
	b.says(t, "hi")
	_, err := b.agent.UpdateState(t.Context(), host.StateUpdate{Thread: "ada", Update: host.Update{State: wire.Map{{Key: "mood", Value: wire.String("fine\x1b[2J")}}}})
	require.NoError(t, err)
	require.Contains(t, b.says(t, "/state"), "  mood = \"fine\\u001b[2J\"\n")
	require.Contains(t, b.says(t, "/threads"), "THREAD  MESSAGES  UPDATED")
	require.Contains(t, b.out.String(), "\nada     2 ")
	require.Equal(t, "  search           Searches.\n", b.says(t, "/tools"))
	b.Tools = func() []abi.ToolSpec { return nil }
	require.Equal(t, "· the agent has no tools\n", b.says(t, "/tools"))
	require.Contains(t, b.says(t, "/graph"), "flowchart")
	for _, name := range chat.Commands() {
		require.Contains(t, b.says(t, "/help"), "  "+name+" ")
	}
	require.Empty(t, b.says(t, "/quit", "hi"))
	require.Equal(t, "error: /quit takes no arguments; to send a message that begins with a slash, write two slashes\n", b.says(t, "/quit now"))
	require.Equal(t, "You said hi\n", b.says(t, "/retry"))
	again := *b.Chat
	b.Chat = &chat.Chat{Agent: again.Agent, Threads: again.Threads, Thread: "ada", Screen: again.Screen, Person: again.Person}
	require.Equal(t, "You said hi\n", b.says(t, "/retry"), "what the thread knows")
}

func TestQuestions(t *testing.T) {
	t.Parallel()
	b := setup(t, rules(t))
	asked := 0
	b.ask = func(_ context.Context, result *host.Result) (host.Input, error) {
		asked++
		require.Equal(t, "tools", result.Next)
		require.Len(t, result.Interrupts, 1)
		return host.Input{Thread: "ada", Resume: []host.Answer{{Interrupt: result.Interrupts[0].ID, Value: wire.String("a reason")}}}, nil
	}
	require.Equal(t, "Let me see.\n· tool search\nIt is a reason\n", b.says(t, "search ask"))
	require.Equal(t, 1, asked)

	answering := b.ask
	b.ask = func(context.Context, *host.Result) (host.Input, error) { return host.Input{}, prompt.ErrLeft }
	require.Equal(t, "Let me see.\n· the run waits before tools: /retry asks again, a new message abandons the run if you confirm it\n", b.says(t, "search ask"))
	require.NoError(t, b.Welcome(t.Context()))
	require.Contains(t, b.out.String(), "the run waits for an answer before tools\n· /retry continues the run, a new message abandons it\n")
	b.ask = answering
	require.Equal(t, "· tool search\nIt is a reason\n", b.says(t, "/retry"))

	b.ask = func(context.Context, *host.Result) (host.Input, error) {
		return host.Input{}, errors.New("the terminal is gone")
	}
	require.Contains(t, b.says(t, "search ask"), "error: the terminal is gone\n")

	b.answer = func() (bool, error) { return false, nil }
	require.Equal(t, "· the message was not sent, and the run still waits: /retry asks again\n", b.says(t, "hi"))
	b.answer = func() (bool, error) { return false, prompt.ErrLeft }
	require.Contains(t, b.says(t, "hi"), "the run still waits")
	b.answer = func() (bool, error) { return true, nil }
	require.Equal(t, "You said hi\n", b.says(t, "hi"), "the run is given up")
}

func TestAMessageGivesUpARunThatWaits(t *testing.T) {
	t.Parallel()
	b := setup(t, rules(t))
	b.ask = func(context.Context, *host.Result) (host.Input, error) { return host.Input{}, prompt.ErrLeft }
	b.says(t, "search ask")
	b.GiveUp = true
	require.Equal(t, "You said hi\n", b.says(t, "hi"), "nobody is asked")
	b.GiveUp = false
	b.says(t, "search ask")
	b.Person = nil
	b.Messages = chat.NewLines(strings.NewReader("hi\n"))
	require.ErrorIs(t, b.Converse(t.Context()), host.ErrWaiting)
}

func TestATurnIsStopped(t *testing.T) {
	t.Parallel()
	var b *bundle
	stops := true
	b = setup(t, rules(t), host.BeforeModel("stops", func(ctx context.Context, _ *host.Runtime) (*host.Update, error) {
		if stops {
			b.stop()
			return nil, ctx.Err()
		}
		return nil, nil
	}))
	require.Equal(t, "· stopped before stops.before_model: /retry continues, a new message abandons the run\n", b.says(t, "hi"))
	require.Contains(t, b.says(t, "/state"), "the run stopped before stops.before_model: run cancelled: context canceled\n")
	stops = false
	require.Equal(t, "You said hi\n", b.says(t, "/retry"))
	stops = true
	b.says(t, "never mind")
	stops = false
	require.Equal(t, "You said ho\n", b.says(t, "ho"), "a message gives it up")
}

func TestATurnThatFailsDoesNotEndTheConversation(t *testing.T) {
	t.Parallel()
	b := setup(t, rules(t))
	b.Person.Explain = func(err error) error { return errortext.Advise(err, "  alas") }
	shown := b.says(t, "search fail", "hi")
	require.Contains(t, shown, "Let me see.\n· tool search failed: ")
	require.Contains(t, shown, "no [2J books\nerror: tool \"search\": call ")
	require.Contains(t, shown, "no\uFFFD[2J books\n  the run stopped before tools: /retry continues it, a new message abandons it\n  alas\nYou said hi\n")

	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("gone")
	cancel(gone)
	b.Messages = chat.NewLines(strings.NewReader("hi\n"))
	require.ErrorIs(t, b.Converse(ctx), gone)
	b.Messages = broken{}
	require.EqualError(t, b.Converse(t.Context()), "broken")
}

// broken is a reader that fails.
type broken struct{}

func (broken) Read(context.Context) (string, error) { return "", errors.New("broken") }

// happens performs turns with these events.
func happens(b *bundle, result *host.Result, events ...host.Event) {
	b.Begin = func() chat.Run {
		return func(_ context.Context, _ host.Input, handle func(host.Event) error) (*host.Result, error) {
			for _, e := range events {
				if err := handle(e); err != nil {
					return result, err
				}
			}
			return result, nil
		}
	}
}

func token(call int, text, reasoning string) host.Event {
	return host.Event{Type: host.EventToken, Step: host.ModelStep, Index: call, Text: text, Reasoning: reasoning}
}

func answer(text string) host.Event {
	return host.Event{Type: host.EventState, Step: host.ModelStep, Messages: []abi.Message{abi.AI(text)}}
}

func refusal(text string) host.Event {
	return host.Event{Type: host.EventState, Step: host.ModelStep, Messages: []abi.Message{{Role: abi.RoleAI, Content: abi.Blocks(abi.RefusalBlock(text, ""))}}}
}

// inner is an event of an agent that is a tool.
func inner(e host.Event) host.Event {
	text, err := json.Marshal(map[string]any{"agent": "helper", "event": e})
	if err != nil {
		panic(err)
	}
	data, err := wire.FromJSON(text, wire.Limits{})
	if err != nil {
		panic(err)
	}
	return host.Event{Type: host.EventCustom, Step: host.ToolsStep, Name: tool.AgentEvent, Data: data}
}

func TestStreams(t *testing.T) {
	t.Parallel()
	call := abi.Call("1", "slow", nil)
	failed := abi.ToolFailure(call, "no\nsuch book")
	for name, test := range map[string]struct {
		events []host.Event
		final  string
		want   string
	}{
		"as it comes":                   {[]host.Event{token(1, "a", ""), token(1, "b\n", ""), answer("ab\n")}, "ab\n", "ab\n"},
		"another call makes it void":    {[]host.Event{token(1, "a", ""), token(2, "b", ""), answer("b")}, "b", "a\n· the model is asked again; ignore its text above\nb\n"},
		"a hook changed it":             {[]host.Event{token(1, "a", ""), answer("c")}, "c", "a\n· the answer was changed:\nc\n"},
		"it did not stream":             {[]host.Event{answer("a\x1b[2J")}, "a\x1b[2J", "a\uFFFD[2J\n"},
		"a refusal":                     {[]host.Event{token(1, "No.", ""), refusal("No.")}, "", "No.\n"},
		"a refusal that did not stream": {[]host.Event{refusal("No.")}, "", "No.\n"},
		"a tool of an agent":            {[]host.Event{inner(host.Event{Type: host.EventTool, Call: &call, Messages: []abi.Message{abi.ToolResult(call, "ok")}})}, "", "· helper: tool slow {} → ok\n"},
		"a warning of an agent":         {[]host.Event{inner(host.Event{Type: host.EventWarn, Step: "x.after_model", Text: "odd"})}, "", "· helper: x.after_model: warning: odd\n"},
		"an answer of an agent":         {[]host.Event{inner(answer("a"))}, "", ""},
		"a later hook changed it":       {[]host.Event{token(1, "a", ""), answer("a")}, "d", "a\n· the answer was changed:\nd\n"},
		"a message from elsewhere":      {[]host.Event{{Type: host.EventState, Step: "limit.before_model", Messages: []abi.Message{abi.Human("x"), abi.AI("over")}}}, "over", "over\n"},
		"a history that is made anew":   {[]host.Event{{Type: host.EventState, Reset: true, Messages: []abi.Message{abi.AI("old")}}, answer("new")}, "new", "new\n"},
		"nothing is said":               {[]host.Event{answer("")}, "", ""},
		"thoughts":                      {[]host.Event{token(1, "", "hm"), token(1, "", "m"), token(1, "a", ""), answer("a")}, "a", "· thinking\nhmm\na\n"},
		"a warning":                     {[]host.Event{{Type: host.EventWarn, Step: "x.after_model", Text: "odd\nthing"}}, "", "· x.after_model: warning: odd thing\n"},
		"what somebody says":            {[]host.Event{{Type: host.EventCustom, Step: "tools", Name: "progress", Data: wire.String("half")}}, "", "· tools: progress \"half\"\n"},
		"a slow tool":                   {[]host.Event{{Type: host.EventTool, Call: &call}, {Type: host.EventTool, Call: &call, Duration: 1500 * time.Millisecond, Messages: []abi.Message{abi.ToolResult(call, "ok")}}}, "", "· tool slow {} (1.5 s) → ok\n"},
		"a tool that answers an error":  {[]host.Event{{Type: host.EventTool, Call: &call, Messages: []abi.Message{failed}}}, "", "· tool slow {} returned an error: no such book\n"},
		"a tool that asks":              {[]host.Event{{Type: host.EventTool, Call: &call, Interrupts: []host.Interrupt{{ID: "1"}}}}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, rules(t))
			b.Verbose = true
			happens(b, &host.Result{Status: host.Completed, Messages: finally(test.final)}, test.events...)
			require.Equal(t, test.want, b.says(t, "hi"))
		})
	}
}

func TestAnOutputThatFails(t *testing.T) {
	t.Parallel()
	b := setup(t, rules(t))
	b.Person = nil
	b.Screen.Answers = full{}
	for _, line := range []string{"hi", "/graph"} {
		b.Messages = chat.NewLines(strings.NewReader(line))
		require.ErrorIs(t, b.Converse(t.Context()), io.ErrShortWrite)
	}
}

// full is an output that accepts nothing.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, io.ErrShortWrite }
