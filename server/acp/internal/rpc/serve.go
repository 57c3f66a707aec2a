package rpc

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
)

// Request is a request or a notification of the peer.
type Request struct {
	Method       string
	Params       json.RawMessage
	Notification bool // nobody waits for an answer
}

// Answer is what a request gets.
type Answer struct {
	Result any
	Then   func() // called after the answer was sent; nil: nothing
}

// Handler begins a request. It is called in the order of the messages, and must return soon; what it returns is called in a goroutine of its
// own and performs the request. A nil function answers with an empty object.
type Handler func(r *Request) (perform func(ctx context.Context) (*Answer, error), err error)

// Serve reads messages until the peer ends the stream, or ctx ends. The requests in progress then go on; Wait waits for them. The error is that of
// the stream, that of the context, or ErrClosed. Serve is called once.
//
// A read that has begun goes on when ctx ends, until the stream has something or is closed.
func (c *Conn) Serve(ctx context.Context, in io.Reader, out io.Writer, handle Handler) error {
	s := &serving{Conn: c, ctx: ctx, handle: handle}
	go c.write(out) // it ends when the connection is closed, see Written
	type read struct {
		line []byte
		err  error
	}
	next := make(chan read)
	go func() { // it may outlive Serve, see above
		l := &lines{in: bufio.NewReader(in), limit: c.limits.Message}
		for {
			line, err := l.next()
			select {
			case next <- read{line, err}:
			case <-ctx.Done():
				return
			case <-c.done:
				return
			}
			if err != nil && !errors.Is(err, errLong) {
				return
			}
		}
	}()
	for {
		select {
		case r := <-next:
			switch {
			case errors.Is(r.err, errLong):
				s.refuse(null, Errorf(CodeInvalidRequest, "the message has more than %d bytes", c.limits.Message))
			case errors.Is(r.err, io.EOF):
				return nil
			case r.err != nil:
				return r.err
			default:
				s.message(r.line)
			}
		case <-c.done:
			return ErrClosed
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// serving is what one call of Serve needs.
type serving struct {
	*Conn

	ctx    context.Context //nolint:containedctx // of reading: requests outlive it
	handle Handler
}

// message handles a line.
func (s *serving) message(line []byte) {
	if len(line) == 0 || len(line) == 1 && line[0] == '\n' {
		return
	}
	m, wrong := read(line)
	switch {
	case wrong != nil:
		s.refuse(m.ID, wrong)
	case m.Method == "" && len(m.ID) > 0 && (m.Error != nil || len(m.Result) > 0):
		s.answer(m)
	case m.Method == "":
		s.refuse(null, Errorf(CodeInvalidRequest, "the message has neither a method nor a result"))
	case m.Method == cancelMethod:
		s.cancel(m.Params)
	case len(m.ID) == 0:
		s.notified(m)
	default:
		s.request(m)
	}
}

// refuse answers with an error.
func (s *serving) refuse(id json.RawMessage, err *Error) {
	_ = s.send(s.ctx, &message{ID: id, Error: err}) // the peer may be gone
}

// notified performs a notification; nobody learns of an error.
func (s *serving) notified(m *message) {
	perform, err := s.handle(&Request{Method: m.Method, Params: m.Params, Notification: true})
	if err == nil && perform != nil {
		s.going.Go(func() { _, _ = perform(context.WithoutCancel(s.ctx)) })
	}
}

// request begins a request.
func (s *serving) request(m *message) {
	id := string(m.ID)
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(s.ctx))
	s.mu.Lock()
	_, twice := s.requests[id]
	full := len(s.requests) >= s.limits.Requests
	if !twice && !full {
		s.requests[id] = cancel
	}
	s.mu.Unlock()
	switch {
	case twice:
		cancel(nil)
		s.refuse(m.ID, Errorf(CodeInvalidRequest, "a request with this id is in progress"))
		return
	case full:
		cancel(nil)
		s.refuse(m.ID, Errorf(CodeBusy, "more than %d requests are in progress; wait for an answer", s.limits.Requests))
		return
	}
	perform, err := s.handle(&Request{Method: m.Method, Params: m.Params})
	s.going.Go(func() {
		defer cancel(nil)
		answer := &Answer{}
		if err == nil && perform != nil {
			answer, err = perform(ctx)
		}
		s.mu.Lock()
		delete(s.requests, id)
		s.mu.Unlock()
		s.reply(m.ID, answer, err)
	})
}

// reply sends the answer to a request.
func (s *serving) reply(id json.RawMessage, answer *Answer, err error) {
	m := &message{ID: id}
	if err == nil {
		if answer.Result == nil {
			answer.Result = struct{}{}
		}
		m.Result, err = json.Marshal(answer.Result)
	}
	if err != nil {
		m.Error = errorOf(err)
	}
	if s.send(context.WithoutCancel(s.ctx), m) == nil && err == nil && answer.Then != nil {
		answer.Then()
	}
}

// ErrCancelled is the cause of a request's context when the peer has cancelled the request.
var ErrCancelled = &Error{Code: CodeCancelled, Message: "the request was cancelled"}

// cancel cancels a request of the peer.
func (s *serving) cancel(params json.RawMessage) {
	var p cancelParams
	if json.Unmarshal(params, &p) != nil {
		return
	}
	s.mu.Lock()
	cancel := s.requests[string(p.RequestID)]
	s.mu.Unlock()
	if cancel != nil {
		cancel(ErrCancelled)
	}
}
