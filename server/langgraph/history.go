package langgraph

import (
	"encoding/json"

	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/server/internal/jsonbody"
	"github.com/agenthost/agenthost/server/internal/openapi"
)

// before is the checkpoint before which a history ends, as clients name it: by its id, as a checkpoint, or within a configuration.
type before struct{ placeBody }

// JSONSchema returns the schema of these forms.
func (before) JSONSchema() openapi.Schema {
	return openapi.Schema{"type": []string{"string", "object"}}
}

func (b *before) UnmarshalJSON(text []byte) error {
	var id string
	if json.Unmarshal(text, &id) == nil {
		b.CheckpointID = &id
		return nil
	}
	var config struct {
		placeBody

		Configurable *placeBody `json:"configurable"`
	}
	if err := json.Unmarshal(text, &config); err != nil {
		return err
	}
	b.placeBody = config.placeBody
	if config.Configurable != nil {
		b.placeBody = *config.Configurable
	}
	return nil
}

func (h *Handler) readHistory(c *call) error {
	limit, err := c.number("limit", 1, runs.DefaultPage)
	if err != nil {
		return err
	}
	var end *before
	if id := c.query().Get("before"); id != "" {
		end = &before{placeBody{CheckpointID: &id}}
	}
	return h.answerHistory(c, min(limit, runs.MaxPage), end, nil)
}

type historySearch struct {
	Limit      *int          `json:"limit" min:"1" max:"1000"`
	Before     *before       `json:"before" jsonschema:"A checkpoint, its id, or a configuration that names it."`
	Metadata   runs.Metadata `json:"metadata"`
	Checkpoint *placeBody    `json:"checkpoint"`
}

func (h *Handler) searchHistory(c *call) error {
	var body historySearch
	if _, err := jsonbody.DecodeOptional(c.R, &body); err != nil {
		return err
	}
	page, err := (&paging{Limit: body.Limit}).page(nil)
	if err != nil {
		return err
	}
	if p := body.Checkpoint; p != nil && p.CheckpointNS != nil && *p.CheckpointNS != "" { // a step has no history of its own
		return c.Answer([]any{})
	}
	return h.answerHistory(c, page.Limit, body.Before, body.Metadata)
}

func (h *Handler) answerHistory(c *call, limit int, end *before, metadata runs.Metadata) error {
	thread, err := c.thread()
	if err != nil {
		return err
	}
	if _, err := h.Service.Thread(c.R.Context(), c.Owner, thread); err != nil {
		return err
	}
	at := checkpoint.ID(0)
	if end != nil {
		if at, err = end.at(nil); err != nil {
			return err
		}
	}
	out, hidden := []stateDocument{}, hiddenOnce{h: h}
	for s, err := range h.Service.History(c.R.Context(), c.Owner, thread, at) {
		if err != nil {
			return err
		}
		state := stateOf(thread, s, hidden.of(s.Agent))
		if len(metadata) > 0 && !contains(state.Metadata, metadata) {
			continue
		}
		if out = append(out, state); len(out) == limit {
			break
		}
	}
	return c.Answer(out)
}

// contains reports whether the metadata of a checkpoint contain those that a client looks for.
func contains(metadata any, wanted runs.Metadata) bool {
	text, err := json.Marshal(metadata)
	if err != nil {
		return false
	}
	var all runs.Metadata
	return json.Unmarshal(text, &all) == nil && all.Contains(wanted)
}
