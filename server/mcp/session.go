package mcp

import (
	"context"
	"crypto/rand"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agenthost/agenthost/server/auth"
)

// sessionTimeout is after which time without a request a session ends.
const sessionTimeout = time.Hour

// session is what one client has of the door: a server of the SDK for it alone, so that no message reaches anybody else. In the versions of the
// protocol without sessions, each request has one.
type session struct {
	door   *Door
	id     string
	key    string // names the credential with which it was opened
	owner  string
	server *sdk.Server
	who    atomic.Pointer[auth.Principal]    // the principal of the last request: a token may allow less than an earlier one
	begun  atomic.Pointer[sdk.ServerSession] // nil before the client has introduced itself

	life     context.Context //nolint:containedctx // of the session: its calls end with it
	end      context.CancelFunc
	watching watches

	used uint64 // orders the sessions by their last use; guarded by the table
}

// sessionKey is the context key for the session of a request.
type sessionKey struct{}

func sessionOf(ctx context.Context) *session {
	s, _ := ctx.Value(sessionKey{}).(*session)
	return s
}

// newSession returns a session of a principal, which is not in the table.
func (d *Door) newSession(p *auth.Principal) *session {
	s := &session{door: d, id: rand.Text(), key: p.ID(), owner: p.Owner}
	s.who.Store(p)
	s.life, s.end = context.WithCancel(context.Background())
	s.watching.stops = map[string]context.CancelFunc{}
	version := d.Version
	if version == "" {
		version = "unknown"
	}
	s.server = sdk.NewServer(&sdk.Implementation{Name: "agenthost", Version: version}, &sdk.ServerOptions{
		Logger: slog.New(slog.DiscardHandler), Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}},
		GetSessionID: func() string { return s.id }, SubscribeHandler: s.subscribe, UnsubscribeHandler: s.unsubscribe,
	})
	s.addTools()
	s.addThreads()
	s.server.AddReceivingMiddleware(s.receive)
	return s
}

// receive handles messages of the client before the SDK does.
func (s *session) receive(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		if scope, ok := scopes[method]; ok {
			if err := s.who.Load().Need(scope); err != nil {
				return nil, refusal("the credential lacks the scope %s", scope)
			}
		}
		if list, ok := req.(*sdk.ListResourcesRequest); ok {
			return s.listThreads(ctx, list)
		}
		own, ok := req.GetSession().(*sdk.ServerSession)
		if !ok || method != "initialize" {
			return next(ctx, method, req)
		}
		if !s.door.count(&s.door.watching) {
			return nil, refusal("the server is stopping")
		}
		result, err := next(ctx, method, req)
		if err != nil {
			s.door.watching.Done()
			return nil, err
		}
		s.begin(own)
		return result, nil
	}
}

// begin notes that the client has introduced itself. The session then lives until the SDK closes it, or its life ends.
func (s *session) begin(own *sdk.ServerSession) {
	s.begun.Store(own)
	context.AfterFunc(s.life, func() { _ = own.Close() }) // its client may be gone
	go func() {
		defer s.door.watching.Done()
		_ = own.Wait() // how it ended does not matter
		s.close()
		s.watching.wait()
		_ = own.Close() // it has begun to close, and this waits for it
	}()
}

// close ends the session and the calls in it.
func (s *session) close() {
	s.door.sessions.remove(s)
	s.end()
}

// join returns a context of a call that also ends with the session, and when the server stops.
func (s *session) join(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := s.door.untilClosing(ctx)
	left := context.AfterFunc(s.life, stop)
	return ctx, func() { left(); stop() }
}

// sessions is the table of sessions with an id.
type sessions struct {
	perOwner, total int

	mu      sync.Mutex
	byID    map[string]*session
	byOwner map[string]map[*session]bool
	clock   uint64
}

func newSessions(perOwner, total int) *sessions {
	return &sessions{perOwner: perOwner, total: total, byID: map[string]*session{}, byOwner: map[string]map[*session]bool{}}
}

// open adds a session. If there are too many, it takes the one of the owner out that was used least recently, which the caller closes. The error is for
// an owner who has none while all owners together have too many.
func (t *sessions) open(s *session) (_, dropped *session, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	own := t.byOwner[s.owner]
	if t.perOwner > 0 && len(own) >= t.perOwner || t.total > 0 && len(t.byID) >= t.total {
		for other := range own {
			if dropped == nil || other.used < dropped.used {
				dropped = other
			}
		}
		if dropped == nil {
			s.end()
			return nil, nil, tooMany()
		}
		t.drop(dropped)
	}
	t.byID[s.id] = s
	if t.byOwner[s.owner] == nil {
		t.byOwner[s.owner] = map[*session]bool{}
	}
	t.byOwner[s.owner][s] = true
	t.use(s)
	return s, dropped, nil
}

// find returns the session with an id if it belongs to a principal, and notes that it is used.
func (t *sessions) find(id string, p *auth.Principal) *session {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.byID[id]
	if s == nil || s.owner != p.Owner || s.key != p.ID() {
		return nil
	}
	s.who.Store(p)
	t.use(s)
	return s
}

func (t *sessions) use(s *session) {
	t.clock++
	s.used = t.clock
}

func (t *sessions) remove(s *session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.drop(s)
}

func (t *sessions) drop(s *session) {
	delete(t.byID, s.id)
	delete(t.byOwner[s.owner], s)
	if len(t.byOwner[s.owner]) == 0 {
		delete(t.byOwner, s.owner)
	}
}

func (t *sessions) all() (out []*session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range t.byID {
		out = append(out, s)
	}
	return out
}
