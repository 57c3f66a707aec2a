package sse

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// Config is how a stream is sent. The zero value has the defaults.
type Config struct {
	Heartbeat    time.Duration // interval of the heartbeats; 0: [DefaultHeartbeat]
	WriteTimeout time.Duration // how long a client may take to accept 64 KiB; 0: [DefaultWriteTimeout]
	// Closing ends the stream, as when the server stops; nil: it never does.
	Closing <-chan struct{}
}

// The defaults of [Config].
const (
	DefaultHeartbeat    = 5 * time.Second
	DefaultWriteTimeout = 10 * time.Second
)

// maxPiece is how many bytes are written under one deadline.
const maxPiece = 64 << 10

// Source returns the next events of a stream. If there are no more at the moment, it also returns a channel that has a value when there may be some,
// and is asked again then. It returns [io.EOF], perhaps with the last events, at the end of the stream. It must return when its context ends, which
// happens when the client is gone.
type Source func(ctx context.Context) (events []Event, news <-chan struct{}, err error)

// ErrClientGone means that the client closed the connection, or did not read for longer than [Config.WriteTimeout].
var ErrClientGone = errors.New("the client is gone")

// Serve answers a request with a stream: it sends the headers, 10 ms after a request with a body, and then the events of the source with
// heartbeats between them. It returns nil when the source or the server has ended, an error that wraps [ErrClientGone] if the client was there no longer, and
// otherwise the error of the source. Headers that the caller has set before are sent too; the deadlines of the server's ReadTimeout and
// WriteTimeout do not apply to the stream. A panic of the source becomes one of the calling goroutine.
func Serve(w http.ResponseWriter, r *http.Request, source Source, config Config) error {
	if config.Heartbeat <= 0 {
		config.Heartbeat = DefaultHeartbeat
	}
	if config.WriteTimeout <= 0 {
		config.WriteTimeout = DefaultWriteTimeout
	}
	s := &stream{w: w, control: http.NewResponseController(w), timeout: config.WriteTimeout}
	ctx, stop := context.WithCancel(r.Context())
	pull := newPull(source)
	pull.start(ctx)
	defer pull.wait()
	defer stop()
	if r.ContentLength != 0 { // it had a body
		letSettle(ctx)
	}
	if err := s.begin(); err != nil {
		return err
	}
	beat := time.NewTicker(config.Heartbeat)
	defer beat.Stop()
	var news <-chan struct{} // nil while the source is asked
	for {
		select {
		case <-config.Closing:
			return nil
		case <-news:
			news = nil
			pull.start(ctx)
		case <-ctx.Done():
			return fmt.Errorf("sse: %w: %w", ErrClientGone, context.Cause(ctx))
		case <-beat.C:
			if err := s.write([]byte(heartbeat)); err != nil {
				return err
			}
		case got := <-pull.results:
			if err := s.send(got); err != nil || got.err != nil {
				return ended(ctx, got.err, err)
			}
			if news = got.news; news != nil {
				s.buffer = nil // it would be kept while nothing happens
			}
		}
	}
}

// settling is how long the headers of a stream wait after a request with a body.
const settling = 10 * time.Millisecond

// letSettle gives a proxy time to finish with the body of the request. One that is made of Go's net/http, such as Caddy, sends the body and then
// looks for its end; if the answer begins in between, the body is closed, the look fails, and the proxy breaks the connection.
func letSettle(ctx context.Context) {
	timer := time.NewTimer(settling)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// ended returns the error of a stream whose source returned one error and whose connection returned another. A source that ends because
// the client is gone often has a less telling error of its own.
func ended(ctx context.Context, ofSource, ofWrite error) error {
	switch {
	case ofWrite != nil:
		return ofWrite
	case errors.Is(ofSource, io.EOF):
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("sse: %w: %w", ErrClientGone, ofSource)
	default:
		return ofSource
	}
}

// stream writes to one client.
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
	timeout time.Duration
	buffer  []byte
}

// begin sends the headers.
func (s *stream) begin() error {
	h := s.w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // nginx
	h.Del("Content-Length")
	h.Del("Content-Encoding")
	if err := s.control.SetReadDeadline(time.Time{}); err != nil { // it would end the stream: the server notices a lost client by reading
		return fmt.Errorf("sse: the connection has no deadlines: %w", err)
	}
	if err := s.control.SetWriteDeadline(time.Now().Add(s.timeout)); err != nil {
		return fmt.Errorf("sse: the connection has no deadlines: %w", err)
	}
	s.w.WriteHeader(http.StatusOK)
	return s.flush()
}

// send writes a batch.
func (s *stream) send(b batch) (err error) {
	if b.panicked != nil {
		panic(b.panicked)
	}
	if len(b.events) == 0 {
		return nil
	}
	s.buffer = s.buffer[:0]
	for i := range b.events {
		if s.buffer, err = b.events[i].appendTo(s.buffer); err != nil {
			return err
		}
	}
	err = s.write(s.buffer)
	if cap(s.buffer) > maxPiece {
		s.buffer = nil
	}
	return err
}

func (s *stream) write(b []byte) error {
	for len(b) > 0 {
		piece := b[:min(len(b), maxPiece)]
		if err := s.control.SetWriteDeadline(time.Now().Add(s.timeout)); err != nil {
			return fmt.Errorf("sse: %w: %w", ErrClientGone, err)
		}
		if _, err := s.w.Write(piece); err != nil {
			return fmt.Errorf("sse: %w: %w", ErrClientGone, err)
		}
		if err := s.flush(); err != nil {
			return err
		}
		b = b[len(piece):]
	}
	return nil
}

func (s *stream) flush() error {
	if err := s.control.Flush(); err != nil {
		return fmt.Errorf("sse: %w: %w", ErrClientGone, err)
	}
	return nil
}
