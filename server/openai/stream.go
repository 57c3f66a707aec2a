package openai

import (
	"maps"
	"strconv"
	"strings"

	"github.com/agenthost/agenthost/server/internal/sse"
	"github.com/agenthost/agenthost/server/openai/internal/answer"
)

const responseStream = "Events of the types response.created, response.in_progress, response.output_item.added, response.content_part.added, " +
	"response.output_text.delta and so on, and response.completed, response.failed or response.incomplete at the end."

// items makes the frames of a response. It implements [encoder].
type items struct {
	v      *view
	after  int // the client has seen the frames up to this number
	number int // of the last frame
	index  int // of the item that is open, or comes next
	open   *outputItem
	part   int  // of the pieces in it
	thinks bool // it is reasoning
	said   strings.Builder
	used   map[string]bool // ids of items
	out    []sse.Event
}

// newItems returns an encoder for a client that has seen the frames up to a number.
func newItems(v *view, after int) *items { return &items{v: v, after: after, used: map[string]bool{}} }

// take returns the frames that were made since the last call.
func (s *items) take() []sse.Event {
	out := s.out
	s.out = nil
	return out
}

// emit makes a frame.
func (s *items) emit(kind string, members map[string]any) {
	s.number++
	if s.number <= s.after {
		return
	}
	all := map[string]any{"type": kind, "sequence_number": s.number}
	maps.Copy(all, members)
	s.out = append(s.out, frame(kind, all))
}

// within makes a frame about a part of the item that is open.
func (s *items) within(kind, part string, members map[string]any) {
	all := map[string]any{"item_id": s.open.ID, "output_index": s.index, part: 0}
	maps.Copy(all, members)
	s.emit(kind, all)
}

func (s *items) begin() []sse.Event {
	r := responseOf(s.v, nil)
	r.Status = statusInProgress
	s.emit("response.created", map[string]any{"response": r})
	s.emit("response.in_progress", map[string]any{"response": r})
	return s.take()
}

func (s *items) piece(p *answer.Piece) []sse.Event {
	thinks := p.Kind != answer.Text
	if s.open != nil && (s.thinks != thinks || s.part != p.Part) {
		s.close()
	}
	if s.open == nil {
		s.part = p.Part
		s.begins(thinks, p.Message)
	}
	s.add(p.Text)
	return s.take()
}

// begins makes the first frames of an item.
func (s *items) begins(thinks bool, id string) {
	if s.thinks = thinks; thinks {
		item := reasoningItem(s.id(reasoningPrefix+id), statusInProgress)
		s.emit("response.output_item.added", map[string]any{"output_index": s.index, "item": item})
		s.open = &item
		s.within("response.reasoning_summary_part.added", "summary_index", map[string]any{"part": summaryPart{"summary_text", ""}})
		return
	}
	item := messageItem(s.id(id), statusInProgress)
	s.emit("response.output_item.added", map[string]any{"output_index": s.index, "item": item})
	s.open = &item
	s.within("response.content_part.added", "content_index", map[string]any{"part": textPart("")})
}

// id returns an id that no item has. The first item of a message has the message's.
func (s *items) id(wanted string) string {
	id := wanted
	for n := 2; s.used[id]; n++ {
		id = wanted + "_" + strconv.Itoa(n)
	}
	s.used[id] = true
	return id
}

// add adds a piece to the item that is open.
func (s *items) add(text string) {
	s.said.WriteString(text)
	if s.thinks {
		s.within("response.reasoning_summary_text.delta", "summary_index", map[string]any{"delta": text})
		return
	}
	s.within("response.output_text.delta", "content_index", map[string]any{"delta": text, "logprobs": []any{}})
}

// close ends the item that is open.
func (s *items) close() {
	if s.open == nil {
		return
	}
	text := s.said.String()
	s.said.Reset()
	item := *s.open
	item.Status = statusCompleted
	if s.thinks {
		part := summaryPart{"summary_text", text}
		s.within("response.reasoning_summary_text.done", "summary_index", map[string]any{"text": text})
		s.within("response.reasoning_summary_part.done", "summary_index", map[string]any{"part": part})
		item.Summary = &[]summaryPart{part}
	} else {
		part := textPart(text)
		s.within("response.output_text.done", "content_index", map[string]any{"text": text, "logprobs": []any{}})
		s.within("response.content_part.done", "content_index", map[string]any{"part": part})
		item.Content = &[]outputPart{part}
	}
	s.ends(item)
}

// ends tells that an item is whole.
func (s *items) ends(item outputItem) {
	s.emit("response.output_item.done", map[string]any{"output_index": s.index, "item": item})
	s.open = nil
	s.index++
}

func (s *items) end(v *view, a *answer.Answer) []sse.Event {
	s.close()
	whole := responseOf(v, a)
	for i := range whole.Output {
		if item := &whole.Output[i]; !s.used[item.ID] && item.Type != itemReasoning {
			s.late(item)
		}
	}
	kind := "response.completed"
	switch whole.Status {
	case statusFailed:
		kind = "response.failed"
	case statusIncomplete, statusCancelled:
		kind = "response.incomplete"
	}
	s.emit(kind, map[string]any{"response": whole})
	return s.take()
}

// late tells of an item that no piece has shown.
func (s *items) late(item *outputItem) {
	if item.Type == itemMessage && (*item.Content)[0].Text != nil {
		s.begins(false, item.ID)
		s.add(*(*item.Content)[0].Text)
		s.close()
		return
	}
	empty := *item
	empty.Status = statusInProgress
	if item.Type == itemMessage {
		empty.Content = &[]outputPart{}
	} else {
		empty.Arguments = new(string)
	}
	s.emit("response.output_item.added", map[string]any{"output_index": s.index, "item": empty})
	s.open = item
	if item.Type == itemMessage {
		part := (*item.Content)[0]
		s.within("response.content_part.added", "content_index", map[string]any{"part": refusalPart("")})
		s.within("response.refusal.delta", "content_index", map[string]any{"delta": *part.Refusal})
		s.within("response.refusal.done", "content_index", map[string]any{"refusal": *part.Refusal})
		s.within("response.content_part.done", "content_index", map[string]any{"part": part})
	} else {
		at := map[string]any{"item_id": item.ID, "output_index": s.index}
		s.emit("response.function_call_arguments.delta", merged(at, map[string]any{"delta": *item.Arguments}))
		s.emit("response.function_call_arguments.done", merged(at, map[string]any{"arguments": *item.Arguments, "name": item.Name}))
	}
	s.ends(*item)
}

func merged(a, b map[string]any) map[string]any {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}

// fail makes the frame of a stream that breaks off.
func (s *items) fail(f *fault) []sse.Event {
	d := f.document().Error
	s.emit("error", map[string]any{"code": d.Code, "message": d.Message, "param": d.Param})
	return s.take()
}
