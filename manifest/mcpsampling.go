package manifest

import (
	"maps"
	"slices"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/tool/mcp"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

// samplingEntry permits an MCP server to ask a model during a call.
type samplingEntry struct {
	node strictyaml.Node

	Model       string           `yaml:"model"`                       // one of the named models; default: the agent's model
	MaxRequests strictyaml.Count `yaml:"max_requests" strict:"min=1"` // how many requests the server may make in a run; default 10
	// how many tokens the requests of a run and their answers may use together; default 20k
	MaxTokens strictyaml.Count `yaml:"max_tokens" strict:"min=1"`
	// whether a person must permit each request
	Approve *bool `yaml:"approve" schema:"default=true"`
}

// UnmarshalStrict decodes the permission, and keeps its place.
func (e *samplingEntry) UnmarshalStrict(n strictyaml.Node) error {
	type fields samplingEntry
	e.node = n
	return n.Decode((*fields)(e))
}

// build returns the permission with a model of the agent. It returns nil if there is none.
func (e *samplingEntry) build(agent *host.Config) (*mcp.Sampling, error) {
	if e == nil {
		return nil, nil
	}
	grant := &mcp.Sampling{
		Model: agent.Model, MaxRequests: int(e.MaxRequests), MaxTokens: int(e.MaxTokens), Unattended: e.Approve != nil && !*e.Approve,
	}
	if e.Model == "" {
		return grant, nil
	}
	named, ok := agent.Models[e.Model]
	if !ok {
		at, _ := e.node.Get("model")
		if len(agent.Models) == 0 {
			return nil, at.Errorf("there is no model %q; add it to models, or leave the key out to use the agent's own model", e.Model)
		}
		return nil, at.Unknown("model", slices.Sorted(maps.Keys(agent.Models)))
	}
	grant.Model = named
	return grant, nil
}
