package host

import (
	"slices"
	"strings"

	"github.com/agenthost/agenthost/host/model"
)

// StreamFilter edits the tokens of a model while they stream past a wrap_model_call hook that changes the answer: a hook that
// removes names from answers must not let them pass before it sees the whole answer. Each model call has one filter for the text
// and one for the reasoning; a single goroutine uses each.
type StreamFilter interface {
	// Pass takes the next piece and returns the text that may be shown now. It may hold back a part until more has come.
	Pass(piece string) string
	// End returns the held-back text that may be shown, once the answer is complete. It is not called if the model fails.
	End() string
}

// tokenStream passes the tokens of one model call through the filters of the hooks around it, the innermost first.
type tokenStream struct {
	events          emitter
	call            int    // number of the model call in its step, from 1
	message         string // id of the message that the tokens are pieces of
	text, reasoning []StreamFilter
}

func (c *modelCall) tokenStream() *tokenStream {
	t := &tokenStream{events: c.run.events(), call: c.calls, message: c.reserved}
	wraps := c.run.agent.modelWraps
	for _, wrap := range slices.Backward(wraps) {
		if filter := wrap.hook.StreamFilter; filter != nil {
			t.text, t.reasoning = append(t.text, filter()), append(t.reasoning, filter())
		}
	}
	return t
}

// pass shows the part of a chunk that may be shown. A filter cannot judge a piece of a call, so that none is shown if there are filters.
func (t *tokenStream) pass(chunk *model.Chunk) {
	t.show(through(t.text, chunk.Text), through(t.reasoning, chunk.Reasoning))
	if len(t.text) > 0 {
		return
	}
	for i := range chunk.Calls {
		t.events.send(&Event{Type: EventToken, Step: ModelStep, Index: t.call, Message: t.message, CallPiece: &chunk.Calls[i]})
	}
}

// end shows the text that was held back.
func (t *tokenStream) end() { t.show(rest(t.text), rest(t.reasoning)) }

func (t *tokenStream) show(text, reasoning string) {
	if text == "" && reasoning == "" {
		return
	}
	t.events.send(&Event{Type: EventToken, Step: ModelStep, Index: t.call, Message: t.message, Text: text, Reasoning: reasoning})
}

func through(filters []StreamFilter, piece string) string {
	for _, f := range filters {
		if piece == "" {
			return ""
		}
		piece = f.Pass(piece)
	}
	return piece
}

// rest ends the filters, the innermost first: text that one filter held back passes through the next ones.
func rest(filters []StreamFilter) string {
	var out strings.Builder
	for i, f := range filters {
		out.WriteString(through(filters[i+1:], f.End()))
	}
	return out.String()
}
