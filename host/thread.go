package host

import (
	"context"
	"errors"
	"fmt"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/model"
)

// Reasons why an input cannot be used with its thread.
var (
	ErrNoCheckpointer = errors.New("the agent keeps no threads; set Config.Checkpointer")
	ErrNoThread       = errors.New("the input names no thread")
	ErrUnknownThread  = errors.New("there is no such thread; start it with messages")
	ErrNotWaiting     = errors.New("nothing in the thread waits for an answer")
	ErrWaiting        = errors.New("its run waits for an answer, and a new input would give it up; resume the run first") // see Input.KeepWaiting
)

// ThreadError means that a run cannot use its thread as the input asks, or that the thread could not be saved.
type ThreadError struct {
	Thread string
	Err    error
}

func (e *ThreadError) Error() string { return fmt.Sprintf("thread %q: %v", e.Thread, e.Err) }

// Unwrap returns the cause.
func (e *ThreadError) Unwrap() error { return e.Err }

// ErrorType names the type of the error in documents.
func (*ThreadError) ErrorType() string { return "thread_error" }

// Durability is when a run saves its thread.
type Durability string

// The durabilities. With each of them a run saves its thread when it waits for an answer, stops or ends. Except with
// DurabilityExit, executions of tools are journalled: after a crash, a tool that is not idempotent runs again only if a
// person says so. With DurabilityExit, nothing records what a process did before it died.
const (
	DurabilityRound Durability = "round" // the default: saves also when the run starts, and after each model call and each batch of tool calls
	DurabilityStep  Durability = "step"  // saves in addition after each hook that is a step
	DurabilityExit  Durability = "exit"  // saves only when the run waits, stops or ends
)

// thread is a run's hold on its thread. Without a session nothing is kept.
type thread struct {
	id         string // "": none
	session    checkpoint.Session
	durability Durability
	commit     checkpoint.Commit
	saved      *State              // as it was saved last; nil: never
	parent     checkpoint.ID       // of the next checkpoint
	program    *checkpoint.Program // as it was saved last
	foreign    wire.Map            // values of fields that this agent does not declare
	withdrawn  []string            // sealed fields of the checkpoint that this run does not have; the next commit removes them

	begun     bool     // the input was taken; until then the thread stays as it was
	unsaved   bool     // something happened since the thread was saved
	branches  bool     // the run goes on from an older checkpoint
	givenUp   string   // id of the thread's earlier run, if this run ends it
	unmet     []string // ids of the calls of client tools that the earlier run waits for
	wasOver   bool     // the run that goes on was already over
	failure   string   // why the run that goes on had stopped
	cancelled bool     // whether that run was cancelled

	spent model.Cost // what the thread's earlier runs have cost
}

// kept reports whether the thread is kept.
func (t *thread) kept() bool { return t.session != nil }

// savesMeanwhile reports whether the thread is saved before the run stops: its input, its steps, and the journal of tools.
func (t *thread) savesMeanwhile() bool { return t.kept() && t.durability != DurabilityExit }

// savesAfter reports whether a step of this kind is saved before the next one begins.
func (t *thread) savesAfter(kind stepKind) bool {
	return t.savesMeanwhile() && (t.durability == DurabilityStep || kind != stepHook)
}

// fail returns an error that names the thread.
func (t *thread) fail(err error) error { return &ThreadError{Thread: t.id, Err: err} }

// release gives the thread back. It may be called again.
func (t *thread) release() error {
	session := t.session
	if session == nil {
		return nil
	}
	t.session = nil
	if err := session.Close(); err != nil {
		return t.fail(err)
	}
	return nil
}

// watch returns a context that ends when the lease on the thread is lost, and a function that the caller must call.
func (t *thread) watch(ctx context.Context) (context.Context, func()) {
	lost := t.session.Lost()
	if lost == nil {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-lost:
			cancel(checkpoint.ErrLost)
		case <-done:
		}
	}()
	return ctx, func() {
		close(done)
		<-ended
		cancel(nil)
	}
}

// addFields adds the changed fields to the commit, or all fields to a commit that is whole.
func (t *thread) addFields(state *State) {
	c := &t.commit
	if c.Whole {
		c.State = c.State.With(t.foreign)
	} else {
		c.Unset = append(c.Unset, t.withdrawn...)
	}
	for slot := range state.table.fields {
		value, name := state.values[slot], state.table.fields[slot].Name
		var was wire.Raw
		if t.saved != nil && !c.Whole {
			was = t.saved.values[slot]
		}
		switch {
		case value.Equal(was):
		case value.IsZero():
			c.Unset = append(c.Unset, name)
		default:
			c.State.Set(name, value)
		}
	}
}
