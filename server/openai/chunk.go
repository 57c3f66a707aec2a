package openai

import (
	"strings"

	"github.com/agenthost/agenthost/server/internal/sse"
	"github.com/agenthost/agenthost/server/openai/internal/answer"
)

const chatStream = "`data:` lines with objects of the type chat.completion.chunk, and `[DONE]` at the end. " +
	"A run that fails sends an object with the member error instead."

// chunk is a piece of a chat completion.
type chunk struct {
	ID        string        `json:"id"`
	Object    string        `json:"object"`
	Created   int64         `json:"created"`
	Model     string        `json:"model"`
	Choices   []chunkChoice `json:"choices"`
	Usage     *usage        `json:"usage,omitempty"`
	Agenthost *aside        `json:"agenthost,omitempty"`
}

type chunkChoice struct {
	Index        int       `json:"index"`
	Delta        delta     `json:"delta"`
	Logprobs     *struct{} `json:"logprobs"`
	FinishReason *string   `json:"finish_reason"`
}

type delta struct {
	Role      string      `json:"role,omitempty"`
	Content   *string     `json:"content,omitempty"`
	Refusal   *string     `json:"refusal,omitempty"`
	Reasoning string      `json:"reasoning_content,omitempty"`
	ToolCalls []chunkCall `json:"tool_calls,omitempty"`
}

type chunkCall struct {
	Index int `json:"index"`
	completionCall
}

// chunks makes the frames of a chat completion. It implements [encoder].
type chunks struct {
	v        *view
	usage    bool // the tokens are sent at the end
	said     strings.Builder
	part     int // of the text that was sent last
	thought  int // the part of the reasoning that was sent last
	progress bool
}

func newChunks(v *view, usage bool) *chunks { return &chunks{v: v, usage: usage} }

func (s *chunks) chunk(choices ...chunkChoice) *chunk {
	if choices == nil {
		choices = []chunkChoice{}
	}
	return &chunk{ID: completionID(s.v.run), Object: "chat.completion.chunk", Created: s.v.run.Created.Unix(), Model: s.v.kept.Model, Choices: choices}
}

func (s *chunks) frame(d delta) sse.Event { return frame("", s.chunk(chunkChoice{Delta: d})) }

func (s *chunks) begin() []sse.Event {
	empty := ""
	return []sse.Event{s.frame(delta{Role: "assistant", Content: &empty})}
}

func (s *chunks) piece(p *answer.Piece) []sse.Event {
	text := p.Text
	if p.Kind != answer.Text {
		if s.thought > 0 && (s.thought != p.Part || s.progress != (p.Kind == answer.Progress)) && !s.progress {
			text = answer.Gap + text
		}
		s.thought, s.progress = p.Part, p.Kind == answer.Progress
		return []sse.Event{s.frame(delta{Reasoning: text})}
	}
	if s.part > 0 && s.part != p.Part {
		text = answer.Gap + text
	}
	s.part = p.Part
	return []sse.Event{s.say(text)}
}

func (s *chunks) say(text string) sse.Event {
	s.said.WriteString(text)
	return s.frame(delta{Content: &text})
}

func (s *chunks) end(v *view, a *answer.Answer) (out []sse.Event) {
	if f := faultOf(v.run, a); f != nil {
		return s.fail(f)
	}
	whole := a.Text()
	switch rest := strings.TrimPrefix(whole, s.said.String()); {
	case rest != whole || s.said.Len() == 0: // what was sent is the beginning of it
		if v.wants() && a.Structured == nil && rest != "" { // a text in place of the value that was asked for
			out = append(out, s.frame(delta{Refusal: &rest}))
		} else if rest != "" {
			out = append(out, s.say(rest))
		}
	case a.Asked() != "":
		out = append(out, s.say(answer.Gap+a.Asked()))
	}
	for i, call := range callsOf(a.Calls) {
		out = append(out, s.frame(delta{ToolCalls: []chunkCall{{i, call}}}))
	}
	reason := finish(a)
	last := s.chunk(chunkChoice{FinishReason: &reason})
	last.Agenthost = asideOf(v.run, a)
	if sent := s.said.String(); sent != whole && !v.wants() {
		last.Agenthost.Content = &whole
	}
	out = append(out, frame("", last))
	if s.usage {
		used := s.chunk()
		used.Usage = usageOf(a.Usage)
		out = append(out, frame("", used))
	}
	return append(out, sse.Event{Data: []byte("[DONE]")})
}

func (s *chunks) fail(f *fault) []sse.Event { return []sse.Event{frame("", f.document())} }
