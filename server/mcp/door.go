package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agenthost/agenthost/server/auth"
	"github.com/agenthost/agenthost/server/internal/detail"
	"github.com/agenthost/agenthost/server/internal/door"
	"github.com/agenthost/agenthost/server/internal/jsonbody"
)

// Path is where the door is.
const Path = "/mcp"

// DoorConfig configures a door.
type DoorConfig struct {
	door.Config

	// SessionsPerOwner and Sessions are how many sessions one owner, and all owners together, may have; 0: any number. A new session of an owner
	// with too many ends the one that was used least recently.
	SessionsPerOwner, Sessions int
	Login                      *Login // who issues tokens for the server; nil: nobody does
}

// Door serves all agents of a server over streamable HTTP. Requests must have a principal, see package auth.
type Door struct {
	*door.Door

	login    *Login
	tools    []agentTool
	sessions *sessions
	legacy   http.Handler // protocol versions with sessions
	newer    http.Handler // versions in which each request stands alone

	entering sync.Mutex     // held while something is counted, so that Close misses nothing
	answers  sync.WaitGroup // answers to messages
	watching sync.WaitGroup // sessions that have begun
}

// NewDoor returns the door of a server. Close ends it.
func NewDoor(config DoorConfig) *Door {
	d := &Door{login: config.Login, sessions: newSessions(config.SessionsPerOwner, config.Sessions)}
	d.Door = door.New(config.Config, d.routes(), func(c *door.Call, err error) { d.fail(c, nil, err) }, door.Lost)
	d.tools = d.agentTools()
	options := sdk.StreamableHTTPOptions{
		Logger: slog.New(slog.DiscardHandler), SessionTimeout: sessionTimeout, PropagateRequestCancellation: true,
		EventStore:                 sdk.NewMemoryEventStore(nil), // for clients whose connection was cut
		DisableLocalhostProtection: true,                         // the server has checked the host
		MaxRequestBodyBytes:        -1,                           // the server has limited the body
	}
	serverOf := func(r *http.Request) *sdk.Server { return sessionOf(r.Context()).server }
	d.legacy = sdk.NewStreamableHTTPHandler(serverOf, &options)
	options.Stateless, options.EventStore = true, nil
	d.newer = sdk.NewStreamableHTTPHandler(serverOf, &options)
	return d
}

func (d *Door) routes() []door.Route {
	return append([]door.Route{
		{Pattern: "POST " + Path, Serve: d.post, API: postAPI},
		{Pattern: "GET " + Path, Serve: d.listen, API: listenAPI},
		{Pattern: "DELETE " + Path, Serve: d.leave, API: leaveAPI},
	}, d.login.routes()...)
}

// Close ends all sessions and waits for them. It must be called after the end of Closing, which ends what takes long.
func (d *Door) Close() {
	d.lastCounted()
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		d.answers.Wait()
	}()
	patience := time.NewTimer(leaveTime) //nolint:forbidigo // clients read in real time
	defer patience.Stop()
	select {
	case <-answered:
	case <-patience.C: // a client does not read; the SDK sends no answers once a session is being closed
	}
	for _, s := range d.sessions.all() {
		s.close()
	}
	d.watching.Wait()
}

// leaveTime is how long clients may take to read the end of their answers when the server stops.
const leaveTime = 5 * time.Second

// count counts something that Close waits for. It reports false if the server stops.
func (d *Door) count(in *sync.WaitGroup) bool {
	d.entering.Lock()
	defer d.entering.Unlock()
	if d.Closing.Err() != nil {
		return false
	}
	in.Add(1)
	return true
}

// lastCounted returns when nothing more can be counted, after the end of Closing: whoever comes later sees that the server stops.
func (d *Door) lastCounted() {
	d.entering.Lock()
	d.entering.Unlock() //nolint:gocritic,staticcheck // that is all that the lock is for
}

// message is the part of a client's message that decides what it may do.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
}

// scopes are what methods need; others need only a principal.
var scopes = map[string]auth.Scope{
	"tools/call": auth.ScopeRuns, "resources/list": auth.ScopeThreads, "resources/read": auth.ScopeThreads, "resources/subscribe": auth.ScopeThreads,
}

// waits reports whether the answer to a message may take long.
func (m *message) waits() bool { return m.Method == "tools/call" || m.Method == "subscriptions/listen" }

// post answers a message of a client.
func (d *Door) post(c *door.Call) error {
	body, err := jsonbody.Read(c.R)
	if err != nil {
		return err
	}
	var m message
	if trimmed := bytes.TrimSpace(body); len(trimmed) > 0 && trimmed[0] == '[' {
		return detail.Errorf(http.StatusBadRequest, "the body has several messages; send one in each request")
	}
	if err := jsonbody.Unmarshal(body, &m); err != nil {
		return badRequest(err)
	}
	if scope, ok := scopes[m.Method]; ok {
		if err := c.Principal.Need(scope); err != nil {
			d.challenge(c, scope)
			d.fail(c, m.ID, err)
			return nil
		}
	}
	if err := d.answer(c, &m, body); err != nil {
		d.fail(c, m.ID, err)
	}
	return nil
}

// badRequest returns an error about a body with the status that clients of the protocol know.
func badRequest(err error) error {
	if own, ok := errors.AsType[*detail.Error](err); ok && own.Status == http.StatusUnprocessableEntity {
		return &detail.Error{Status: http.StatusBadRequest, Text: own.Text, Cause: own.Cause}
	}
	return err
}

// answer lets the SDK answer a message.
func (d *Door) answer(c *door.Call, m *message, body []byte) error {
	if !d.count(&d.answers) {
		return stopping()
	}
	defer d.answers.Done()
	s, handler, done, err := d.enter(c)
	if err != nil {
		return err
	}
	defer done()
	ctx := context.WithValue(c.R.Context(), sessionKey{}, s)
	if m.waits() {
		release, err := d.Streams.Acquire(c.Owner)
		if err != nil {
			return err
		}
		defer release()
		b := beat(c.W, d.Heartbeat)
		defer b.stop()
		c.W = b
	}
	if m.Method == "subscriptions/listen" {
		var stop context.CancelFunc
		ctx, stop = d.untilClosing(ctx)
		defer stop()
	}
	r := c.R.WithContext(ctx)
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	handler.ServeHTTP(c.W, r)
	return nil
}

// enter returns the session of a request, what answers it, and the function to call after that.
func (d *Door) enter(c *door.Call) (s *session, handler http.Handler, done func(), err error) {
	if c.R.Header.Get("Mcp-Protocol-Version") >= statelessVersion {
		s := d.newSession(&c.Principal)
		return s, d.newer, func() { s.end(); s.watching.wait() }, nil
	}
	if c.R.Header.Get(sessionHeader) != "" {
		s, err := d.sessionOf(c)
		return s, d.legacy, func() {}, err
	}
	s, dropped, err := d.sessions.open(d.newSession(&c.Principal))
	if dropped != nil {
		dropped.close()
	}
	if err != nil {
		return nil, nil, nil, err
	}
	return s, d.legacy, func() {
		if s.begun.Load() == nil { // the SDK has closed it
			d.sessions.remove(s)
			s.end()
		}
	}, nil
}

// sessionHeader names the session of a request.
const sessionHeader = "Mcp-Session-Id"

// sessionOf returns the session that a request names. That of another principal does not exist.
func (d *Door) sessionOf(c *door.Call) (*session, error) {
	s := d.sessions.find(c.R.Header.Get(sessionHeader), &c.Principal)
	if s == nil {
		return nil, detail.Errorf(http.StatusNotFound, "there is no such session; begin a new one")
	}
	return s, nil
}

// listen answers with the stream of what happens outside requests.
func (d *Door) listen(c *door.Call) error {
	s, err := d.sessionOf(c)
	if err != nil {
		return err
	}
	if d.Closing.Err() != nil {
		return stopping()
	}
	release, err := d.Streams.Acquire(c.Owner)
	if err != nil {
		return err
	}
	defer release()
	ctx, stop := d.untilClosing(context.WithValue(c.R.Context(), sessionKey{}, s))
	defer stop()
	b := beat(c.W, d.Heartbeat)
	defer b.stop()
	d.legacy.ServeHTTP(b, c.R.WithContext(ctx))
	return nil
}

// untilClosing returns a context that also ends when the server stops.
func (d *Door) untilClosing(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := context.WithCancel(ctx)
	forget := context.AfterFunc(d.Closing, stop)
	return ctx, func() { forget(); stop() }
}

// leave ends a session, and the calls in it.
func (d *Door) leave(c *door.Call) error {
	s, err := d.sessionOf(c)
	if err != nil {
		return err
	}
	s.close()
	if own := s.begun.Load(); own != nil {
		_ = own.Close() // its calls end
	}
	return c.Done()
}

func stopping() error {
	return &detail.Error{Status: http.StatusServiceUnavailable, RetryAfter: time.Second, Text: "the server is stopping"}
}
