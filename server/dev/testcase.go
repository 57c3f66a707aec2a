package dev

import (
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/runs"
)

// TestCase is a case for `agenthost test` that was written.
type TestCase struct {
	File    string `json:"file"`
	Command string `json:"command"` // that performs it
}

// maxConversation is how many bytes the events of a thread may have that becomes a case. A case has less than that.
const maxConversation = 32 << 20

// makeCase writes a case of the conversation in a thread.
func (h *Handler) makeCase(w http.ResponseWriter, r *request) error {
	thread := r.PathValue("thread")
	all, err := h.Service.FindRuns(r.Context(), r.owner, thread, &runs.RunQuery{Limit: runs.MaxPage})
	switch {
	case errors.Is(err, runs.ErrNoThread):
		return &RefusalError{http.StatusNotFound, "there is no such thread, or it belongs to somebody else"}
	case err != nil:
		return err
	case len(all) == 0:
		return &RefusalError{http.StatusConflict, "nothing was said in this thread yet"}
	}
	slices.Reverse(all) // the first submitted first
	var events []host.Event
	size := 0
	for i := range all {
		if !all[i].Status.Over() {
			return &RefusalError{http.StatusConflict, "a run is under way; make the case when it has ended"}
		}
		for kept, err := range runs.AllEvents(r.Context(), h.Service, r.owner, all[i].ID, 0) {
			if err != nil {
				return err
			}
			if size += len(kept.Data); size > maxConversation {
				return &RefusalError{http.StatusRequestEntityTooLarge, "the events of this conversation are too large for a case; use a shorter one"}
			}
			if kept.Token() {
				continue
			}
			event, err := kept.Host()
			if err != nil {
				return err
			}
			events = append(events, *event)
		}
	}
	made, err := h.Workshop.MakeCase(all[len(all)-1].Agent, thread, events)
	if err != nil {
		return fmt.Errorf("case: %w", err)
	}
	return reply(w, made)
}
