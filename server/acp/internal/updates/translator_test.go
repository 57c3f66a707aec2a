package updates_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
	"github.com/agenthost/agenthost/server/acp/internal/protocol"
	"github.com/agenthost/agenthost/server/acp/internal/updates"
)

// lines returns updates as lines of JSON.
func lines(t testing.TB, u *updates.Translator, events []host.Event) []string {
	t.Helper()
	out := []string{}
	for i := range events {
		for _, update := range u.Event(&events[i]) {
			line, err := json.Marshal(update)
			require.NoError(t, err)
			out = append(out, string(line))
		}
	}
	return out
}

// record runs an agent, and returns its events.
func record(t *testing.T, agent *host.Agent, in host.Input) (events []host.Event, result *host.Result, err error) {
	t.Helper()
	result, err = agent.RunEvents(t.Context(), in, func(e host.Event) error {
		events = append(events, e)
		return nil
	})
	return events, result, err
}

func build(t *testing.T, config host.Config) *host.Agent {
	t.Helper()
	config.Seed = func() uint64 { return 7 }
	agent, err := host.New(config)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, agent.Close()) })
	return agent
}

// weather is a tool whose city "nowhere" fails, and whose city "broken" ends the run.
var weather = tool.Func("weather", "Tells the weather.", func(_ context.Context, in struct {
	City string `json:"city"`
},
) (any, error) {
	switch in.City {
	case "broken":
		return nil, errors.New("broken")
	case "nowhere":
		out := host.TextOutput("no such city")
		out.Failed = true
		return out, nil
	}
	return "sunny", nil
})

func TestARun(t *testing.T) {
	t.Parallel()
	agent := build(t, host.Config{
		Model: scripted.NewTurns(
			scripted.CallTools(abi.Call("1", "weather", map[string]any{"city": "Oslo"}), abi.Call("2", "weather", map[string]any{"city": "nowhere"})),
			scripted.CallTools(abi.Call("1", "write_todos", map[string]any{"todos": []any{map[string]any{"content": "rest", "status": "pending"}}})),
			scripted.Say("It is sunny."),
		),
		Tools: []host.Tool{weather}, Middleware: []host.Middleware{&builtin.TodoList{}},
	})
	events, result, err := record(t, agent, host.Input{Messages: []abi.Message{abi.Human("how?")}})
	require.NoError(t, err)
	u := &updates.Translator{Window: 1000}
	got := lines(t, u, events)
	require.Empty(t, u.Over(result), "the answer was shown")
	want, err := os.ReadFile(filepath.Join("testdata", "run.jsonl"))
	require.NoError(t, err)
	require.Equal(t, string(want), stable(got)+"\n")
}

// stable joins lines, without what differs between runs.
func stable(lines []string) string {
	return regexp.MustCompile(`(msg|run)-[0-9a-z]+`).ReplaceAllString(strings.Join(lines, "\n"), "$1")
}

// piece is an event of a piece of an answer.
func piece(index int, text string) host.Event {
	return host.Event{Type: host.EventToken, Index: index, Message: "m", Text: text}
}

func state(messages ...abi.Message) host.Event {
	return host.Event{Type: host.EventState, Messages: messages}
}

func said(text string) abi.Message {
	m := abi.AI(text)
	m.ID = "m"
	return m
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	thinking := abi.Message{Role: abi.RoleAI, ID: "m", Content: abi.Blocks(abi.ReasoningBlock("why", ""), abi.TextBlock("so"))}
	for name, test := range map[string]struct {
		events []host.Event
		want   string
	}{
		"in pieces":              {[]host.Event{piece(1, "a"), piece(1, "b"), state(said("ab"))}, "a|b"},
		"whole":                  {[]host.Event{state(said("ab"))}, "ab"},
		"longer than its pieces": {[]host.Event{piece(1, "a"), state(said("ab"))}, "a|b"},
		"changed":                {[]host.Event{piece(1, "a"), state(said("x"))}, "a|\n\n*The answer was changed:*\n\nx"},
		"asked again": {
			[]host.Event{piece(1, "a"), piece(2, "b"), state(said("b"))}, "a|\n\n*The model is asked again; ignore its text above.*\n\n|b",
		},
		"with reasoning":  {[]host.Event{state(thinking)}, "(why)|so"},
		"reasons first":   {[]host.Event{{Type: host.EventToken, Message: "m", Index: 1, Reasoning: "why"}, piece(1, "so"), state(thinking)}, "(why)|so"},
		"history is new":  {[]host.Event{{Type: host.EventState, Reset: true, Messages: []abi.Message{said("old")}}}, ""},
		"nothing is said": {[]host.Event{state(said(" "))}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var u updates.Translator
			var got []string
			for i := range test.events {
				for _, update := range u.Event(&test.events[i]) {
					text := shown(t, update)
					if update.Kind == protocol.ThoughtChunk {
						text = "(" + text + ")"
					}
					require.Equal(t, "m", update.MessageID)
					got = append(got, text)
				}
			}
			require.Equal(t, test.want, strings.Join(got, "|"))
		})
	}
}

// shown returns the text of a chunk.
func shown(t *testing.T, update *protocol.Update) string {
	t.Helper()
	text, err := json.Marshal(update.Content)
	require.NoError(t, err)
	var content struct {
		Text string `json:"text"`
	}
	require.NoError(t, json.Unmarshal(text, &content))
	return content.Text
}

func TestAFinalAnswerThatWasNotShown(t *testing.T) {
	t.Parallel()
	agent := build(t, host.Config{
		Model: scripted.NewTurns(scripted.Say("first"), scripted.Say("second")),
	})
	events, result, err := record(t, agent, host.Input{Messages: []abi.Message{abi.Human("how?")}})
	require.NoError(t, err)
	var u updates.Translator
	require.Equal(t, "first", shown(t, u.Over(result)[0]), "no event was seen")
	lines(t, &u, events)
	require.Empty(t, u.Over(result))
	events, _, err = record(t, agent, host.Input{Messages: []abi.Message{abi.Human("and?")}})
	require.NoError(t, err)
	lines(t, &u, events)
	require.Contains(t, shown(t, u.Over(result)[0]), "The answer was changed")
}

func TestUsage(t *testing.T) {
	t.Parallel()
	used := said("a")
	used.Usage = &abi.Usage{InputTokens: 30, OutputTokens: 12}
	u := updates.Translator{Window: 1000}
	require.Contains(t, lines(t, &u, []host.Event{state(used)}), `{"sessionUpdate":"usage_update","used":42,"size":1000}`)
	line, err := json.Marshal(u.Spent(&protocol.Cost{Amount: "0.5", Currency: "USD"}))
	require.NoError(t, err)
	require.JSONEq(t, `[{"sessionUpdate":"usage_update","used":42,"size":1000,"cost":{"amount":0.5,"currency":"USD"}}]`, string(line))
	unknown := updates.Translator{}
	require.Len(t, lines(t, &unknown, []host.Event{state(used)}), 1, "nobody knows the size of the context")
}

func TestARejectedCall(t *testing.T) {
	t.Parallel()
	review := &builtin.HumanInTheLoop{InterruptOn: map[string]builtin.ReviewPolicy{"weather": builtin.AnyDecision()}}
	agent := build(t, host.Config{
		Model: scripted.NewTurns(scripted.CallTools(abi.Call("1", "weather", map[string]any{"city": "Oslo"})), scripted.Say("Well.")),
		Tools: []host.Tool{weather}, Middleware: []host.Middleware{review}, Checkpointer: memory.New(),
	})
	events, result, err := record(t, agent, host.Input{Thread: "t", Messages: []abi.Message{abi.Human("how?")}})
	require.NoError(t, err)
	var u updates.Translator
	got := lines(t, &u, events)
	id := u.CallID("1")
	require.NotEqual(t, "1", id)
	reject := map[string]any{"decisions": []any{map[string]any{"type": "reject"}}}
	events, _, err = record(t, agent, host.Input{Thread: "t", Resume: []host.Answer{{Interrupt: result.Interrupts[0].ID, Value: reject}}})
	require.NoError(t, err)
	got = append(got, lines(t, &u, events)...)
	require.Contains(t, got[1], `"toolCallId":"`+id+`","status":"failed"`)
	require.Len(t, got, 3, "%s", got)

	at, err := agent.State(t.Context(), "t", 0)
	require.NoError(t, err)
	var again updates.Translator
	var past []string
	require.NoError(t, again.History(at, func(update *protocol.Update) error {
		line, err := json.Marshal(update)
		past = append(past, string(line))
		return err
	}))
	require.Equal(t, got, past[1:], "the history shows what the run showed")
	require.Contains(t, past[0], `"user_message_chunk"`)
	require.Equal(t, id, again.CallID("1"))
}

func TestAgentsInsideTools(t *testing.T) {
	t.Parallel()
	inner := build(t, host.Config{
		Name: "helper", Tools: []host.Tool{weather},
		Model: scripted.NewTurns(scripted.CallTools(abi.Call("1", "weather", map[string]any{"city": "broken"}))),
	})
	helper, err := tool.Agent("helper", "Helps.", inner)
	require.NoError(t, err)
	agent := build(t, host.Config{
		Model: scripted.NewTurns(scripted.CallTools(abi.Call("1", "helper", map[string]any{"prompt": "go"}))), Tools: []host.Tool{helper},
	})
	events, _, err := record(t, agent, host.Input{Messages: []abi.Message{abi.Human("how?")}})
	require.Error(t, err)
	var u updates.Translator
	got := stable(lines(t, &u, events))
	require.Contains(t, got, `"toolCallId":"1/run/1","name":"weather"`)
	require.Contains(t, got, `"title":"helper: weather"`)
	require.Contains(t, got, `"toolCallId":"1/run/1","status":"failed"`)
}

func FuzzTranslator(f *testing.F) {
	f.Add([]byte(`{"type":"token","text":"a"}` + "\n" + `{"type":"state","messages":[{"role":"ai","content":"a","tool_calls":[{"id":"1","name":"x","args":{}}]}]}`))
	f.Add([]byte(`{"type":"tool","call":{"id":"1","name":"x","args":{}}}` + "\n" + `{"type":"custom","name":"agent","data":{"agent":"a","event":{"type":"tool"}}}`))
	f.Add([]byte(`{"type":"state","state":{"todos":[{"content":"a"},1]}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var events []host.Event
		for line := range strings.Lines(string(text)) {
			var e host.Event
			if json.Unmarshal([]byte(line), &e) == nil {
				events = append(events, e)
			}
		}
		lines(t, &updates.Translator{Window: 10}, events)
	})
}
