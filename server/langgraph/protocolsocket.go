package langgraph

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"
	"github.com/google/uuid"

	"github.com/agenthost/agenthost/server/internal/door"
	"github.com/agenthost/agenthost/server/internal/sse"
	"github.com/agenthost/agenthost/server/langgraph/internal/protocol"
)

// socket is a WebSocket of the newer protocol. One goroutine performs commands and sends events; another one reads, and waits while that is busy, so
// that a client gets no further ahead than by one command; a third one looks whether the client is still there.
type socket struct {
	h      *Handler
	c      *call
	thread string
	conn   *websocket.Conn

	subscriptions map[string]*subscription
	source        *protocolSource // nil: nobody has subscribed
	through       uint64          // seq of the last event that was sent
	answer        []waitingAnswer
}

// subscription is what a client has subscribed to, and how far it is.
type subscription struct {
	filter protocol.Filter
	since  *uint64
	at     protocol.Place // the events up to here were looked at
	sent   int
}

// waitingAnswer is the answer to a subscription, which follows the events that are there already.
type waitingAnswer struct {
	id           int64
	subscription string
}

// maxSubscriptions is how many subscriptions a WebSocket may have.
const maxSubscriptions = 100

// upgrades reports whether a request wants to become a WebSocket.
func upgrades(r *http.Request) bool { return strings.EqualFold(r.Header.Get("Upgrade"), "websocket") }

// accept makes a WebSocket of a request whose origin was checked.
func accept(c *call) (*websocket.Conn, error) {
	return websocket.Accept(c.W, c.R, &websocket.AcceptOptions{InsecureSkipVerify: true})
}

// applicationClose is what is added to the status of an error for the code with which a WebSocket ends: a page cannot read the status of a refused
// handshake.
const applicationClose = 4000

// refuseSocket tells a client why it gets no WebSocket.
func (h *Handler) refuseSocket(c *call, failure error) {
	_, text, status := c.refusal(failure)
	conn, err := accept(c)
	if err != nil {
		return // it was answered
	}
	_ = conn.Write(c.R.Context(), websocket.MessageText, encoded(protocol.Failed(nil, protocol.UnknownError, text)))
	_ = conn.Close(websocket.StatusCode(applicationClose+status), limited(text))
}

// serveSocket answers with a WebSocket, until the client or the server goes away.
func (h *Handler) serveSocket(c *call, thread string) error {
	conn, err := accept(c)
	if err != nil {
		return nil // it was answered
	}
	if h.Inbound.Most > 0 {
		conn.SetReadLimit(h.Inbound.Most)
	}
	ctx, leave := context.WithCancelCause(context.WithoutCancel(c.R.Context()))
	defer func() { // also after a panic
		leave(sse.ErrClientGone)
		_ = conn.CloseNow()
	}()
	s := &socket{h: h, c: c, thread: thread, conn: conn, subscriptions: map[string]*subscription{}}
	incoming := make(chan message)
	var parts sync.WaitGroup
	parts.Go(func() { leave(s.read(ctx, incoming)) })
	parts.Go(func() { leave(s.watch(ctx)) })
	err = s.run(ctx, incoming)
	code, reason := websocket.StatusNormalClosure, ""
	switch {
	case err == nil:
		code, reason = websocket.StatusGoingAway, "the server is stopping"
	case !errors.Is(err, sse.ErrClientGone):
		_ = s.write(ctx, protocol.Failed(nil, protocol.UnknownError, unreadable))
		code, reason = websocket.StatusInternalError, unreadable
	}
	_ = conn.Close(code, reason) // the reader is still there for the answer
	leave(err)
	_ = conn.CloseNow()
	parts.Wait()
	if s.source != nil {
		s.source.close()
	}
	return err
}

// message is what a client sent.
type message struct {
	text    []byte
	binary  bool
	release func() // of its memory
}

// read reads messages until the client is gone.
func (s *socket) read(ctx context.Context, incoming chan<- message) error {
	for {
		m, err := s.readOne(ctx)
		if err != nil {
			return fmt.Errorf("%w: %w", sse.ErrClientGone, err)
		}
		select {
		case incoming <- m:
		case <-ctx.Done():
			m.release()
			return context.Cause(ctx)
		}
	}
}

// readOne reads a message. It may come at any time, but must arrive soon once it has begun.
func (s *socket) readOne(ctx context.Context) (message, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	kind, reader, err := s.conn.Reader(ctx)
	if err != nil {
		return message{}, err
	}
	if within := s.h.Inbound.Within; within > 0 {
		defer time.AfterFunc(within, cancel).Stop() //nolint:forbidigo // clients are waited for in real time
	}
	m := message{binary: kind != websocket.MessageText, release: func() {}}
	if budget := s.h.Inbound.Budget; budget != nil {
		reader, m.release = budget.Count(reader)
	}
	if m.text, err = io.ReadAll(reader); err != nil {
		m.release()
	}
	return m, err
}

// watch ends the connection of a client that does not answer.
func (s *socket) watch(ctx context.Context) error {
	interval := s.h.Heartbeat
	if interval <= 0 {
		interval = sse.DefaultHeartbeat
	}
	beat := time.NewTicker(interval) //nolint:forbidigo // likewise
	defer beat.Stop()
	for {
		select {
		case <-beat.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		within, cancel := context.WithTimeout(ctx, patience)
		err := s.conn.Ping(within)
		cancel()
		if err != nil {
			return fmt.Errorf("%w: %w", sse.ErrClientGone, err)
		}
	}
}

// patience is how long a client may take to show that it is there: it may have to accept a large event first.
const patience = time.Minute

// run performs commands and sends events. It returns nil when the server stops.
func (s *socket) run(ctx context.Context, incoming <-chan message) error {
	idle := make(chan struct{}) // never has a value
	for {
		news, err := s.send(ctx)
		if err != nil {
			return err
		}
		ready := make(chan struct{})
		if news == nil && s.source != nil { // there may be more frames
			close(ready)
		}
		if news == nil {
			news = idle
		}
		select {
		case <-s.h.Closing.Done():
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		case m := <-incoming:
			err := s.perform(ctx, &m)
			m.release()
			if err != nil {
				return err
			}
		case <-news:
		case <-ready:
		}
	}
}

// send sends the next events. If there are none at the moment, it answers to subscriptions, and returns a channel that has a value when there
// may be some.
func (s *socket) send(ctx context.Context) (<-chan struct{}, error) {
	if s.source == nil {
		return nil, nil
	}
	found, news, err := s.source.frames(ctx)
	if err != nil {
		return nil, err
	}
	for i := range found {
		if s.due(&found[i]) {
			if err := s.write(ctx, &found[i]); err != nil {
				return nil, err
			}
			s.through = max(s.through, found[i].Seq())
		}
	}
	for _, one := range s.subscriptions {
		if s.source.at.Behind(one.at) {
			one.at = s.source.at
		}
	}
	if news == nil {
		return nil, nil
	}
	for _, a := range s.answer {
		sent := 0
		if one := s.subscriptions[a.subscription]; one != nil {
			sent = one.sent
		}
		result := map[string]any{"subscription_id": a.subscription, "replayed_events": sent}
		if err := s.write(ctx, protocol.Done(a.id, result, s.through)); err != nil {
			return nil, err
		}
	}
	s.answer = nil
	return news, nil
}

// due reports whether a subscription wants a frame, and none that is there already has brought it.
func (s *socket) due(f *protocol.Frame) bool {
	var due []*subscription
	for _, one := range s.subscriptions {
		switch {
		case !one.filter.Wants(f.Channel, f.Namespace), s.source.seen(one.since, f):
		case !f.Behind(one.at):
			return false
		default:
			due = append(due, one)
		}
	}
	for _, one := range due {
		one.sent++
	}
	return len(due) > 0
}

// write sends a document. As with a stream, a client that takes too long for one piece loses the connection.
func (s *socket) write(ctx context.Context, document any) error {
	text, err := json.Marshal(document)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	late := time.AfterFunc(sse.DefaultWriteTimeout, cancel) //nolint:forbidigo // likewise
	defer late.Stop()
	if len(text) <= maxPiece {
		err = s.conn.Write(ctx, websocket.MessageText, text)
	} else {
		err = s.writePieces(ctx, text, func() { late.Reset(sse.DefaultWriteTimeout) })
	}
	if err != nil {
		return fmt.Errorf("%w: %w", sse.ErrClientGone, err)
	}
	return nil
}

// maxPiece is how many bytes are written under one deadline.
const maxPiece = 64 << 10

func (s *socket) writePieces(ctx context.Context, text []byte, sent func()) error {
	w, err := s.conn.Writer(ctx, websocket.MessageText)
	for err == nil && len(text) > 0 {
		n := min(len(text), maxPiece)
		_, err = w.Write(text[:n])
		text = text[n:]
		sent()
	}
	if err != nil {
		return err
	}
	return w.Close()
}

// perform performs the command in a message, and answers.
func (s *socket) perform(ctx context.Context, m *message) error {
	if s.h.Inbound.Rates != nil {
		if err := s.h.Inbound.Rates.Take(s.c.R); err != nil {
			return s.write(ctx, protocol.Failed(nil, protocol.UnknownError, err.Error()))
		}
	}
	if m.binary {
		return s.write(ctx, protocol.Failed(nil, protocol.InvalidArgument, "Protocol commands must be messages of the type text."))
	}
	cmd, refused := protocol.ReadCommand(m.text)
	if refused != nil {
		return s.write(ctx, refused)
	}
	result, err := s.do(cmd)
	switch {
	case err != nil:
		code, text, _ := s.c.refusal(err)
		return s.write(ctx, protocol.Failed(&cmd.ID, code, text))
	case result == nil: // the answer follows
		return nil
	default:
		return s.write(ctx, protocol.Done(cmd.ID, result, s.through))
	}
}

// do performs a command. A nil result says that its answer follows later.
func (s *socket) do(cmd *protocol.CommandRequest) (any, error) {
	switch cmd.Method {
	case "subscription.subscribe":
		return nil, s.subscribe(cmd)
	case "subscription.unsubscribe":
		return struct{}{}, s.unsubscribe(cmd)
	case "subscription.reconnect":
		return nil, &refusal{protocol.NotSupported, "a connection ends with its subscriptions; send subscription.subscribe with since"}
	default:
		return door.Aside(func() (any, error) { return s.h.perform(s.c, s.thread, cmd) })
	}
}

// subscribe begins to send what a client wants, with what is there already. All subscriptions share one source, which begins again for the new one.
func (s *socket) subscribe(cmd *protocol.CommandRequest) error {
	var body eventRequest
	if err := cmd.Decode(&body); err != nil {
		return err
	}
	if err := body.Check(); err != nil {
		return unprocessable("%s", err.Error())
	}
	if len(s.subscriptions) == maxSubscriptions {
		return unprocessable("the connection has %d subscriptions, which is the limit; end one of them", maxSubscriptions)
	}
	id := uuid.NewString()
	s.subscriptions[id] = &subscription{filter: body.Filter, since: body.Since}
	s.answer = append(s.answer, waitingAnswer{cmd.ID, id})
	if s.source != nil {
		s.source.close()
	}
	var all protocol.Union
	var starts []beginning
	for _, one := range s.subscriptions {
		all, starts = append(all, &one.filter), append(starts, beginning{since: one.since, run: one.at.Run})
	}
	s.source = newProtocolSource(s.h, s.c.Owner, s.thread, all, starts...)
	return nil
}

// unsubscribe ends a subscription.
func (s *socket) unsubscribe(cmd *protocol.CommandRequest) error {
	var body struct {
		ID string `json:"subscription_id"`
	}
	if err := cmd.Decode(&body); err != nil {
		return err
	}
	if s.subscriptions[body.ID] == nil {
		return &refusal{protocol.NoSuchSubscription, "Unknown subscription: " + limited(body.ID)}
	}
	delete(s.subscriptions, body.ID)
	if len(s.subscriptions) == 0 {
		s.source.close()
		s.source = nil
	}
	return nil
}
