package openai

import (
	"errors"

	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/server/internal/door"
)

// modelDocument is an agent, or an assistant, as clients see it.
type modelDocument struct {
	ID          string `json:"id" jsonschema:"The name of an agent, or the id of an assistant."`
	Object      string `json:"object" enum:"model"`
	Created     int64  `json:"created"`
	OwnedBy     string `json:"owned_by"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

type modelList struct {
	Object string          `json:"object" enum:"list"`
	Data   []modelDocument `json:"data"`
}

func modelOf(a *runs.Assistant) modelDocument {
	out := modelDocument{
		ID: a.ID, Object: "model", Created: a.Created.Unix(), OwnedBy: "agenthost", Name: a.Name, Description: a.Description,
	}
	if a.ID == runs.AssistantID(a.Agent) {
		out.ID = a.Agent
	}
	if out.Name == "" {
		out.Name = out.ID
	}
	return out
}

func (h *Handler) listModels(c *door.Call) error {
	out := modelList{Object: "list", Data: []modelDocument{}}
	for total := 1; len(out.Data) < total; {
		page, all, err := h.Service.FindAssistants(c.R.Context(), c.Owner, &runs.AssistantQuery{
			Page: runs.Page{Limit: runs.MaxPage, Offset: len(out.Data), Sort: runs.SortName},
		})
		if err != nil {
			return err
		}
		if total = all; len(page) == 0 {
			break
		}
		for i := range page {
			out.Data = append(out.Data, modelOf(&page[i]))
		}
	}
	return c.Answer(out)
}

func (h *Handler) readModel(c *door.Call) error {
	a, err := h.assistant(c, c.R.PathValue("model"))
	if err != nil {
		return err
	}
	return c.Answer(modelOf(a))
}

// assistant returns the assistant that a client names as a model.
func (h *Handler) assistant(c *door.Call, name string) (*runs.Assistant, error) {
	a, err := h.Service.Resolve(c.R.Context(), c.Owner, name)
	if errors.Is(err, runs.ErrNoAssistant) {
		return nil, unknownModel(name, h.Service.AgentNames())
	}
	return a, err
}
