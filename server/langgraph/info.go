package langgraph

import (
	"net/http"

	"github.com/agenthost/agenthost/server/internal/detail"
)

type okDocument struct {
	OK       bool     `json:"ok"`
	Services struct{} `json:"services"`
}

// infoDocument says what the server is. Its members are those of LangGraph's server.
type infoDocument struct {
	Version string       `json:"version"`
	Flags   flags        `json:"flags"`
	Host    hostDocument `json:"host"`
}

type flags struct {
	Assistants bool `json:"assistants"`
	Crons      bool `json:"crons"`
	LangSmith  bool `json:"langsmith"`
}

type hostDocument struct {
	Kind         string  `json:"kind"`
	Project      *string `json:"project_id"`
	HostRevision *string `json:"host_revision_id"`
	Revision     *string `json:"revision_id"`
	Tenant       *string `json:"tenant_id"`
}

// ok answers whether the server can do its work.
func (h *Handler) ok(c *call) error {
	if h.Healthy != nil {
		if err := h.Healthy(c.R); err != nil {
			return &detail.Error{Status: http.StatusServiceUnavailable, Text: "the server is not ready", Cause: err}
		}
	}
	return c.Answer(okDocument{OK: true})
}

// info answers what the server is, and what it can do.
func (h *Handler) info(c *call) error {
	return c.Answer(infoDocument{Version: h.Version, Flags: flags{Assistants: true, Crons: true}, Host: hostDocument{Kind: "agenthost"}})
}
