package openai

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/internal/provider"
)

// responsesPath is the path of the API.
const responsesPath = "responses"

// These are the statuses of a successful response.
const (
	statusCompleted  = "completed"
	statusIncomplete = "incomplete"
)

// answer holds the fields used of a response of the Responses API.
type answer struct {
	ID         provider.ID     `json:"id"`
	Model      string          `json:"model"`
	Status     string          `json:"status"`
	Output     list            `json:"output"`
	Error      json.RawMessage `json:"error"`
	Usage      json.RawMessage `json:"usage"`
	Incomplete struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
}

// respond answers a request with the Responses API.
func (m *Model) respond(ctx context.Context, req *model.Request) (*model.Response, error) {
	return m.continued(func(history *past) (*model.Response, error) {
		body, err := m.responsesBody(req, history, false)
		if err != nil {
			return nil, err
		}
		if m.Background {
			return m.inBackground(ctx, req, body)
		}
		text, err := m.endpoint.Ask(ctx, provider.Call{Path: responsesPath, Body: body})
		if err != nil {
			return nil, err
		}
		return m.answered(text, nil, req)
	})
}

// answered reads a response. items holds those sent before it, for servers that do not repeat them.
func (m *Model) answered(text []byte, items list, req *model.Request) (*model.Response, error) {
	var a answer
	if err := json.Unmarshal(text, &a); err != nil {
		return nil, m.unreadable(text, "cannot be read: "+err.Error())
	}
	switch {
	case isSet(a.Error) && a.Status != statusCompleted && a.Status != statusIncomplete:
		return nil, provider.InStream(m.provider(), []byte(`{"error":`+string(a.Error)+`}`))
	case a.Status != statusCompleted && a.Status != statusIncomplete:
		return nil, m.unreadable(text, "has the status "+strconv.Quote(a.Status))
	}
	if len(a.Output) == 0 {
		a.Output = items
	}
	out := abi.Message{Usage: tokens(a.Usage)}
	r := reader{message: &out}
	for _, text := range a.Output {
		if err := r.add(text); err != nil {
			return nil, provider.Broken(m.provider(), "the answer cannot be read: "+err.Error())
		}
	}
	r.end()
	stop := a.Status
	switch {
	case a.Incomplete.Reason != "":
		stop = a.Incomplete.Reason
	case r.refused:
		stop = stopRefusal
	}
	return m.response(&out, answerEnd{id: string(a.ID), model: a.Model, stop: stop, logprobs: r.logprobs}, req)
}
