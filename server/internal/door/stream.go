package door

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"

	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/server/internal/access"
	"github.com/agenthost/agenthost/server/internal/sse"
)

// Reply sends an answer that may take long. If it returns an error, nothing has been sent.
type Reply func() error

// Stream answers a call whose answer may take long, which uses one of its owner's streams meanwhile. What comes before the answer happens in
// a goroutine of its own: databases need deep stacks, and that of the connection's goroutine would stay as large for the life of a stream.
func (d *Door) Stream(c *Call, prepare func() (Reply, error)) error {
	release, err := d.Streams.Acquire(c.Owner)
	if err != nil {
		return err
	}
	defer release()
	send, err := Aside(prepare)
	if err != nil {
		return err
	}
	return send()
}

// Aside calls a function in another goroutine, and waits for it. A panic becomes one of the caller, and says where it was.
func Aside[T any](call func() (T, error)) (T, error) {
	type result struct {
		value    T
		err      error
		panicked any
	}
	done := make(chan result)
	go func() {
		var r result
		defer func() {
			if r.panicked = recover(); r.panicked != nil {
				r.panicked = placed(r.panicked)
			}
			done <- r
		}()
		r.value, r.err = call()
	}()
	r := <-done
	if r.panicked != nil {
		panic(r.panicked)
	}
	return r.value, r.err
}

// placed adds to the cause of a panic where it was. The one that ends an answer on purpose stays as it is.
func placed(cause any) any {
	if err, ok := cause.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		return cause
	}
	return fmt.Sprintf("%v, in %s", cause, debug.Stack())
}

// Send answers with a stream of server-sent events, and notes for the log why it ended early. The error is that of [sse.Serve]: when there
// is one, the headers were sent.
func (d *Door) Send(c *Call, next sse.Source) error {
	err := sse.Serve(c.W, c.R, next, sse.Config{Heartbeat: d.Heartbeat, Closing: d.Closing.Done()})
	if err != nil {
		access.Note(c.R.Context(), err)
	}
	return err
}

// CancelLeft cancels a run whose client is gone.
func (d *Door) CancelLeft(c *Call, run string) {
	_, err := d.Service.Cancel(context.WithoutCancel(c.R.Context()), c.Owner, run, runs.CancelKeep)
	if err != nil && !errors.Is(err, runs.ErrRunOver) && !errors.Is(err, runs.ErrNoRun) {
		d.Logger.Error("the run of a client that is gone cannot be cancelled", "run", run, "error", err)
	}
}
