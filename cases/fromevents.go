package cases

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/question"
	"github.com/agenthost/agenthost/internal/yamltext"
)

// Options are options for making a case.
type Options struct {
	Description string
	Manifest    string // the path of the agent's manifest, relative to the file of the case; "": ../agenthost.yaml
	// Models are the manifest's keys of its named models, by the names of the models as events show them. The answers of other models than
	// the agent's own are left out if their model has no key here; then the manifest's model of that name answers.
	Models map[string]string
	// Stub reports whether the tool with this name does not run in the case: its recorded results take the place of it. nil: every tool runs.
	Stub func(tool string) bool
}

// ErrNoTurn means that a recording has no input of a user.
var ErrNoTurn = errors.New("the recording has no run that starts with a message of a user")

// FromEvents makes a case of the events of one or several runs of a thread, in their order: the inputs, the answers to interrupts, the
// models' answers as scripts, and as what is expected: the status, the tool calls and the last message. It returns the text of a file,
// which [Load] can read.
func FromEvents(events []host.Event, o Options) ([]byte, error) {
	r := &reader{options: &o, named: map[string][]wire.Raw{}}
	for i := range events {
		r.event(&events[i])
	}
	if len(r.turns) == 0 {
		return nil, ErrNoTurn
	}
	text := r.text()
	if _, err := parse("the case", text); err != nil {
		return nil, fmt.Errorf("the recording cannot be written as a case: %w", err)
	}
	return text, nil
}

// reader collects what a case needs from events.
type reader struct {
	options *Options
	turns   []*recordedTurn
	script  []wire.Raw            // answers of the agent's model
	named   map[string][]wire.Raw // answers of other models, by their keys
	tools   wire.Map              // results of tools, by their names

	asked []host.Interrupt // that the last run waits for
	next  string           // the step before which the last run stopped
}

// recordedTurn is a turn of a recording.
type recordedTurn struct {
	input   string
	state   wire.Map
	answers []wire.Raw
	added   []abi.Message
	end     host.Event
}

func (r *reader) event(e *host.Event) {
	if e.Type == host.EventRun {
		r.run(e)
		return
	}
	if len(r.turns) == 0 {
		return
	}
	turn := r.turns[len(r.turns)-1]
	switch e.Type {
	case host.EventModel:
		r.model(e)
	case host.EventTool:
		r.tool(e)
	case host.EventState:
		if e.Step == "input" {
			turn.state = turn.state.With(e.State)
			break
		}
		turn.add(e.Messages)
	case host.EventEnd:
		turn.end, r.asked, r.next = *e, e.Interrupts, e.Next
	default: // the other events repeat what these say
	}
}

// run begins a turn, or goes on with one.
func (r *reader) run(e *host.Event) {
	if len(e.Messages) > 0 {
		said := make([]string, 0, len(e.Messages))
		for i := range e.Messages {
			said = append(said, e.Messages[i].Content.Text())
		}
		r.turns = append(r.turns, &recordedTurn{input: strings.Join(said, "\n")})
		return
	}
	if len(r.turns) == 0 {
		return
	}
	turn := r.turns[len(r.turns)-1]
	if len(e.Answers) == 0 && len(r.asked) == 0 && turn.end.Status == host.Interrupted {
		turn.answers = append(turn.answers, wire.Map{{Key: "continue", Value: wire.String(r.next)}}.Raw())
	}
	turn.answers = append(turn.answers, r.answers(turn, e.Answers)...)
}

// add adds messages, each once.
func (t *recordedTurn) add(messages []abi.Message) {
	for i := range messages {
		known := func(m abi.Message) bool { return m.ID != "" && m.ID == messages[i].ID }
		if messages[i].Role != abi.RoleHuman && !slices.ContainsFunc(t.added, known) {
			t.added = append(t.added, messages[i])
		}
	}
}

// answers returns the answers to the interrupts of the run before, as they are in a case.
func (r *reader) answers(turn *recordedTurn, given wire.Map) (out []wire.Raw) {
	asked := make([]checkpoint.Question, len(r.asked))
	for i, in := range r.asked {
		asked[i] = checkpoint.Question{ID: in.ID, Step: in.Step, CallID: in.CallID, Key: in.Key, Value: in.Value}
	}
	for _, q := range question.Read(asked, history.Of(turn.added...)) {
		value := given.Get(q.ID)
		switch {
		case value.IsZero():
		case q.Kind == question.Review && len(q.Calls) == value.Get("decisions").Len():
			decisions, _ := value.Get("decisions").Items()
			for i, call := range q.Calls {
				out = append(out, decision(call, decisions[i]))
			}
		case len(q.Calls) == 1:
			out = append(out, decision(q.Calls[0], value))
		default:
			out = append(out, wire.Map{{Key: "answer", Value: wire.String(q.Key)}, {Key: "value", Value: value}}.Raw())
		}
	}
	return out
}

// decision returns a decision about a call as it is in a case.
func decision(call *question.Call, given wire.Raw) wire.Raw {
	kind, _ := given.Get("type").AsString()
	var out wire.Map
	out.Set(kind, wire.String(call.Name))
	if args := given.Get("edited_action").Get("args"); !args.IsZero() {
		out.Set("args", args)
	}
	if message, ok := given.Get("message").AsString(); ok {
		out.Set("message", wire.String(message))
	}
	return out.Raw()
}

// model adds the answer of a model.
func (r *reader) model(e *host.Event) {
	var turn wire.Map
	if e.Error != nil {
		turn.Set("error", wire.String(e.Error.Message))
	}
	for i := range e.Messages {
		if m := &e.Messages[i]; m.Role == abi.RoleAI {
			turn = scriptTurn(m)
		}
	}
	if len(turn) == 0 {
		turn.Set("content", wire.String(""))
	}
	if e.Step == host.ModelStep && r.options.Models[e.Model] == "" {
		r.script = append(r.script, turn.Raw())
	} else if key := r.options.Models[e.Model]; key != "" {
		r.named[key] = append(r.named[key], turn.Raw())
	}
}

// scriptTurn returns a message as a turn of a script.
func scriptTurn(m *abi.Message) (turn wire.Map) {
	if text := m.Content.Text(); text != "" {
		turn.Set("content", wire.String(text))
	}
	calls := make([]any, len(m.ToolCalls))
	for i, call := range m.ToolCalls {
		calls[i] = wire.Map{ // in the order in which people read it
			{Key: "name", Value: wire.String(call.Name)}, {Key: "id", Value: wire.String(call.ID)}, {Key: "args", Value: call.Args},
		}.Raw()
	}
	if len(calls) > 0 {
		turn.Set("tool_calls", listOf(calls))
	}
	if u := m.Usage; u != nil {
		turn.Set("usage", wire.Map{
			{Key: "input_tokens", Value: wire.Uint(u.InputTokens)}, {Key: "output_tokens", Value: wire.Uint(u.OutputTokens)},
		}.Raw())
	}
	if reason, ok := m.Meta.Get("stop_reason").AsString(); ok {
		turn.Set("stop_reason", wire.String(reason))
	}
	return turn
}

// tool adds the result of a tool that does not run in the case.
func (r *reader) tool(e *host.Event) {
	ended := len(e.Messages) > 0 || e.Error != nil
	if !ended || e.Call == nil || r.options.Stub == nil || !r.options.Stub(e.Call.Name) {
		return
	}
	result := wire.Map{{Key: "args", Value: e.Call.Args}}
	for i := range e.Messages {
		if m := &e.Messages[i]; m.Role == abi.RoleTool {
			result.Set("content", wire.String(m.Content.Text()))
		}
	}
	if e.Error != nil {
		result.Set("error", wire.String(e.Error.Message))
		result.Delete("content")
	}
	var list []any
	for item := range r.tools.Get(e.Call.Name).Elements() {
		list = append(list, item)
	}
	r.tools.Set(e.Call.Name, listOf(append(list, result.Raw())))
}

func listOf(items []any) wire.Raw {
	list, err := wire.Of(items)
	if err != nil { // the items are documents
		panic(err)
	}
	return list
}

// text returns the file.
func (r *reader) text() []byte {
	var out []byte
	put := func(key string, value wire.Raw) {
		out = append(yamltext.Append(append(yamltext.AppendKey(out, key), ':'), value, 2), '\n')
	}
	if r.options.Description != "" {
		put("description", wire.String(r.options.Description))
	}
	if r.options.Manifest != "" {
		put("manifest", wire.String(r.options.Manifest))
	}
	if len(r.script) > 0 {
		put("model", scriptOf(r.script))
	}
	var models wire.Map
	for key, turns := range r.named {
		models.Set(key, scriptOf(turns))
	}
	if len(models) > 0 {
		put("models", models.Raw())
	}
	if len(r.tools) > 0 {
		put("tools", r.tools.Raw())
	}
	out = append(out, "turns:"...)
	for _, turn := range r.turns {
		out = append(out, turn.text()...)
	}
	return append(out, '\n')
}

func scriptOf(turns []wire.Raw) wire.Raw {
	list := make([]any, len(turns))
	for i := range turns {
		list[i] = turns[i]
	}
	return wire.Map{{Key: "turns", Value: listOf(list)}}.Raw()
}

// text returns the turn as an item of a list.
func (t *recordedTurn) text() []byte {
	out := []byte("\n  - input:")
	out = yamltext.Append(out, wire.String(t.input), 6)
	put := func(key string, value wire.Raw) {
		out = yamltext.Append(append(append(append(out, "\n    "...), key...), ':'), value, 6)
	}
	if len(t.state) > 0 {
		put("state", t.state.Raw())
	}
	if len(t.answers) > 0 {
		answers := make([]any, len(t.answers))
		for i := range t.answers {
			answers[i] = t.answers[i]
		}
		put("answers", listOf(answers))
	}
	outcome := &Outcome{Status: t.end.Status, Messages: t.added}
	if t.end.Error != nil {
		outcome.Error = t.end.Error.Message
	}
	for i := range t.added {
		if t.added[i].Role == abi.RoleAI {
			outcome.Answer = t.added[i].Content.Text()
		}
	}
	out = append(out, "\n    expect:"...)
	return append(out, outcome.expectation(6)...)
}
