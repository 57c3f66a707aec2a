package langgraph

import (
	"net/http"

	"github.com/agenthost/agenthost/server/internal/detail"
)

// ok answers whether the server can do its work.
func (h *Handler) ok(c *call) error {
	if h.Healthy != nil {
		if err := h.Healthy(c.r); err != nil {
			return &detail.Error{Status: http.StatusServiceUnavailable, Text: "the server is not ready", Cause: err}
		}
	}
	return c.answer(map[string]any{"ok": true, "services": struct{}{}})
}

// info answers what the server is, and what it can do.
func (h *Handler) info(c *call) error {
	return c.answer(map[string]any{
		"version": h.Version,
		"flags":   map[string]any{"assistants": true, "crons": true, "langsmith": false},
		"host":    map[string]any{"kind": "agenthost", "project_id": nil, "host_revision_id": nil, "revision_id": nil, "tenant_id": nil},
	})
}
