package protocol

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/server/internal/langchain"
	"github.com/agenthost/agenthost/server/langgraph/internal/frames"
)

// Config says what a [Translator] translates.
type Config struct {
	Run    *runs.Run
	Wanted Union                   // which frames are returned; the places of these do not depend on it
	Before frames.Content          // what the thread held where the run began, for the channel values; its messages have the form of [Form]
	Hidden func(field string) bool // fields that clients do not see; nil: none
}

// Form returns a message in the form that it has in the protocol.
func Form(m *abi.Message) json.RawMessage { return langchain.BlockMessage(m) }

// Translator translates the events of one run. It must not be used by two goroutines at once.
type Translator struct {
	config    Config
	namespace []string // of the frames; nil: the run itself
	graph     string   // name of the agent
	attempt   int
	ended     bool // the end of the run was told
	changed   bool // the state changed since it was shown last
	now       frames.Content
	saved     frames.Content // the state at the last checkpoint
	step      *step          // that is being performed; nil: none
	messages  messages
	nested    map[string]*Translator

	shared *output
}

// output is what one event leads to. Nested translators share it.
type output struct {
	place  Place // of the next frame
	time   time.Time
	node   string // the step that the event belongs to
	frames []Frame
}

// New returns a translator.
func New(config Config) *Translator {
	if config.Hidden == nil {
		config.Hidden = func(string) bool { return false }
	}
	return &Translator{
		config: config, graph: config.Run.Agent, now: config.Before, saved: config.Before, nested: map[string]*Translator{}, shared: &output{},
		messages: messages{sent: map[string]bool{}},
	}
}

// Translate returns the frames of an event that are wanted. The error says that the event cannot be read.
func (t *Translator) Translate(e *runs.Event) ([]Frame, error) {
	*t.shared = output{place: Place{Run: t.config.Run.Number, Event: e.Seq}, time: e.Time}
	if n := e.Attempt(); n > t.attempt {
		t.begin(n)
	}
	if e.Token() && !t.config.Wanted.WantsChannel(Messages) { // nothing else follows from it
		return t.shared.frames, nil
	}
	event, err := e.Host()
	if err != nil {
		return nil, err
	}
	t.event(event)
	return t.shared.frames, nil
}

// End returns the frame that says how a run ended whose events do not say it, such as one that took too long or was cancelled.
func (t *Translator) End(run *runs.Run) []Frame {
	*t.shared = output{place: Place{Run: t.config.Run.Number, Event: Over}, time: run.Updated}
	if t.ended {
		return nil
	}
	switch {
	case run.Failure != nil:
		t.lifecycle("failed", run.Failure.Message)
	case run.Status == runs.Success:
		t.lifecycle("completed", "")
	default:
		t.lifecycle("interrupted", "")
	}
	return t.shared.frames
}

// begin begins an attempt. What the one before it did after its last checkpoint is void.
func (t *Translator) begin(attempt int) {
	t.messages.cut(t, "the run goes on from its last checkpoint")
	t.lifecycle("running", "")
	t.attempt, t.now, t.step, t.changed = attempt, t.saved, nil, true
	clear(t.nested)
}

// emit adds a frame if it is wanted. Its place counts in any case. data makes the data: a value in JSON.
func (t *Translator) emit(method, channel string, namespace []string, data func() any) {
	place := t.shared.place
	t.shared.place.Index++
	if !t.config.Wanted.Wants(channel, namespace) {
		return
	}
	text, err := json.Marshal(data())
	if err != nil { // it is made of texts in JSON and of plain values
		text = json.RawMessage("null")
	}
	f := Frame{Place: place, Method: method, Channel: channel, Namespace: namespace, Time: t.shared.time, Data: text}
	if channel == Messages || channel == Tools {
		f.Node = t.shared.node
	}
	t.shared.frames = append(t.shared.frames, f)
}

// tell adds a frame of a channel whose method has the same name.
func (t *Translator) tell(channel string, data func() any) {
	t.emit(channel, channel, t.namespace, data)
}

// event adds the frames of an event. Those of the channel messages are the last ones: whoever does not want them need not know how many they are.
func (t *Translator) event(e *host.Event) {
	t.shared.node = e.Step
	switch e.Type {
	case host.EventRun:
		t.answered(e)
	case host.EventStep:
		t.show()
		t.finish(nil)
		t.start(e)
	case host.EventToken:
		t.messages.token(t, e)
	case host.EventModel:
		t.messages.whole(t, e)
	case host.EventTool:
		t.tool(e)
	case host.EventState:
		t.change(e)
	case host.EventCheckpoint:
		t.checkpoint(e)
	case host.EventCustom:
		t.custom(e)
	case host.EventEnd:
		t.end(e)
	case host.EventHook, host.EventModelRequest, host.EventWarn, host.EventAlert:
	}
}

// answered tells which questions are answered, so that other clients stop offering them.
func (t *Translator) answered(e *host.Event) {
	if len(e.Answers) == 0 || t.namespace != nil {
		return
	}
	t.emit("input.answered", Input, t.namespace, func() any {
		ids := make([]string, len(e.Answers))
		for i := range e.Answers {
			ids[i] = e.Answers[i].Key
		}
		return map[string]any{"interrupt_ids": ids}
	})
}

// inputStep is the step of the event that shows what the input changed.
const inputStep = "input"

// change shows what a step changed. The state follows the checkpoint, as clients want it.
func (t *Translator) change(e *host.Event) {
	if t.config.Wanted.WantsChannel(Values) {
		t.now = t.now.Apply(e, t.config.Hidden)
	}
	t.changed = true
	if e.Step != inputStep {
		changes := func() map[string]any { return frames.Changes(e, Form, t.config.Hidden) }
		t.tell(Updates, func() any { return map[string]any{"node": e.Step, "values": changes()} })
		t.finish(changes)
	}
	t.messages.added(t, e)
}

// checkpoint shows that the thread was saved, and then its state: clients take them for a pair.
func (t *Translator) checkpoint(e *host.Event) {
	if t.step != nil && t.step.name == e.Step {
		t.finish(nil)
	}
	t.saved = t.now
	t.tell(Checkpoints, func() any {
		return map[string]any{
			"id": frames.CheckpointID(e.Checkpoint), "parent_id": frames.CheckpointID(e.Parent), "step": int64(e.Checkpoint) - 1,
			"source": frames.Source(e.Source),
		}
	})
	t.show()
}

// show shows the state if it changed. Nothing is known of the state of an agent that runs as a tool.
func (t *Translator) show() {
	if t.changed && t.namespace == nil {
		t.tell(Values, func() any { return t.now })
	}
	t.changed = false
}

func (t *Translator) custom(e *host.Event) {
	if t.nestedEvent(e) {
		return
	}
	channel := Custom
	if e.Name != "" {
		channel += ":" + e.Name
	}
	t.emit(Custom, channel, t.namespace, func() any {
		return map[string]any{"name": e.Name, "payload": json.RawMessage(e.Data.JSON())}
	})
}

// end tells how the run ended. One that was cut off may go on elsewhere, or have taken too long: that is known when it is over.
func (t *Translator) end(e *host.Event) {
	t.ended = e.Status != host.Cancelled
	t.show()
	why := "the run has ended"
	switch e.Status {
	case host.Failed:
		if e.Error != nil {
			why = e.Error.Message
		}
		t.messages.cut(t, why)
		t.stop(nil, why)
		t.lifecycle("failed", why)
	case host.Interrupted:
		t.messages.cut(t, why)
		t.stop(e.Interrupts, nil)
		t.ask(e.Interrupts)
		t.lifecycle("interrupted", "")
	case host.Cancelled:
		t.messages.cut(t, "the run was cancelled")
		t.step = nil
		if t.namespace != nil {
			t.lifecycle("interrupted", "")
		}
	default:
		t.messages.cut(t, why)
		t.finish(nil)
		t.lifecycle("completed", "")
	}
}

// ask tells what a person must answer. The questions of an agent that runs as a tool are those of the run.
func (t *Translator) ask(questions []host.Interrupt) {
	if t.namespace != nil {
		return
	}
	for i := range questions {
		t.emit("input.requested", Input, nil, func() any {
			value := json.RawMessage(questions[i].Value.JSON())
			return map[string]any{"interrupt_id": questions[i].ID, "payload": value, "value": value} // the SDK for Python reads value
		})
	}
}

// lifecycle tells that the run, or an agent that runs as a tool, began or ended.
func (t *Translator) lifecycle(event, failure string) {
	t.tell(Lifecycle, func() any {
		out := map[string]any{"event": event, "graph_name": t.graph}
		if failure != "" {
			out["error"] = failure
		}
		return out
	})
}

// within returns the namespace of something in the translator's.
func (t *Translator) within(segment string) []string {
	return append(slices.Clone(t.namespace), segment)
}

// id returns an id that is the same whenever the run is translated again.
func (t *Translator) id(of string) string {
	space, err := uuid.Parse(t.config.Run.ID)
	if err != nil {
		space = uuid.NewSHA1(uuid.NameSpaceOID, []byte(t.config.Run.ID))
	}
	for _, segment := range t.namespace {
		of = segment + "|" + of
	}
	return uuid.NewSHA1(space, []byte(of)).String()
}
