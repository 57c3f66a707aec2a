package client

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/agenthost/agenthost/abi/wire"
)

// The statuses of a run. A run that stops at an interrupt is a success, and its thread is interrupted.
const (
	Pending     = "pending"
	Running     = "running"
	Success     = "success"
	Failed      = "error"
	TimedOut    = "timeout"
	Interrupted = "interrupted" // cancelled, or replaced by a later run
)

// The statuses of a thread that say more than that it is idle.
const (
	ThreadBusy        = "busy"
	ThreadInterrupted = "interrupted" // it waits for answers
	ThreadError       = "error"
)

// What happens to a run that is active when another one is created on its thread.
const (
	StrategyInterrupt = "interrupt" // it stops
	StrategyEnqueue   = "enqueue"   // the new run begins after it
)

// Run is one piece of work on a thread.
type Run struct {
	ID     string
	Status string // one of the constants such as Pending, or one that a later version of the API adds
	Error  string // why it failed, if the server says so
}

// RunRequest asks for a run.
type RunRequest struct {
	Assistant         string   // the name of a graph, or the id of an assistant
	Input             wire.Map // such as the messages; nil, and no Command: the thread's last run goes on where it stopped
	Config            wire.Map // the run's configuration, with the key "configurable"
	MultitaskStrategy string   // "": the server's own, which is to enqueue
	Webhook           string   // an address that the server calls when the run ends; "": none
	Command           wire.Map // instead of an input: "resume", "update" or "goto" of LangGraph's Command
	Context           wire.Map // what the agent's hooks and tools get from the caller
	Metadata          wire.Map // what the run is found by
	StreamModes       []string // what [Client.Stream] yields, such as "values" and "messages-tuple"; none: values
	StreamSubgraphs   bool     // yield what agents within the agent do, too
	CheckpointID      string   // the state to begin with; "": the newest
}

// body returns the request as the API has it.
func (r *RunRequest) body() (wire.Map, error) {
	body := wire.Map{}
	body.Set("assistant_id", wire.String(r.Assistant))
	switch {
	case r.Input != nil:
		body.Set("input", r.Input.Raw())
	case r.Command == nil:
		body.Set("input", wire.AppendNil(nil))
	}
	for _, object := range []struct {
		key   string
		value wire.Map
	}{{"config", r.Config}, {"command", r.Command}, {"context", r.Context}, {"metadata", r.Metadata}} {
		if len(object.value) > 0 {
			body.Set(object.key, object.value.Raw())
		}
	}
	for _, text := range []struct{ key, value string }{
		{"multitask_strategy", r.MultitaskStrategy}, {"webhook", r.Webhook}, {"checkpoint_id", r.CheckpointID},
	} {
		if text.value != "" {
			body.Set(text.key, wire.String(text.value))
		}
	}
	if len(r.StreamModes) > 0 {
		modes, err := wire.Of(r.StreamModes)
		if err != nil {
			return nil, err
		}
		body.Set("stream_mode", modes)
	}
	if r.StreamSubgraphs {
		body.Set("stream_subgraphs", wire.Bool(true))
	}
	return body, nil
}

// CreateRun starts a run in the background. The server may begin it later.
func (c *Client) CreateRun(ctx context.Context, thread string, r *RunRequest) (*Run, error) {
	body, err := r.body()
	if err != nil {
		return nil, err
	}
	doc, err := c.do(ctx, request{method: http.MethodPost, path: []string{"threads", thread, "runs"}, body: &body})
	if err != nil {
		return nil, err
	}
	return c.runOf(doc)
}

// Run returns a run.
func (c *Client) Run(ctx context.Context, thread, run string) (*Run, error) {
	doc, err := c.do(ctx, request{method: http.MethodGet, path: []string{"threads", thread, "runs", run}})
	if err != nil {
		return nil, err
	}
	return c.runOf(doc)
}

// LatestRun returns the newest run of a thread; nil if it has none.
func (c *Client) LatestRun(ctx context.Context, thread string) (*Run, error) {
	query := url.Values{"limit": {"1"}}
	doc, err := c.do(ctx, request{method: http.MethodGet, path: []string{"threads", thread, "runs"}, query: query})
	if err != nil {
		return nil, err
	}
	runs, ok := doc.Items()
	switch {
	case !ok:
		return nil, &answerError{"it is not a list of runs"}
	case len(runs) == 0:
		return nil, nil
	}
	return c.runOf(runs[0])
}

// CancelRun stops a run that is pending or active.
func (c *Client) CancelRun(ctx context.Context, thread, run string) error {
	query := url.Values{"wait": {"0"}, "action": {"interrupt"}}
	_, err := c.do(ctx, request{method: http.MethodPost, path: []string{"threads", thread, "runs", run, "cancel"}, query: query})
	return err
}

// JoinRun waits until a run is over.
func (c *Client) JoinRun(ctx context.Context, thread, run string) error {
	for _, err := range c.Follow(ctx, thread, run, "") {
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *Client) runOf(doc wire.Raw) (r *Run, err error) {
	r = &Run{}
	if r.ID, err = idOf(doc, "run_id"); err != nil {
		return nil, err
	}
	if r.Status, err = statusOf(doc, false); err != nil {
		return nil, err
	}
	if failure := doc.Get("error"); !failure.IsNil() {
		var ok bool
		if r.Error, ok = failure.AsString(); !ok {
			r.Error = failure.JSON()
		}
		r.Error = c.secrets.Text(r.Error)
	}
	return r, nil
}

func idOf(doc wire.Raw, key string) (string, error) {
	id, _ := doc.Get(key).AsString()
	if !isID(id) {
		return "", &answerError{fmt.Sprintf("it has no %s of 1 to %d letters, digits, - and _", key, maxID)}
	}
	return id, nil
}

// statusOf returns the status of a run or thread. A word that this package does not know is one of a later version of the API.
func statusOf(doc wire.Raw, optional bool) (string, error) {
	const maxStatus = 32
	status, ok := doc.Get("status").AsString()
	if optional && !ok {
		return "", nil
	}
	if status == "" || len(status) > maxStatus || strings.ContainsFunc(status, func(r rune) bool { return (r < 'a' || r > 'z') && r != '_' }) {
		return "", &answerError{"it has no status in small letters"}
	}
	return status, nil
}
