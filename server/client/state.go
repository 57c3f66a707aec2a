package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/agenthost/agenthost/abi/wire"
)

// State is what a thread holds at one of its checkpoints.
type State struct {
	Checkpoint string   // its id; "": nothing was saved
	Values     wire.Raw // such as the messages
	Next       []string // the steps that come next; none: the run is over
	Interrupts []Interrupt
	Metadata   wire.Raw
}

// State returns the newest state of a thread.
func (c *Client) State(ctx context.Context, thread string) (*State, error) {
	doc, err := c.do(ctx, request{method: http.MethodGet, path: []string{"threads", thread, "state"}})
	if err != nil {
		return nil, err
	}
	return stateOf(doc)
}

// History returns the newest states of a thread, at most limit; 0 is the server's own limit.
func (c *Client) History(ctx context.Context, thread string, limit int) ([]State, error) {
	r := request{method: http.MethodGet, path: []string{"threads", thread, "history"}}
	if limit > 0 {
		r.query = url.Values{"limit": {strconv.Itoa(limit)}}
	}
	doc, err := c.do(ctx, r)
	if err != nil {
		return nil, err
	}
	return listOf(doc, stateOf)
}

// StateUpdate changes the state of a thread.
type StateUpdate struct {
	Values     wire.Map
	AsNode     string // the step that seems to make the update; "": the last one
	Checkpoint string // the state that it follows; "": the newest
}

// UpdateState changes the state of a thread between its runs.
func (c *Client) UpdateState(ctx context.Context, thread string, u StateUpdate) error {
	body := wire.Map{{Key: "values", Value: u.Values.Raw()}}
	if u.AsNode != "" {
		body.Set("as_node", wire.String(u.AsNode))
	}
	if u.Checkpoint != "" {
		body.Set("checkpoint_id", wire.String(u.Checkpoint))
	}
	_, err := c.do(ctx, request{method: http.MethodPost, path: []string{"threads", thread, "state"}, body: &body})
	return err
}

func stateOf(doc wire.Raw) (*State, error) {
	if !doc.IsMap() {
		return nil, &answerError{"it is not the state of a thread"}
	}
	s := &State{Values: doc.Get("values"), Metadata: doc.Get("metadata")}
	s.Checkpoint, _ = doc.Get("checkpoint").Get("checkpoint_id").AsString()
	for step := range doc.Get("next").Elements() {
		name, _ := step.AsString()
		s.Next = append(s.Next, name)
	}
	for task := range doc.Get("tasks").Elements() {
		step, _ := task.Get("name").AsString()
		for asked := range task.Get("interrupts").Elements() {
			if len(s.Interrupts) == maxInterrupts {
				return s, nil
			}
			id, _ := asked.Get("id").AsString()
			s.Interrupts = append(s.Interrupts, Interrupt{ID: id, Step: step, Value: asked.Get("value")})
		}
	}
	return s, nil
}
