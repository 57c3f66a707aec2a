package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"time"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/server/internal/sse"
)

// Event is an event of a stream.
type Event struct {
	ID   string // what [Client.Follow] goes on behind; "": the event has none
	Name string // a stream mode, such as "values" or "messages", perhaps with a namespace behind "|"; "metadata" or "error"
	Data json.RawMessage
}

const (
	idleTimeout = time.Minute // without a byte, not even a comment: servers send one every few seconds
	mostLost    = 5           // how often in turn a stream is opened again without a new event
	firstWait   = 200 * time.Millisecond
)

// Stream starts a run and yields its events until it is over. A connection that breaks is made again behind the last event, so that none is
// missing or comes twice. If the consumer stops or ctx ends, the run goes on: [Client.CancelRun] stops it. The run's id is in
// the event "metadata", as run_id. The last value may be an error: an [*Error], that of ctx, or one that says why the server cannot be
// reached.
func (c *Client) Stream(ctx context.Context, thread string, r *RunRequest) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		body, err := r.body()
		if err != nil {
			yield(Event{}, err)
			return
		}
		body.Set("stream_resumable", wire.Bool(true))
		body.Set("on_disconnect", wire.String("continue"))
		s := &stream{client: c, thread: thread, yield: yield}
		s.follow(ctx, request{method: http.MethodPost, path: []string{"threads", thread, "runs", "stream"}, body: &body})
	}
}

// Follow yields the events of a run that is there, those behind the event with an id; "" is for those that come from now on, and "-1" for
// all that are kept. It is otherwise like [Client.Stream].
func (c *Client) Follow(ctx context.Context, thread, run, lastEventID string) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		s := &stream{client: c, thread: thread, run: run, last: lastEventID, yield: yield}
		s.follow(ctx, s.again())
	}
}

// stream is a stream of a run that may take several connections.
type stream struct {
	client *Client
	thread string
	run    string // "": not known yet
	last   string // id of the last event
	left   bool   // the consumer wants no more
	yield  func(Event, error) bool
}

// again is the request that goes on behind the last event.
func (s *stream) again() request {
	return request{method: http.MethodGet, path: []string{"threads", s.thread, "runs", s.run, "stream"}, lastEvent: s.last}
}

// follow yields events, over as many connections as it takes.
func (s *stream) follow(ctx context.Context, r request) {
	for lost := 0; ; lost++ {
		before := s.last
		err := s.connect(ctx, r)
		if s.left {
			return
		}
		if s.last != before {
			lost = 0
		}
		over := false
		if err == nil {
			over, err = s.isOver(ctx)
		}
		switch {
		case over && err == nil:
			return
		case ctx.Err() != nil:
			err = ctx.Err()
		case s.run != "" && lost < mostLost && goesOn(err):
			if s.last == "" {
				s.last = "-1"
			}
			r = s.again()
			if wait(ctx, firstWait<<lost) == nil {
				continue
			}
			err = ctx.Err()
		default:
			err = s.client.described(ctx, err)
		}
		s.yield(Event{}, err)
		return
	}
}

// isOver reports whether the run has ended: a proxy may have ended the stream before.
func (s *stream) isOver(ctx context.Context) (bool, error) {
	if s.run == "" {
		return false, &answerError{"the stream ended before it named the run"}
	}
	run, err := s.client.Run(ctx, s.thread, s.run)
	if refused, ok := errors.AsType[*Error](err); ok && refused.Status == http.StatusNotFound {
		return true, nil // it was removed
	}
	return err == nil && run.Status != Pending && run.Status != Running, err
}

// goesOn reports whether another connection may do after an error; nil is the end of a connection.
func goesOn(err error) bool {
	if refused, ok := errors.AsType[*Error](err); ok {
		return refused.Status == http.StatusTooManyRequests || refused.Status >= http.StatusInternalServerError
	}
	_, odd := errors.AsType[*answerError](err)
	return !odd
}

// connect yields the events of one connection. The error is nil at the regular end of the stream.
func (s *stream) connect(ctx context.Context, r request) error {
	address, body, err := s.client.prepare(&r)
	if err != nil {
		return err
	}
	inside, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	idle := time.AfterFunc(idleTimeout, func() { stop(errIdle) })
	defer idle.Stop()
	response, err := s.client.send(inside, &r, address, body, "text/event-stream")
	if err != nil {
		return idleCause(inside, err)
	}
	defer func() { _ = response.Body.Close() }()
	if run := runIn(response.Header.Get("Content-Location")); run != "" {
		s.run = run
	}
	reader := sse.NewReader(&watched{response.Body, idle}, maxResponse)
	for {
		e, err := reader.Next()
		switch {
		case errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
			return nil
		case errors.Is(err, sse.ErrTooLarge):
			return &answerError{fmt.Sprintf("an event is longer than %d bytes", maxResponse)}
		case err != nil:
			return idleCause(inside, err)
		}
		if err := s.pass(&e); err != nil || s.left {
			return err
		}
	}
}

// pass hands an event to the consumer.
func (s *stream) pass(e *sse.Event) error {
	if !json.Valid(e.Data) {
		return &answerError{"an event is not JSON"}
	}
	if s.run == "" && e.Name == "metadata" {
		var named struct {
			RunID string `json:"run_id"`
		}
		if json.Unmarshal(e.Data, &named) == nil && isID(named.RunID) {
			s.run = named.RunID
		}
	}
	if s.left = !s.yield(Event{ID: e.ID, Name: e.Name, Data: bytes.Clone(e.Data)}, nil); !s.left && e.ID != "" {
		s.last = e.ID
	}
	return nil
}

// runIn returns the id of the run in the path of a stream, such as /threads/T/runs/R/stream; "" if it has none.
func runIn(location string) string {
	u, err := url.Parse(location)
	if err != nil {
		return ""
	}
	parts := bytes.Split([]byte(u.Path), []byte("/"))
	for i, part := range parts {
		if string(part) == "runs" && i+1 < len(parts) && isID(string(parts[i+1])) && string(parts[i+1]) != "stream" {
			return string(parts[i+1])
		}
	}
	return ""
}

// errIdle ends a connection over which nothing comes.
var errIdle = errors.New("the server has sent nothing for a minute")

func idleCause(ctx context.Context, err error) error {
	if errors.Is(context.Cause(ctx), errIdle) {
		return errIdle
	}
	return err
}

// watched is a body whose bytes show that the connection lives.
type watched struct {
	io.Reader

	idle *time.Timer
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	if n > 0 {
		w.idle.Reset(idleTimeout)
	}
	return n, err
}
