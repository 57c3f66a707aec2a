package protocol

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/runs"
)

// Config says what a [Translator] translates.
type Config struct {
	Thread string // as the client named it
	Run    string // as the client named it
	Parent string // the run that spawned it, as the client named it; "": none
	// Older says that the client speaks the protocol before 1.0. Its parsers refuse what they do not know: the outcome cancelled, the ids of calls
	// that wait, and results that are more than a text.
	Older bool
	// Known are the ids of the messages that the client has sent.
	Known  map[string]bool
	Hidden func(field string) bool // fields that clients do not see; nil: none
}

// Translator translates the events of one run. It must not be used by two goroutines at once.
type Translator struct {
	config  Config
	attempt int
	begun   bool  // the state where the run began is known
	now     state // what the client is to see
	saved   state // at the last checkpoint
	main    *level
	used    map[string]int  // how often the id of such an agent was used
	started []startedCall   // the calls that were shown, in their order
	results map[string]bool // calls whose result was shown
	usage   usage
	end     *host.Event // the last event of the agent's run; nil: it has not come

	time int64 // of the present event, in milliseconds
	out  []json.RawMessage
}

// level is the run, or an agent that runs inside it as a tool.
type level struct {
	id     string // of an agent inside; "": the run itself
	parent *level // nil: the run itself
	step   string // that is open; "": none
	writer writer
	nested map[string]*level // agents inside this one, by their calls
}

// startedCall is a call that was shown, of the agent inside the run that sub names.
type startedCall struct{ id, sub string }

// New returns a translator.
func New(config Config) *Translator {
	if config.Hidden == nil {
		config.Hidden = func(string) bool { return false }
	}
	t := &Translator{config: config, used: map[string]int{}, results: map[string]bool{}, now: stateOf(nil, nil)}
	t.main = newLevel("", nil)
	return t
}

func newLevel(id string, parent *level) *level {
	return &level{id: id, parent: parent, nested: map[string]*level{}, writer: writer{shown: map[string]*shownAnswer{}}}
}

// Start returns the first frame.
func (t *Translator) Start(now time.Time) []json.RawMessage {
	t.take(now)
	f := frame{"threadId": t.config.Thread, "runId": t.config.Run, "protocolVersion": Version}
	if t.config.Parent != "" {
		f["parentRunId"] = t.config.Parent
	}
	t.emit(runStarted, "", f)
	return t.out
}

// take begins to collect the frames of something that happened at a time.
func (t *Translator) take(now time.Time) {
	t.out, t.time = nil, 0
	if !now.IsZero() {
		t.time = now.UnixMilli()
	}
}

// Before tells what the thread held where the run began; nil is nothing. It must be called once, before Translate.
func (t *Translator) Before(s *host.Snapshot) {
	t.now = stateOf(s, t.config.Hidden)
	t.saved = t.now
}

// Translate returns the frames of an event. The error says that the event cannot be read.
func (t *Translator) Translate(e *runs.Event) ([]json.RawMessage, error) {
	t.take(e.Time)
	event, err := e.Host()
	if err != nil {
		return nil, err
	}
	if !t.begun {
		t.begun = true
		t.showState()
	}
	if n := e.Attempt(); n > t.attempt {
		if t.attempt > 0 {
			t.goBack()
		}
		t.attempt = n
	}
	t.event(t.main, event)
	return t.out, nil
}

// goBack makes void what the attempt before did after its last checkpoint.
func (t *Translator) goBack() {
	t.main.writer.forget(t, t.main)
	t.leaveAll(t.main, "the run goes on from its last checkpoint")
	t.now, t.end = t.saved, nil
	t.showState()
	t.showMessages()
}

// event adds the frames of an event.
func (t *Translator) event(l *level, e *host.Event) {
	switch e.Type {
	case host.EventStep:
		t.finishStep(l)
		t.startStep(l, e.Step)
	case host.EventToken:
		l.writer.token(t, l, e)
	case host.EventModel:
		t.usage.add(e)
		l.writer.whole(t, l, e)
	case host.EventTool:
		if l.parent != nil {
			t.nestedResult(l, e)
		}
	case host.EventState:
		if l.parent == nil {
			t.change(e)
		}
	case host.EventCheckpoint:
		if l.parent == nil {
			t.saved = t.now
		}
	case host.EventCustom:
		t.custom(l, e)
	case host.EventWarn:
		t.emit(customEvent, l.id, frame{"name": "warn", "value": told{Step: e.Step, Text: e.Text}})
	case host.EventAlert:
		t.emit(customEvent, l.id, frame{"name": "alert", "value": told{Step: e.Step, Text: e.Text, Call: callOf(e)}})
	case host.EventEnd:
		if l.parent != nil {
			t.leave(l, e)
		} else {
			t.end = e
		}
	case host.EventRun, host.EventHook, host.EventModelRequest:
	}
}

// told is the value of the custom events warn and alert.
type told struct {
	Step string `json:"step,omitempty"`
	Text string `json:"text"`
	Call string `json:"toolCallId,omitempty"`
}

func callOf(e *host.Event) string {
	if e.Call == nil {
		return ""
	}
	return e.Call.ID
}

// OnInterrupt is the name of the custom event by which CopilotKit learns of a question.
const OnInterrupt = "on_interrupt"

// custom shows what a hook or tool reported. No report passes for a question of the run.
func (t *Translator) custom(l *level, e *host.Event) {
	if t.inside(l, e) {
		return
	}
	name := e.Name
	if name == OnInterrupt {
		name = "custom/" + name
	}
	t.emit(customEvent, l.id, frame{"name": name, "value": json.RawMessage(e.Data.JSON())})
}

// inputStep is the step of the event that shows what the input changed.
const inputStep = "input"

// change shows what a step changed.
func (t *Translator) change(e *host.Event) {
	before := t.now
	t.now = t.now.apply(e, t.config.Hidden)
	if patch := diff(before.fields, t.now.fields); len(patch) > 0 {
		t.emit(stateDelta, "", frame{"delta": patch})
	}
	w := &t.main.writer
	w.finish(t, t.main, nil)
	stale := e.Reset || len(e.Remove) > 0 || len(e.Patch) > 0
	for i := range e.Messages {
		m := &e.Messages[i]
		switch {
		case t.config.Known[m.ID] || m.ID == ContextID:
		case m.Role == abi.RoleAI && e.Step != inputStep:
			stale = !w.settle(t, t.main, m) || stale
		case m.Role == abi.RoleTool && e.Step != inputStep:
			t.result("", m)
		default:
			stale = true
		}
	}
	if w.dropUnsettled(func(id string) bool { return t.now.message(id) != nil }) || stale {
		t.showMessages()
	}
}

// result shows the result of a call, under the id that its message has in the thread.
func (t *Translator) result(sub string, m *abi.Message) {
	if t.results[m.ID] {
		return
	}
	t.results[m.ID], t.results["call/"+m.ToolCallID] = true, true
	t.emit(callResult, sub, frame{"messageId": m.ID, "toolCallId": m.ToolCallID, "content": t.resultOf(m), "role": RoleTool})
}

// resultOf returns the content of a result.
func (t *Translator) resultOf(m *abi.Message) any {
	if t.config.Older {
		return m.Content.Text()
	}
	return shown(m.Content)
}

// showState shows the fields.
func (t *Translator) showState() { t.emit(stateSnapshot, "", frame{"snapshot": t.now.fields}) }

// showMessages shows all messages, in place of what the client has.
func (t *Translator) showMessages() {
	t.answerVoid(nil)
	t.emit(messagesSnapshot, "", frame{"messages": t.messages()})
}

// answerVoid answers the calls that were shown and are not asked for any more: clients take calls without a result for theirs. With a list of the
// calls that wait, it answers all others.
func (t *Translator) answerVoid(waiting *[]string) {
	for _, c := range t.started {
		switch {
		case t.results["call/"+c.id]:
			continue
		case waiting != nil && slices.Contains(*waiting, c.id):
			continue
		case waiting == nil && (c.sub != "" || t.now.caller(c.id) != nil):
			continue
		}
		t.results["call/"+c.id] = true
		t.emit(callResult, c.sub, frame{"messageId": c.id + "/void", "toolCallId": c.id, "content": "This call was not performed.", "role": RoleTool})
	}
}
