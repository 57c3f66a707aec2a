package dev

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	"github.com/agenthost/agenthost/runs"
)

// hostRuns returns the ids that agents have given to what they did in a run of the server: that of the run itself, which stays the same when a person
// has answered, and those of agents that were called as tools.
func (h *Handler) hostRuns(ctx context.Context, owner, id string) (*runs.Run, []string, error) {
	run, err := h.Service.Run(ctx, owner, id)
	var ids []string
	if err == nil {
		for event, failed := range runs.AllEvents(ctx, h.Service, owner, id, 0) {
			if err = failed; err != nil {
				break
			}
			if !event.Token() {
				ids = appendRuns(ids, event.Data)
			}
		}
	}
	if errors.Is(err, runs.ErrNoRun) {
		err = &RefusalError{http.StatusNotFound, "there is no such run, or it belongs to somebody else"}
	}
	return run, ids, err
}

// appendRuns appends the ids of runs that an event names.
func appendRuns(ids []string, event json.RawMessage) []string {
	var named struct {
		Run  string          `json:"run"`
		Data json.RawMessage `json:"data"`
	}
	if json.Unmarshal(event, &named) != nil {
		return ids
	}
	if named.Run != "" && !slices.Contains(ids, named.Run) {
		ids = append(ids, named.Run)
	}
	var nested struct {
		Event json.RawMessage `json:"event"`
	}
	if len(named.Data) > 0 && json.Unmarshal(named.Data, &nested) == nil && len(nested.Event) > 0 {
		return appendRuns(ids, nested.Event)
	}
	return ids
}
