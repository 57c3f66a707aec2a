package agentserver

import (
	"context"
	"net/http"

	"github.com/agenthost/agenthost/abi/wire"
)

// Thread is a conversation with an agent of the server.
type Thread struct {
	ID         string
	Status     string // idle, busy, interrupted or error
	Values     wire.Raw
	Interrupts []Interrupt // what the thread waits for, also in its subgraphs
}

// Interrupt is a question that waits for an answer.
type Interrupt struct {
	ID    string
	Value wire.Raw
}

// maxInterrupts is how many interrupts of a thread are read.
const maxInterrupts = 256

// CreateThread makes a thread with this metadata.
func (c *Client) CreateThread(ctx context.Context, metadata wire.Map) (*Thread, error) {
	body := wire.Map{{Key: "metadata", Value: metadata.Raw()}}
	doc, err := c.do(ctx, request{method: http.MethodPost, path: []string{"threads"}, body: &body})
	if err != nil {
		return nil, err
	}
	return threadOf(doc)
}

// Thread returns a thread with its state.
func (c *Client) Thread(ctx context.Context, id string) (*Thread, error) {
	doc, err := c.do(ctx, request{method: http.MethodGet, path: []string{"threads", id}})
	if err != nil {
		return nil, err
	}
	return threadOf(doc)
}

func threadOf(doc wire.Raw) (*Thread, error) {
	t := &Thread{Values: doc.Get("values")}
	var err error
	if t.ID, err = idOf(doc, "thread_id"); err != nil {
		return nil, err
	}
	if t.Status, err = statusOf(doc, true); err != nil {
		return nil, err
	}
	for _, waiting := range doc.Get("interrupts").Pairs() {
		for asked := range waiting.Elements() {
			if len(t.Interrupts) == maxInterrupts {
				return t, nil
			}
			id, _ := asked.Get("id").AsString()
			t.Interrupts = append(t.Interrupts, Interrupt{ID: id, Value: asked.Get("value")})
		}
	}
	return t, nil
}
