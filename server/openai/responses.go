package openai

import (
	"encoding/json"

	"github.com/agenthost/agenthost/server/internal/door"
	"github.com/agenthost/agenthost/server/internal/jsonbody"
	"github.com/agenthost/agenthost/server/openai/internal/answer"
)

// responseCreate is what a client sends for a response. Members about how a model generates are the agent's own matter, and ignored.
type responseCreate struct {
	Model        *string           `json:"model" jsonschema:"The name of an agent, or the id of an assistant."`
	Input        json.RawMessage   `json:"input" type:"string,array,null" jsonschema:"A text, or a list of items."`
	Instructions json.RawMessage   `json:"instructions" type:"string,null" jsonschema:"Instructions beside those of the agent."`
	Stream       *bool             `json:"stream"`
	Background   *bool             `json:"background" jsonschema:"Whether the run goes on without the client."`
	Store        *bool             `json:"store" jsonschema:"Whether the thread is kept: by default it is."`
	Previous     *string           `json:"previous_response_id"`
	Conversation json.RawMessage   `json:"conversation" type:"string,object,null"`
	Text         *responseText     `json:"text"`
	Reasoning    *responseThinking `json:"reasoning"`
	Tools        []responseTool    `json:"tools"`
	ToolChoice   json.RawMessage   `json:"tool_choice" type:"string,object,null"`
	Prompt       json.RawMessage   `json:"prompt" type:"object,null" jsonschema:"A stored prompt, which is refused."`
	Metadata     *metadata         `json:"metadata" jsonschema:"Notes for the run. thread_id names its thread, and resume answers a question."`
	Agenthost    *extras           `json:"agenthost" jsonschema:"What this server offers beside OpenAI's API."`
}

type responseText struct {
	Format json.RawMessage `json:"format" type:"object,null" jsonschema:"The form of the answer, for an agent that answers with a value."`
}

// responseThinking is what a client wants to see of the reasoning.
type responseThinking struct {
	Effort  *string `json:"effort"`
	Summary *string `json:"summary" jsonschema:"Anything shows the reasoning of the agent's model."`
}

// respond answers with a response, or its stream.
func (h *Handler) respond(c *door.Call) error {
	return h.Stream(c, func() (door.Reply, error) {
		body := &responseCreate{}
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
		switch {
		case is(body.Stream):
			return h.stream(c, h.source(v, newItems(v, 0)), !a.background), nil
		case a.background:
			return func() error { return c.Answer(responseOf(v, nil)) }, nil
		}
		return h.wait(c, v, true, func(whole *answer.Answer) (any, error) { return responseOf(v, whole), nil }), nil
	})
}

// ask returns what the client wants.
func (b *responseCreate) ask(c *door.Call) (*ask, error) {
	switch {
	case b.Model == nil || *b.Model == "":
		return nil, invalid("model", "model is missing; name an agent, as GET /v1/models lists them")
	case given(b.Prompt):
		return nil, invalid("prompt", "prompt is not supported; an agent has its own, and instructions add to it")
	}
	a := &ask{
		kind: "response", model: *b.Model, formatParam: "text.format", store: b.Store == nil || *b.Store, background: is(b.Background),
		conversation: b.Conversation,
	}
	if b.Previous != nil {
		a.previous = *b.Previous
	}
	if b.Text != nil {
		a.format = b.Text.Format
	}
	if b.Metadata != nil {
		a.metadata = *b.Metadata
	}
	if given(b.Instructions) {
		if err := json.Unmarshal(b.Instructions, &a.instructions); err != nil {
			return nil, invalid("instructions", "instructions must be a text")
		}
	}
	var err error
	if a.show, err = shown(c, b.Agenthost); err != nil {
		return nil, err
	}
	if b.Reasoning != nil && b.Reasoning.Summary != nil {
		a.show = append(a.show, showReasoning)
	}
	if a.tools, err = responseTools(b.Tools, b.ToolChoice); err != nil {
		return nil, err
	}
	if a.messages, err = inputOf(b.Input); err != nil {
		return nil, err
	}
	if len(a.messages) == 0 && a.metadata["resume"] == "" {
		return nil, invalid("input", "input is missing; send a text or a list of items")
	}
	rest := *b
	rest.Input = nil // the task has it
	a.request = rest
	return a, nil
}
