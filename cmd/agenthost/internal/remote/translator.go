package remote

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/server/client"
)

// translator makes the events of a run out of those of its stream.
type translator struct {
	thread string
	input  []abi.Message // what the run begins with
	handle func(host.Event) error

	refused error  // by handle, which gets no more events
	run     string // the id of the run; "": it has not begun
	seq     uint64
	step    string // that which is performed
	message string // id of the message that the model is writing
	index   int    // of that message in its step
	calls   map[string]*abi.ToolCall

	steps      int
	usage      abi.Usage
	stopReason string // of the last answer
	failed     bool   // the last answer reports a failure of the model
}

// emit reports an event.
func (t *translator) emit(e host.Event) error {
	t.seq++
	e.Seq, e.Time, e.Run, e.Thread = t.seq, time.Now(), t.run, t.thread
	t.refused = t.handle(e)
	return t.refused
}

// event translates an event of the stream.
func (t *translator) event(e *client.Event) error {
	switch e.Name {
	case "metadata":
		return t.begin(e.Data)
	case "messages":
		return t.piece(e.Data)
	case "updates":
		return t.updates(e.Data)
	case "custom":
		data, err := wire.FromJSON(e.Data, wire.DefaultLimits)
		if err != nil {
			return t.emit(host.Event{Type: host.EventWarn, Step: t.step, Text: "an event of the agent cannot be shown: " + err.Error()})
		}
		return t.emit(host.Event{Type: host.EventCustom, Step: t.step, Name: "custom", Data: data})
	default: // of a mode that was not asked for, or a later one
		return nil
	}
}

func (t *translator) begin(data json.RawMessage) error {
	var named struct {
		Run string `json:"run_id"`
	}
	if err := json.Unmarshal(data, &named); err != nil {
		return fmt.Errorf("an event of the run cannot be read: %w", err)
	}
	if named.Run == "" || t.run != "" { // another replica goes on with the run
		return nil
	}
	t.run = named.Run
	return t.emit(host.Event{Type: host.EventRun, Messages: t.input})
}

// enter reports that a step begins, unless it is performed already.
func (t *translator) enter(step string) error {
	if step == "" || step == t.step {
		return nil
	}
	t.step, t.message, t.index = step, "", 0
	t.steps++
	return t.emit(host.Event{Type: host.EventStep, Step: step, Index: t.steps})
}

// piece reports a piece of an answer. Whole messages come again with what their step changed.
func (t *translator) piece(data json.RawMessage) error {
	piece, err := client.ReadPiece(data)
	if err != nil {
		return err
	}
	if piece.Whole {
		return nil
	}
	if err := t.enter(piece.Step); err != nil {
		return err
	}
	m := &piece.Message
	if t.message != m.ID {
		t.message = m.ID
		t.index++
	}
	for _, block := range m.Content.Blocks() {
		e := host.Event{Type: host.EventToken, Step: t.step, Index: t.index, Message: m.ID}
		switch block.Type() {
		case abi.BlockText, abi.BlockRefusal:
			e.Text = block.Text()
		case abi.BlockReasoning:
			e.Reasoning = block.Text()
		default:
			continue
		}
		if e.Text+e.Reasoning == "" {
			continue
		}
		if err := t.emit(e); err != nil {
			return err
		}
	}
	return nil
}

// updates reports what a step changed.
func (t *translator) updates(data json.RawMessage) error {
	doc, err := wire.FromJSON(data, wire.Limits{MaxBytes: len(data) + 1, MaxNodes: 1 << 19})
	if err != nil {
		return fmt.Errorf("an event of the run cannot be read: %w", err)
	}
	for name, update := range doc.Pairs() {
		step := string(name)
		if step == interruptKey {
			continue // the result has them
		}
		if err := t.update(step, update); err != nil {
			return err
		}
	}
	return nil
}

func (t *translator) update(step string, update wire.Raw) error {
	if err := t.enter(step); err != nil {
		return err
	}
	e := host.Event{Type: host.EventState, Step: step}
	for name, value := range update.Pairs() {
		if key := string(name); key != messagesKey {
			e.State = e.State.With(wire.Map{{Key: key, Value: value}})
			continue
		}
		read, err := client.ReadMessages(json.RawMessage(value.JSON()))
		if err != nil {
			return err
		}
		e.Messages, e.Remove, e.Reset = read.Messages, read.Remove, read.Reset
	}
	if !e.Reset {
		for i := range e.Messages {
			if err := t.added(step, &e.Messages[i]); err != nil {
				return err
			}
		}
	}
	t.step = "" // a loop may come to the same step next
	if len(e.Messages)+len(e.Remove)+len(e.State) == 0 && !e.Reset {
		return nil
	}
	return t.emit(e)
}

// added reports what a new message is about.
func (t *translator) added(step string, m *abi.Message) error {
	switch m.Role {
	case abi.RoleAI:
		return t.answered(step, m)
	case abi.RoleTool:
		call := t.calls[m.ToolCallID]
		if call == nil {
			call = &abi.ToolCall{ID: m.ToolCallID, Name: m.Name}
		}
		if err := t.emit(host.Event{Type: host.EventTool, Step: step, Call: call}); err != nil {
			return err
		}
		return t.emit(host.Event{Type: host.EventTool, Step: step, Call: call, Messages: []abi.Message{*m}})
	default:
		return nil
	}
}

// asked notes which tools a message calls.
func (t *translator) asked(m *abi.Message) {
	if t.calls == nil {
		t.calls = map[string]*abi.ToolCall{}
	}
	for i := range m.ToolCalls {
		t.calls[m.ToolCalls[i].ID] = &m.ToolCalls[i]
	}
}

// answered reports an answer of the model, and warns if it is not complete.
func (t *translator) answered(step string, m *abi.Message) error {
	t.asked(m)
	if m.Usage != nil {
		t.usage = t.usage.Add(*m.Usage)
	}
	t.stopReason = ""
	for _, key := range []string{"stop_reason", "finish_reason"} { // as agenthost and as LangChain's integrations name it
		if reason, ok := m.Meta.Get(key).AsString(); ok {
			t.stopReason = cmp.Or(t.stopReason, reason)
		}
	}
	ending := model.EndingOf(t.stopReason)
	t.failed = ending == model.Broken
	if err := t.emit(host.Event{Type: host.EventModel, Step: step, Messages: []abi.Message{*m}}); err != nil || ending == model.Complete {
		return err
	}
	text := fmt.Sprintf("the answer is not complete (stop reason %q): %s", strings.ToLower(t.stopReason), ending.Explain())
	return t.emit(host.Event{Type: host.EventWarn, Step: step, Text: text})
}

// end reports that the run is over.
func (t *translator) end(r *host.Result, err error) error {
	if t.refused != nil {
		return nil //nolint:nilerr // the caller has it
	}
	e := host.Event{Type: host.EventEnd, Status: r.Status, Next: r.Next, Interrupts: r.Interrupts}
	if err != nil {
		document := host.ErrorDocument(err)
		e.Error = &host.EventError{Type: document.Type, Message: document.Message}
	}
	return t.emit(e)
}
