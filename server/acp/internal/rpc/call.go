package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// cancelMethod is the notification that cancels a request.
const cancelMethod = "$/cancel_request"

// cancelParams are its parameters.
type cancelParams struct {
	RequestID json.RawMessage `json:"requestId"`
}

// Notify sends a notification.
func (c *Conn) Notify(ctx context.Context, method string, params any) error {
	encoded, err := json.Marshal(params)
	if err != nil {
		return err
	}
	return c.send(ctx, &message{Method: method, Params: encoded})
}

// Call calls a method of the peer and reads the result, unless that is nil. If the context ends first, the peer is told. The error is ErrClosed, that
// of the context, or says what the peer says, or that the result is not what it should be. It is never an *Error, which would pass for our own.
func (c *Conn) Call(ctx context.Context, method string, params, result any) error {
	encoded, err := json.Marshal(params)
	if err != nil {
		return err
	}
	answered := make(chan *message, 1)
	c.mu.Lock()
	c.last++
	id := c.last
	c.calls[id] = answered
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.calls, id)
		c.mu.Unlock()
	}()
	name := json.RawMessage(strconv.FormatUint(id, 10))
	if err := c.send(ctx, &message{ID: name, Method: method, Params: encoded}); err != nil {
		return err
	}
	select {
	case m := <-answered:
		return m.result(method, result)
	case <-c.done:
		return ErrClosed
	case <-ctx.Done():
		_ = c.Notify(context.WithoutCancel(ctx), cancelMethod, cancelParams{name}) // it only saves the peer work
		return context.Cause(ctx)
	}
}

// result reads the result of a call.
func (m *message) result(method string, into any) error {
	if m.Error != nil {
		return errors.New(m.Error.Error())
	}
	if into == nil {
		return nil
	}
	if len(m.Result) == 0 {
		return fmt.Errorf("%s: the client's answer has neither a result nor an error", method)
	}
	if err := json.Unmarshal(m.Result, into); err != nil {
		return fmt.Errorf("%s: the client's answer is not what the protocol says: %w", method, err)
	}
	return nil
}

// answer passes an answer of the peer to the call that waits for it.
func (c *Conn) answer(m *message) {
	id, err := strconv.ParseUint(string(m.ID), 10, 64)
	if err != nil {
		return
	}
	c.mu.Lock()
	waiting := c.calls[id]
	delete(c.calls, id) // a second answer is one to no call
	c.mu.Unlock()
	if waiting != nil {
		waiting <- m
	}
}
