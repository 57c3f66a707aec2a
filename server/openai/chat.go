package openai

import (
	"encoding/json"

	"github.com/agenthost/agenthost/server/internal/door"
	"github.com/agenthost/agenthost/server/internal/jsonbody"
	"github.com/agenthost/agenthost/server/openai/internal/answer"
)

// chatCreate is what a client sends for a chat completion. Members about how a model generates are the agent's own matter, and ignored.
type chatCreate struct {
	Model          *string         `json:"model" jsonschema:"The name of an agent, or the id of an assistant."`
	Messages       []chatMessage   `json:"messages"`
	Stream         *bool           `json:"stream"`
	StreamOptions  *streamOptions  `json:"stream_options"`
	ResponseFormat json.RawMessage `json:"response_format" type:"object,null" jsonschema:"The form of the answer, for an agent that answers with a value."`
	Tools          []chatTool      `json:"tools"`
	ToolChoice     json.RawMessage `json:"tool_choice" type:"string,object,null"`
	Functions      json.RawMessage `json:"functions" type:"array,null" jsonschema:"An earlier form of tools, which is refused."`
	N              *int            `json:"n" jsonschema:"How many answers: 1."`
	Store          *bool           `json:"store" jsonschema:"Whether the thread is kept."`
	Metadata       *metadata       `json:"metadata" jsonschema:"Notes for the run. thread_id names its thread, and resume answers a question."`
	Agenthost      *extras         `json:"agenthost" jsonschema:"What this server offers beside OpenAI's API."`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

// chat answers with a chat completion, or its stream.
func (h *Handler) chat(c *door.Call) error {
	return h.Stream(c, func() (door.Reply, error) {
		body := &chatCreate{}
		if err := jsonbody.Decode(c.R, body); err != nil {
			return nil, err
		}
		a, err := body.ask(c)
		if err != nil {
			return nil, err
		}
		v, err := h.submit(c, a)
		if err != nil {
			return nil, err
		}
		if is(body.Stream) {
			e := newChunks(v, body.StreamOptions != nil && body.StreamOptions.IncludeUsage)
			return h.stream(c, h.source(v, e), true), nil
		}
		return h.wait(c, v, true, func(whole *answer.Answer) (any, error) {
			if f := faultOf(v.run, whole); f != nil {
				return nil, f
			}
			return completionOf(v, whole), nil
		}), nil
	})
}

func is(flag *bool) bool { return flag != nil && *flag }

// ask returns what the client wants.
func (b *chatCreate) ask(c *door.Call) (*ask, error) {
	switch {
	case b.Model == nil || *b.Model == "":
		return nil, invalid("model", "model is missing; name an agent, as GET /v1/models lists them")
	case b.N != nil && *b.N != 1:
		return nil, invalid("n", "n is %d; an agent gives one answer", *b.N)
	case given(b.Functions):
		return nil, invalid("functions", "functions is not supported; use tools")
	}
	a := &ask{kind: "chat", model: *b.Model, format: b.ResponseFormat, formatParam: "response_format", store: is(b.Store)}
	if b.Metadata != nil {
		a.metadata = *b.Metadata
	}
	var err error
	if a.show, err = shown(c, b.Agenthost); err != nil {
		return nil, err
	}
	if a.tools, err = chatTools(b.Tools, b.ToolChoice); err != nil {
		return nil, err
	}
	if a.messages, err = messagesOf(b.Messages); err != nil {
		return nil, err
	}
	rest := *b
	rest.Messages = nil // the task has them
	a.request = rest
	return a, nil
}
