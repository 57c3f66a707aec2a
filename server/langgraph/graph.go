package langgraph

import (
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/runs"
)

// LangGraph's names for the places before and after all steps.
const (
	startNode = "__start__"
	endNode   = "__end__"
)

// agent returns the agent of the assistant in the path, which may be named by its agent too.
func (h *Handler) agent(c *call) (*runs.Agent, error) {
	a, err := h.Service.Resolve(c.R.Context(), c.Owner, c.R.PathValue("assistant"))
	if err != nil {
		return nil, err
	}
	agent, err := h.Service.Agent(a.Agent)
	return &agent, err
}

// assistantGraph answers with the agent's program as a graph. There is nothing to see within a step, so that xray makes no difference.
func (h *Handler) assistantGraph(c *call) error {
	agent, err := h.agent(c)
	if err != nil {
		return err
	}
	graph := graphOf(agent.Program())
	if parts := middlewareOf(agent); len(parts) > 0 {
		graph.Nodes[0].Metadata = map[string]any{"middleware": parts}
	}
	return c.Answer(graph)
}

// graphDocument is a program as clients see it.
type graphDocument struct {
	Nodes []nodeDocument `json:"nodes"`
	Edges []edgeDocument `json:"edges"`
}

type nodeDocument struct {
	ID       string            `json:"id"`
	Type     string            `json:"type,omitempty"`
	Data     map[string]string `json:"data,omitempty"`
	Metadata map[string]any    `json:"metadata,omitempty"`
}

type edgeDocument struct {
	Source      string `json:"source"`
	Target      string `json:"target"`
	Conditional bool   `json:"conditional,omitempty"`
	Data        string `json:"data,omitempty" jsonschema:"The condition."`
}

// partDocument is a middleware of an agent. The start of a graph has them in its metadata.
type partDocument struct {
	Name         string            `json:"name"`
	Version      string            `json:"version,omitempty"`
	Digest       string            `json:"digest,omitempty"` // of a plugin
	Capabilities []host.Capability `json:"capabilities,omitempty"`
	Sandbox      *host.Sandbox     `json:"sandbox,omitempty"` // of a plugin
}

func middlewareOf(agent *runs.Agent) (out []partDocument) {
	asked := map[string][]host.Capability{}
	for _, c := range agent.Capabilities() {
		asked[c.Middleware] = append(asked[c.Middleware], c)
	}
	for _, part := range agent.Middleware() {
		out = append(out, partDocument{part.Name, part.Version, part.Digest, asked[part.Name], part.Sandbox})
	}
	return out
}

func graphOf(p *host.Program) graphDocument {
	node := func(name string) nodeDocument {
		return nodeDocument{ID: name, Type: "runnable", Data: map[string]string{"name": name}}
	}
	nodes := append(make([]nodeDocument, 0, len(p.Steps)+2), node(startNode))
	for i := range p.Steps {
		step := &p.Steps[i]
		n := node(step.Name)
		if len(step.Wraps) > 0 {
			n.Metadata = map[string]any{"wraps": step.Wraps}
		}
		nodes = append(nodes, n)
	}
	nodes = append(nodes, nodeDocument{ID: endNode})
	edges := make([]edgeDocument, 0, len(p.Ways))
	for i := range p.Ways {
		way := &p.Ways[i]
		edges = append(edges, edgeDocument{
			Source: place(way.From, startNode), Target: place(way.To, endNode), Conditional: several(p, way.From), Data: way.Label,
		})
	}
	return graphDocument{Nodes: nodes, Edges: edges}
}

// several reports whether more than one way leads away from a step.
func several(p *host.Program, from string) bool {
	n := 0
	for i := range p.Ways {
		if p.Ways[i].From == from {
			n++
		}
	}
	return n > 1
}

func place(name, otherwise string) string {
	if name == "" {
		return otherwise
	}
	return name
}

// assistantSubgraphs answers with the graphs within the agent's steps: there are none.
func (h *Handler) assistantSubgraphs(c *call) error {
	if _, err := h.agent(c); err != nil {
		return err
	}
	return c.Answer(struct{}{})
}
