package protocol

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
)

// writer shows the answers of a model, while they are written or as a whole.
type writer struct {
	id        string // of the answer that is being written; "": none
	index     int    // number of the model call
	reasoning bool   // the part is open
	text      bool   // the part is open
	calls     []*openCall
	shown     map[string]*shownAnswer
}

// openCall is a call that is being written.
type openCall struct {
	index int
	id    string // "": it cannot be shown before it is complete
	open  bool
}

// shownAnswer is an answer that was shown.
type shownAnswer struct {
	said    strings.Builder
	thought strings.Builder
	calls   []string
	settled bool // the thread has it
}

// maxCalls is how many calls of an answer are shown while they are written.
const maxCalls = 1000

// token shows a piece of an answer.
func (w *writer) token(t *Translator, l *level, e *host.Event) {
	id := cmp.Or(e.Message, t.config.Run+"/"+strconv.Itoa(e.Index))
	if w.id != "" && (w.id != id || w.index != e.Index) {
		w.finish(t, l, nil)
	}
	if w.id == "" {
		if w.shown[id] != nil { // the model is asked again, and what it said before is void
			delete(w.shown, id)
			t.showMessages()
		}
		w.id, w.index, w.calls = id, e.Index, nil
		w.shown[id] = &shownAnswer{}
	}
	if e.Reasoning != "" {
		w.think(t, l, e.Reasoning)
	}
	if e.Text != "" {
		w.say(t, l, e.Text)
	}
	if e.CallPiece != nil {
		w.call(t, l, e.CallPiece)
	}
}

func (w *writer) think(t *Translator, l *level, said string) {
	w.closeText(t, l)
	id := reasoningID(w.id)
	if !w.reasoning {
		w.reasoning = true
		t.emit(reasoningStart, l.id, frame{"messageId": id})
		t.emit(reasoningMessage, l.id, frame{"messageId": id, "role": RoleReasoning})
	}
	w.shown[w.id].thought.WriteString(said)
	t.emit(reasoningContent, l.id, frame{"messageId": id, "delta": said})
}

func (w *writer) say(t *Translator, l *level, said string) {
	w.closeReasoning(t, l)
	if !w.text {
		w.text = true
		t.emit(textStart, l.id, frame{"messageId": w.id, "role": RoleAssistant})
	}
	w.shown[w.id].said.WriteString(said)
	t.emit(textContent, l.id, frame{"messageId": w.id, "delta": said})
}

// call shows a piece of a call. One whose id or name is unknown, or whose id another message uses, is shown when it is complete.
func (w *writer) call(t *Translator, l *level, piece *model.CallPiece) {
	at := slices.IndexFunc(w.calls, func(c *openCall) bool { return c.index == piece.Index })
	if at < 0 {
		if len(w.calls) == maxCalls {
			return
		}
		c := &openCall{index: piece.Index}
		at, w.calls = len(w.calls), append(w.calls, c)
		if piece.ID != "" && piece.Name != "" && w.begin(t, l, piece.ID, piece.Name) {
			c.id, c.open = piece.ID, true
		}
	}
	if c := w.calls[at]; c.open && piece.Args != "" {
		t.emit(callArgs, l.id, frame{"toolCallId": c.id, "delta": piece.Args})
	}
}

// begin shows that a call begins. It reports false if another message has a call with this id, to which clients would add it.
func (w *writer) begin(t *Translator, l *level, id, name string) bool {
	w.closeReasoning(t, l)
	w.closeText(t, l)
	asking := t.now.caller(id)
	if asking != nil && asking.ID != w.id || slices.ContainsFunc(t.started, func(c startedCall) bool { return c.id == id }) {
		return false
	}
	t.started = append(t.started, startedCall{id, l.id})
	w.shown[w.id].calls = append(w.shown[w.id].calls, id)
	t.emit(callStart, l.id, frame{"toolCallId": id, "toolCallName": name, "parentMessageId": w.id})
	return true
}

func (w *writer) closeReasoning(t *Translator, l *level) {
	if w.reasoning {
		w.reasoning = false
		t.emit(reasoningClose, l.id, frame{"messageId": reasoningID(w.id)})
		t.emit(reasoningEnd, l.id, frame{"messageId": reasoningID(w.id)})
	}
}

func (w *writer) closeText(t *Translator, l *level) {
	if w.text {
		w.text = false
		t.emit(textEnd, l.id, frame{"messageId": w.id})
	}
}

// whole shows the end of an answer that was shown in pieces. An agent that runs as a tool tells no pieces and no state, so its answers are
// shown here.
func (w *writer) whole(t *Translator, l *level, e *host.Event) {
	if e.Error != nil || len(e.Messages) == 0 {
		return
	}
	answer := &e.Messages[0]
	switch {
	case w.id != "":
		w.finish(t, l, answer)
	case l.parent != nil && e.Step == host.ModelStep && w.shown[answer.ID] == nil:
		w.show(t, l, answer)
	}
}

// finish ends the answer that is being written. With the complete answer, calls that were not shown in pieces are shown.
func (w *writer) finish(t *Translator, l *level, answer *abi.Message) {
	if w.id == "" {
		return
	}
	w.closeReasoning(t, l)
	w.closeText(t, l)
	for _, c := range w.calls {
		if c.open {
			t.emit(callEnd, l.id, frame{"toolCallId": c.id})
		}
	}
	if answer != nil && (answer.ID == w.id || answer.ID == "") {
		w.showCalls(t, l, answer)
	}
	w.id, w.calls = "", nil
}

// showCalls shows the calls of an answer that were not shown yet.
func (w *writer) showCalls(t *Translator, l *level, answer *abi.Message) {
	for _, c := range callsOf(answer) {
		if slices.Contains(w.shown[w.id].calls, c.ID) || !w.begin(t, l, c.ID, c.Function.Name) {
			continue
		}
		t.emit(callArgs, l.id, frame{"toolCallId": c.ID, "delta": c.Function.Arguments})
		t.emit(callEnd, l.id, frame{"toolCallId": c.ID})
	}
}

// show shows an answer as a whole.
func (w *writer) show(t *Translator, l *level, answer *abi.Message) {
	w.id, w.calls = answer.ID, nil
	w.shown[w.id] = &shownAnswer{}
	if reasoning := reasoningOf(answer); reasoning != "" {
		w.think(t, l, reasoning)
	}
	switch text := textOf(answer); {
	case text != "":
		w.say(t, l, text)
	case len(answer.ToolCalls)+len(answer.InvalidToolCalls) == 0: // an empty answer is one, too
		w.closeReasoning(t, l)
		t.emit(textStart, l.id, frame{"messageId": w.id, "role": RoleAssistant})
		w.text = true
	}
	w.finish(t, l, answer)
}

// settle takes note that the thread has an answer, and shows it if it was not shown. It reports false if the client has it otherwise.
func (w *writer) settle(t *Translator, l *level, answer *abi.Message) bool {
	if w.shown[answer.ID] == nil {
		w.show(t, l, answer)
	}
	s := w.shown[answer.ID]
	s.settled = true
	calls := callsOf(answer)
	same := len(calls) == len(s.calls) && s.said.String() == textOf(answer)
	for _, c := range calls {
		same = same && slices.Contains(s.calls, c.ID)
	}
	if reasoning := reasoningOf(answer); reasoning != "" {
		same = same && s.thought.String() == reasoning
	}
	return same
}

// dropUnsettled forgets the answers that the thread does not have. It reports whether there were some.
func (w *writer) dropUnsettled(has func(id string) bool) (some bool) {
	for id, s := range w.shown {
		if !s.settled && !has(id) {
			delete(w.shown, id)
			some = true
		}
	}
	return some
}

// forget makes void what was shown since the last checkpoint.
func (w *writer) forget(t *Translator, l *level) {
	w.finish(t, l, nil)
	for id := range w.shown {
		if t.saved.message(id) == nil {
			delete(w.shown, id)
		}
	}
}
