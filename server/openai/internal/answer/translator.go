package answer

import (
	"fmt"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/runs"
)

// Kind says what a piece is.
type Kind int

// The kinds of pieces.
const (
	Text      Kind = iota // the agent says it
	Reasoning             // the model thinks it
	Progress              // what the agent does meanwhile
)

// Piece is a piece of an answer.
type Piece struct {
	Kind    Kind
	Message string // the id of the message that it belongs to; "" for Progress
	Part    int    // rises when another message begins, or the same one anew
	Text    string
}

// Config says what a [Translator] shows while the run goes on.
type Config struct {
	Progress bool // what the agent does
	// Structured says that the agent answers with a value. Its texts are then no part of the answer.
	Structured bool
}

// Translator translates the events of one run. It must not be used by two goroutines at once.
type Translator struct {
	config  Config
	attempt int
	now     transcript // after the last event
	saved   transcript // at the last checkpoint
	end     *host.Event

	message string // the one that is being written; "": none
	index   int    // the number of its model call
	part    int
	sent    map[string]string // texts of messages that were shown, by their ids
	out     []Piece
}

// New returns a translator.
func New(config Config) *Translator { return &Translator{config: config, sent: map[string]string{}} }

// Translate returns the pieces of an event. The error says that the event cannot be read.
func (t *Translator) Translate(e *runs.Event) ([]Piece, error) {
	t.out = nil
	if n := e.Attempt(); n > t.attempt { // what the one before it did after its last checkpoint is void
		t.attempt, t.now, t.message, t.end = n, t.saved.clone(), "", nil
	}
	event, err := e.Host()
	if err != nil {
		return nil, err
	}
	switch event.Type {
	case host.EventToken:
		t.token(event)
	case host.EventModel:
		t.now.spend(event.Messages)
		t.message = ""
	case host.EventTool:
		t.tool(event)
	case host.EventState:
		t.state(event)
	case host.EventCheckpoint:
		t.saved = t.now.clone()
	case host.EventEnd:
		t.end = event
	default:
	}
	return t.out, nil
}

func (t *Translator) token(e *host.Event) {
	if t.message != e.Message || t.index != e.Index || t.part == 0 {
		t.message, t.index = e.Message, e.Index
		t.part++
		delete(t.sent, e.Message) // written anew
	}
	if e.Reasoning != "" {
		t.emit(Reasoning, e.Message, e.Reasoning)
	}
	if e.Text != "" && !t.config.Structured {
		t.sent[e.Message] += e.Text
		t.emit(Text, e.Message, e.Text)
	}
}

func (t *Translator) emit(kind Kind, message, text string) {
	t.out = append(t.out, Piece{Kind: kind, Message: message, Part: t.part, Text: text})
}

// state shows what was not shown in pieces.
func (t *Translator) state(e *host.Event) {
	added := t.now.apply(e)
	if t.config.Structured {
		return
	}
	for i := range added {
		id, said := added[i].ID, Said(&added[i])
		sent, begun := t.sent[id]
		switch {
		case said == "" || begun && sent == said:
			continue
		case begun && len(said) > len(sent) && said[:len(sent)] == sent:
			said = said[len(sent):]
		case begun: // a middleware has changed it, which only the whole answer shows
			continue
		default:
			t.part++
		}
		t.sent[id] += said
		t.emit(Text, id, said)
	}
}

// tool shows that a tool is called, and that one has failed.
func (t *Translator) tool(e *host.Event) {
	switch {
	case !t.config.Progress || e.Call == nil:
	case e.Messages == nil && e.Error == nil && e.Interrupts == nil:
		t.emit(Progress, "", fmt.Sprintf("%s %s\n", e.Call.Name, e.Call.Args.JSON()))
	case e.Error != nil:
		t.emit(Progress, "", fmt.Sprintf("%s failed: %s\n", e.Call.Name, e.Error.Message))
	}
}

// Whole returns the answer of a run that is over, as its store has it.
func (t *Translator) Whole(run *runs.Run) *Answer {
	a := &Answer{Messages: t.now.messages, Structured: t.now.structured, Usage: t.now.usage, Failure: run.Failure}
	a.Cancelled = run.Status == runs.Interrupted
	if e := t.end; e != nil {
		a.Questions, a.Calls = askedIn(e.Interrupts)
		if e.Status == host.Failed && a.Failure == nil && e.Error != nil {
			a.Failure = &runs.Failure{Type: e.Error.Type, Message: e.Error.Message}
		}
	}
	if !t.config.Structured {
		a.Structured = nil
	}
	return a
}

// Said returns the text of a message for the client: the refusal of one in which the model declines to answer.
func Said(m *abi.Message) string {
	if m.Content.IsText() {
		return m.Content.Text()
	}
	var said strings.Builder
	for _, block := range m.Content.Blocks() {
		if block.Type() == abi.BlockText || block.Type() == abi.BlockRefusal {
			said.WriteString(block.Text())
		}
	}
	return said.String()
}
