package frames

import (
	"encoding/json"
	"maps"

	"github.com/google/uuid"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/runs"
)

// Frame is one frame of a stream: the name of its event, and its data.
type Frame struct {
	Event string
	Data  json.RawMessage
}

// Config says what a [Translator] translates.
type Config struct {
	Run    *runs.Run
	Modes  []Mode
	Nested bool                    // also show agents that run as tools
	Before Content                 // what the thread held where the run began
	Input  json.RawMessage         // what the client sent; nil: nothing
	Hidden func(field string) bool // fields that clients do not see
}

// Translator translates the events of one run. It must not be used by two goroutines at once.
type Translator struct {
	config  Config
	want    map[Mode]bool
	within  string         // what the names of frames end with: the agent's call, or nothing
	common  map[string]any // the metadata that all frames of the run share
	attempt int
	opened  bool    // the state at the beginning was shown
	now     Content // the state after the last event
	saved   Content // the state at the last checkpoint
	task    *task   // the step that is being performed; nil: none
	stream  stream
	chains  *chains // nil: the mode events is not wanted
	nested  map[string]*Translator
	out     []Frame
}

// New returns a translator.
func New(config Config) *Translator {
	if config.Hidden == nil {
		config.Hidden = func(string) bool { return false }
	}
	t := &Translator{config: config, want: map[Mode]bool{}, now: config.Before, saved: config.Before, nested: map[string]*Translator{}}
	for _, mode := range config.Modes {
		t.want[mode] = true
	}
	t.common = map[string]any{}
	maps.Copy(t.common, config.Run.Metadata)
	t.common["run_id"], t.common["thread_id"], t.common["run_attempt"] = config.Run.ID, config.Run.Thread, 1
	t.common["graph_id"], t.common["assistant_id"] = config.Run.Agent, config.Run.Assistant
	if t.want[Events] {
		t.chains = newChains(t)
	}
	return t
}

// Translate returns the frames of an event. The error says that the event cannot be read.
func (t *Translator) Translate(e *runs.Event) ([]Frame, error) {
	t.out = nil
	if n := e.Attempt(); n > t.attempt {
		t.begin(n)
	}
	if e.Type == runs.TypeToken && !t.want[Messages] && !t.want[MessagesTuple] && !t.want[Events] {
		return t.out, nil
	}
	event, err := e.Host()
	if err != nil {
		return nil, err
	}
	t.event(event)
	return t.out, nil
}

// begin begins an attempt. What the one before it did after its last checkpoint is void.
func (t *Translator) begin(attempt int) {
	t.attempt, t.now, t.task, t.stream = attempt, t.saved, nil, stream{}
	t.common["run_attempt"] = attempt
	clear(t.nested)
	t.emit("metadata", map[string]any{"run_id": t.config.Run.ID, "attempt": attempt})
}

// emit adds a frame. Values that could not be encoded do not occur: they are texts in JSON, or made here.
func (t *Translator) emit(event string, data any) {
	text, ok := data.(json.RawMessage)
	if !ok {
		var err error
		if text, err = json.Marshal(data); err != nil {
			text, _ = json.Marshal(map[string]string{"error": "an event cannot be shown", "message": err.Error()}) //nolint:errchkjson // they are texts
		}
	}
	t.out = append(t.out, Frame{Event: event + t.within, Data: text})
}

func (t *Translator) event(e *host.Event) {
	if e.Type != host.EventRun && (e.Type != host.EventState || e.Step != inputStep) {
		t.open(e)
	}
	switch e.Type {
	case host.EventRun:
	case host.EventStep:
		t.finish(nil)
		t.start(e)
	case host.EventToken:
		t.token(e)
	case host.EventModel:
		t.answered(e)
	case host.EventTool:
		t.chains.called(e)
	case host.EventState:
		t.changed(e)
	case host.EventCheckpoint:
		if t.task != nil && e.Step == t.task.name {
			t.finish(nil)
		}
		t.saved = t.now
		t.checkpoint(e)
	case host.EventCustom:
		t.custom(e)
	case host.EventEnd:
		t.end(e)
	case host.EventHook, host.EventModelRequest, host.EventWarn, host.EventAlert:
	}
}

// inputStep is the step of the event that shows what the input changed.
const inputStep = "input"

// open shows the state where a run goes on that got no new input.
func (t *Translator) open(e *host.Event) {
	if t.opened {
		return
	}
	t.opened = true
	if e.Type == host.EventEnd && e.Error != nil { // it has not begun
		return
	}
	t.values()
	t.chains.began()
}

func (t *Translator) values() {
	if t.want[Values] {
		t.emit("values", t.now)
	}
}

// changed shows what a step, or the input, changed.
func (t *Translator) changed(e *host.Event) {
	u := updateOf(e, t.now.form)
	t.now = t.now.apply(u, t.config.Hidden)
	if e.Step == inputStep {
		t.opened = true
		t.values()
		t.chains.began()
		return
	}
	result := u.result(t.config.Hidden)
	if len(result) == 0 { // only fields changed that clients do not see
		t.finish(nil)
		return
	}
	t.whole(u)
	t.finish(result)
	t.values()
}

func (t *Translator) custom(e *host.Event) {
	if t.nestedEvent(e) || !t.want[Custom] {
		return
	}
	t.emit("custom", json.RawMessage(e.Data.JSON()))
}

// end shows why a run ended. One that somebody cancelled ends without a frame.
func (t *Translator) end(e *host.Event) {
	switch e.Status {
	case host.Cancelled:
		t.task = nil
		return
	case host.Interrupted:
		if t.task != nil && t.task.name != e.Next { // a breakpoint after it
			t.finish(nil)
		}
		asked := interrupts(e.Interrupts)
		t.stop(asked, nil)
		if t.want[Updates] {
			t.emit("updates", map[string]any{"__interrupt__": asked})
		}
		if t.want[Values] && len(asked) > 0 {
			t.emit("values", t.now.With("__interrupt__", asked))
		}
	case host.Failed:
		if e.Error != nil {
			t.stop(nil, e.Error.Message)
			if t.within == "" {
				t.emit("error", map[string]string{"error": e.Error.Type, "message": e.Error.Message})
			}
		}
		return
	default:
		t.finish(nil)
	}
	t.chains.ended()
}

// interrupt is a question as clients see it.
type interrupt struct {
	Value          json.RawMessage `json:"value"`
	ID             string          `json:"id"`
	ResponseSchema json.RawMessage `json:"response_schema"`
}

func interrupts(asked []host.Interrupt) []interrupt {
	out := make([]interrupt, len(asked))
	for i := range asked {
		out[i] = interrupt{Value: json.RawMessage(asked[i].Value.JSON()), ID: asked[i].ID, ResponseSchema: json.RawMessage("null")}
	}
	return out
}

// metadata returns the metadata of frames about the step that is being performed.
func (t *Translator) metadata() map[string]any {
	out := make(map[string]any, len(t.common)+8)
	maps.Copy(out, t.common)
	if t.task != nil {
		t.task.describe(out, t.within)
	}
	return out
}

// id returns an id that is the same whenever the run is translated again.
func (t *Translator) id(of string) string {
	space, err := uuid.Parse(t.config.Run.ID)
	if err != nil {
		space = uuid.NewSHA1(uuid.NameSpaceOID, []byte(t.config.Run.ID))
	}
	return uuid.NewSHA1(space, []byte(t.within+"/"+of)).String()
}
