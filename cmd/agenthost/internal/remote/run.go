package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/server/client"
)

// stopping is how long the server may take to stop a run that is not wanted any more.
const stopping = 10 * time.Second

// modes are what a run asks the server to stream.
var modes = []string{"updates", "messages-tuple", "custom"}

// run is a run of the agent.
type run struct {
	agent      *Agent
	name       string // of the thread
	thread     string // its id
	translator translator
	reported   *RunError // by the stream
}

// RunEvents starts a run on the server, or goes on with one, and reports its events until it is over or waits. It is otherwise like
// [host.Agent.RunEvents]. If ctx ends, or handle returns an error, the run is cancelled.
//
// KeepWaiting is checked before the run begins, and not while it holds the thread. Seed, Once, Yield and breakpoints are not for servers.
func (a *Agent) RunEvents(ctx context.Context, in host.Input, handle func(host.Event) error) (*host.Result, error) {
	r := &run{agent: a, name: in.Thread}
	r.translator = translator{thread: in.Thread, input: in.Messages, handle: handle}
	request, err := a.request(&in)
	if err == nil {
		err = r.locate(ctx, &in)
	}
	if err != nil {
		return &host.Result{Thread: r.name, Status: host.Failed}, err
	}
	err = r.follow(ctx, request)
	if err != nil {
		r.stop(ctx)
	}
	return r.result(ctx, err)
}

// request returns what the server gets for an input.
func (a *Agent) request(in *host.Input) (*client.RunRequest, error) {
	out := &client.RunRequest{Assistant: a.Name, StreamModes: modes}
	if in.Checkpoint != 0 {
		out.CheckpointID = fmt.Sprintf("%020d", uint64(in.Checkpoint))
	}
	configurable := wire.Map{}
	if in.Model != "" {
		configurable.Set("model", wire.String(in.Model))
		out.Config.Set("configurable", configurable.Raw())
	}
	if in.RecursionLimit > 0 {
		out.Config.Set("recursion_limit", wire.Int(int64(in.RecursionLimit)))
	}
	if values, ok := in.Context.(map[string]any); ok {
		context, err := wire.MapOf(values)
		if err != nil {
			return nil, fmt.Errorf("the run's context: %w", err)
		}
		out.Context = context
	}
	switch {
	case in.Resume != nil:
		answers := wire.Map{}
		for _, answer := range in.Resume {
			value, err := wire.Of(answer.Value)
			if err != nil {
				return nil, fmt.Errorf("the answer to %s: %w", answer.Interrupt, err)
			}
			answers.Set(answer.Interrupt, value)
		}
		out.Command = wire.Map{{Key: "resume", Value: answers.Raw()}}
	case !in.Continue:
		state, err := wire.MapOf(in.State)
		if err != nil {
			return nil, fmt.Errorf("the run's state: %w", err)
		}
		messages, err := client.WriteMessages(in.Messages...)
		if err != nil {
			return nil, fmt.Errorf("the messages: %w", err)
		}
		state.Set(messagesKey, messages)
		out.Input = state
	}
	return out, nil
}

// locate finds the thread of the run, or makes it if a new run may begin on it.
func (r *run) locate(ctx context.Context, in *host.Input) (err error) {
	starts := !in.Continue && in.Resume == nil
	r.thread, err = r.agent.id(ctx, in.Thread)
	if errors.Is(err, checkpoint.ErrNoThread) && starts && in.Checkpoint == 0 {
		r.thread, err = r.agent.create(ctx, in.Thread)
		return err
	}
	if err != nil || starts && !in.KeepWaiting {
		return err
	}
	state, err := r.agent.client.State(ctx, r.thread)
	switch {
	case err != nil:
		return explained(err)
	case starts && len(state.Interrupts) > 0:
		return waits(in.Thread)
	case starts:
		return nil
	}
	held, err := snapshotOf(in.Thread, state)
	if err != nil {
		return err
	}
	for _, m := range held.Messages.All() {
		r.translator.asked(m)
	}
	return nil
}

// follow starts the run and reports its events.
func (r *run) follow(ctx context.Context, request *client.RunRequest) error {
	for event, err := range r.agent.client.Stream(ctx, r.thread, request) {
		if err != nil {
			return explained(err)
		}
		if event.Name == "error" {
			r.reported = &RunError{}
			_ = json.Unmarshal(event.Data, r.reported) // the status of the run says enough
			continue
		}
		if err := r.translator.event(&event); err != nil {
			return err
		}
	}
	return nil
}

// stop cancels the run and waits until it has stopped.
func (r *run) stop(ctx context.Context) {
	if r.translator.run == "" {
		return // it has not begun
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopping)
	defer cancel()
	if r.agent.client.CancelRun(ctx, r.thread, r.translator.run) == nil {
		_ = r.agent.client.JoinRun(ctx, r.thread, r.translator.run) // the state that is read then shows what became of it
	}
}

// result returns the outcome of the run. err is why it is not followed any more.
func (r *run) result(ctx context.Context, err error) (*host.Result, error) {
	out := &host.Result{RunID: r.translator.run, Thread: r.name, Status: host.Failed, Usage: r.translator.usage, Steps: r.translator.steps}
	if r.translator.run == "" {
		if err == nil {
			err = errors.New("the server ended the run before it named it")
		}
		return out, err
	}
	reading, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopping)
	defer cancel()
	var ended *client.Run
	state, reads := r.agent.client.State(reading, r.thread)
	if reads == nil && err == nil {
		if ended, reads = r.agent.client.Run(reading, r.thread, r.translator.run); reads == nil {
			err = statusError(ended, r.reported)
		}
	}
	var held *host.Snapshot
	if reads == nil {
		held, reads = snapshotOf(r.name, state)
	}
	if reads != nil {
		if err == nil {
			err = fmt.Errorf("the run is over, and its result cannot be read: %w", explained(reads))
		}
		return out, err
	}
	out.Checkpoint, out.Next, out.Messages, out.State, out.Interrupts = held.Checkpoint, held.Next, held.Messages, held.State, held.Interrupts
	if structured := out.State.Get(structuredKey); !structured.IsNil() {
		out.Structured = structured
		out.State.Delete(structuredKey)
	}
	out.StopReason = r.translator.stopReason
	switch {
	case err != nil && (ctx.Err() != nil || errors.Is(err, errCancelledThere)):
		out.Status = host.Cancelled
	case err != nil:
	case out.Next != "":
		out.Status = host.Interrupted
	case r.translator.failed:
	default:
		out.Status = host.Completed
	}
	return out, errors.Join(err, r.translator.end(out, err))
}
