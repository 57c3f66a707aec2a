package client

import (
	"context"
	"net/http"
	"time"

	"github.com/agenthost/agenthost/abi/wire"
)

// Thread is a conversation with an agent of the server.
type Thread struct {
	ID         string
	Status     string // idle, busy, interrupted or error
	Values     wire.Raw
	Metadata   wire.Raw
	Updated    time.Time   // when it was changed last; zero: the server does not say
	Interrupts []Interrupt // what the thread waits for, also in its subgraphs
}

// Interrupt is a question that waits for an answer.
type Interrupt struct {
	ID    string
	Step  string // the step that asks; "": the server does not say
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
	t := &Thread{Values: doc.Get("values"), Metadata: doc.Get("metadata")}
	if updated, ok := doc.Get("updated_at").AsString(); ok {
		t.Updated, _ = time.Parse(time.RFC3339, updated) // another form says nothing
	}
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

// DeleteThread removes a thread with its runs.
func (c *Client) DeleteThread(ctx context.Context, id string) error {
	_, err := c.do(ctx, request{method: http.MethodDelete, path: []string{"threads", id}})
	return err
}

// ThreadQuery selects threads.
type ThreadQuery struct {
	Status   string   // "": any
	Metadata wire.Map // that the threads have, among others
	Limit    int      // 0: the server's own
	Offset   int
}

// SearchThreads returns threads, those that were changed last first.
func (c *Client) SearchThreads(ctx context.Context, q ThreadQuery) ([]Thread, error) {
	body := wire.Map{}
	if q.Status != "" {
		body.Set("status", wire.String(q.Status))
	}
	if len(q.Metadata) > 0 {
		body.Set("metadata", q.Metadata.Raw())
	}
	if q.Limit > 0 {
		body.Set("limit", wire.Int(int64(q.Limit)))
	}
	if q.Offset > 0 {
		body.Set("offset", wire.Int(int64(q.Offset)))
	}
	doc, err := c.do(ctx, request{method: http.MethodPost, path: []string{"threads", "search"}, body: &body})
	if err != nil {
		return nil, err
	}
	return listOf(doc, threadOf)
}

// listOf reads a list.
func listOf[T any](doc wire.Raw, read func(wire.Raw) (*T, error)) ([]T, error) {
	items, ok := doc.Items()
	if !ok {
		return nil, &answerError{"it is not a list"}
	}
	out := make([]T, 0, len(items))
	for _, item := range items {
		one, err := read(item)
		if err != nil {
			return nil, err
		}
		out = append(out, *one)
	}
	return out, nil
}
