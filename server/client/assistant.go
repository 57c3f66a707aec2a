package client

import (
	"context"
	"net/http"

	"github.com/agenthost/agenthost/abi/wire"
)

// Assistant is an agent of the server with a configuration.
type Assistant struct {
	ID    string
	Graph string // the name of the agent
	Name  string
}

// SearchAssistants returns assistants of an agent; graph "" is those of all.
func (c *Client) SearchAssistants(ctx context.Context, graph string) ([]Assistant, error) {
	body := wire.Map{}
	if graph != "" {
		body.Set("graph_id", wire.String(graph))
	}
	doc, err := c.do(ctx, request{method: http.MethodPost, path: []string{"assistants", "search"}, body: &body})
	if err != nil {
		return nil, err
	}
	return listOf(doc, func(doc wire.Raw) (*Assistant, error) {
		a := &Assistant{}
		var err error
		if a.ID, err = idOf(doc, "assistant_id"); err != nil {
			return nil, err
		}
		a.Graph, _ = doc.Get("graph_id").AsString()
		a.Name, _ = doc.Get("name").AsString()
		return a, nil
	})
}
