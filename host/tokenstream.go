package host

import (
	"slices"
	"strings"

	"github.com/agenthost/agenthost/host/model"
)

// StreamFilter edits what a model says while it streams past a wrap_model_call hook that changes it: a hook that takes
// names out of answers must not let them by before it sees the whole. One is made for the text of each model call, and one
// for what the model thinks; one goroutine uses it.
type StreamFilter interface {
	// Pass returns what may be shown now that a piece has come. It may hold back a part until more has come.
	Pass(piece string) string
	// End returns what was held back and may be shown, when the answer is complete. It is not called if the model fails.
	End() string
}

// tokenStream carries the pieces of one model call on their way through the filters of the hooks around it, the innermost first.
type tokenStream struct {
	events          emitter
	call            int // of the model in its step, from 1
	text, reasoning []StreamFilter
}

func (c *modelCall) tokenStream() *tokenStream {
	t := &tokenStream{events: c.run.events(), call: c.calls}
	wraps := c.run.agent.modelWraps
	for _, wrap := range slices.Backward(wraps) {
		if filter := wrap.hook.StreamFilter; filter != nil {
			t.text, t.reasoning = append(t.text, filter()), append(t.reasoning, filter())
		}
	}
	return t
}

// pass shows what may be shown of a piece.
func (t *tokenStream) pass(chunk *model.Chunk) {
	t.show(through(t.text, chunk.Text), through(t.reasoning, chunk.Reasoning))
}

// end shows what was held back.
func (t *tokenStream) end() { t.show(rest(t.text), rest(t.reasoning)) }

func (t *tokenStream) show(text, reasoning string) {
	if text == "" && reasoning == "" {
		return
	}
	t.events.send(&Event{Type: EventToken, Step: ModelStep, Index: t.call, Text: text, Reasoning: reasoning})
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

// rest ends the filters, the innermost first: what one has held back passes through those behind it.
func rest(filters []StreamFilter) string {
	var out strings.Builder
	for i, f := range filters {
		out.WriteString(through(filters[i+1:], f.End()))
	}
	return out.String()
}
