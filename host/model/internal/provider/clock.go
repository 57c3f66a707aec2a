package provider

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/agenthost/agenthost/host/model"
)

// clock ends a call that takes too long. It ends the call's context with the error as the cause.
type clock struct {
	provider string
	limits   model.Limits
	cancel   context.CancelCauseFunc
	total    *time.Timer // nil: no limit

	mu      sync.Mutex
	streams bool
	begun   bool          // a token has arrived
	left    time.Duration // for the next token; only the time counts in which the call waits for the server
	started time.Time     // when the present wait began
	wait    *time.Timer   // nil: there was no wait yet
}

// startClock starts the clock of a call. The caller must stop it.
func startClock(ctx context.Context, name string, limits model.Limits, streams bool) (context.Context, *clock) {
	c := &clock{provider: name, limits: limits, streams: streams, left: limits.FirstTokenTimeout}
	ctx, c.cancel = context.WithCancelCause(ctx)
	if limits.Timeout > 0 {
		c.total = time.AfterFunc(limits.Timeout, func() {
			c.end(fmt.Sprintf("the call took longer than %v; raise timeout if it needs more", limits.Timeout))
		})
	}
	return ctx, c
}

func (c *clock) end(why string) {
	err := &model.Error{Provider: c.provider, Kind: model.ErrorTimeout, Retryable: true, Err: errors.New(why)}
	c.cancel(err)
}

// stop releases what the clock holds.
func (c *clock) stop() {
	if c.total != nil {
		c.total.Stop()
	}
	c.rest()
	c.cancel(nil)
}

// limit returns the limit that counts now, and the name of its key; 0 if there is none.
func (c *clock) limit() (time.Duration, string) {
	switch {
	case !c.streams:
		return 0, ""
	case c.begun:
		return c.limits.IdleTimeout, "idle_timeout"
	default:
		return c.limits.FirstTokenTimeout, "first_token_timeout"
	}
}

// waits runs the clock while the call waits for the server.
func (c *clock) waits() {
	c.mu.Lock()
	defer c.mu.Unlock()
	limit, key := c.limit()
	if limit == 0 {
		return
	}
	c.started = time.Now()
	if c.wait != nil {
		c.wait.Stop()
	}
	what := "no token has come for"
	if !c.begun {
		what = "there was no token within"
	}
	c.wait = time.AfterFunc(c.left, func() { c.end(fmt.Sprintf("%s %v; raise %s if the model needs more", what, limit, key)) })
}

// rest stops the clock while the call does not wait.
func (c *clock) rest() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.wait == nil {
		return
	}
	c.wait.Stop()
	if !c.started.IsZero() {
		c.left -= time.Since(c.started)
	}
	c.started = time.Time{}
}

// token notes that a token has arrived.
func (c *clock) token() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.begun = true
	c.left = c.limits.IdleTimeout
}

// again starts the wait for the first token anew, for another attempt.
func (c *clock) again() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.left = c.limits.FirstTokenTimeout
}

// clockedBody is a response body whose reads the clock watches. Closing it stops the clock.
type clockedBody struct {
	io.ReadCloser

	ctx   context.Context
	clock *clock
}

func (b *clockedBody) Read(p []byte) (int, error) {
	b.clock.waits()
	n, err := b.ReadCloser.Read(p)
	b.clock.rest()
	if err != nil {
		err = ended(b.ctx, err)
	}
	return n, err
}

func (b *clockedBody) Close() error {
	b.clock.stop()
	return b.ReadCloser.Close()
}

// ended returns the error with which the clock ended a call, or else err.
func ended(ctx context.Context, err error) error {
	if late, ok := context.Cause(ctx).(*model.Error); ok { //nolint:errorlint // the clock sets it as it is
		return late
	}
	return err
}
