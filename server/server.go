package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agenthost/agenthost/engine"
	"github.com/agenthost/agenthost/host/store"
	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/runs/webhook"
	"github.com/agenthost/agenthost/server/a2a"
	"github.com/agenthost/agenthost/server/config"
	"github.com/agenthost/agenthost/server/dev"
	"github.com/agenthost/agenthost/server/internal/access"
	"github.com/agenthost/agenthost/server/internal/door"
	"github.com/agenthost/agenthost/server/langgraph"
	"github.com/agenthost/agenthost/server/mcp"
)

// Config configures a server.
type Config struct {
	Agents map[string]runs.Agent // by name; their threads are in one place
	Runs   runs.Store
	Store  store.Store    // long-term memory for clients; nil: they have none
	Serve  *config.Config // nil: the defaults
	Logger *slog.Logger   // nil: nothing is logged
	// Version is that of agenthost, for clients.
	Version string
	// Dev is what the page of `agenthost dev` works with; nil: there are no paths below /dev/.
	Dev *dev.Config
	// OlderA2A serves version 0.3 of A2A, see package server/a2a/older; nil: only version 1.0 is served.
	OlderA2A a2a.Older
	// Start starts what performs runs, such as a worker of package engine/temporal, or has them performed elsewhere; nil: [engine.Start]. The
	// server closes it.
	Start func(c engine.Config) (Engine, error)
	// Observe wraps what answers requests, to record them; route returns the pattern of a request, such as "/threads/{thread}", or "". nil: nothing
	// does.
	Observe func(next http.Handler, route func(r *http.Request) string) http.Handler
	Began   func(r *runs.Run) // see [engine.Config]
}

// Engine performs runs, or has them performed.
type Engine interface {
	// Close stops it. When ctx ends, runs that have not yielded are cut off.
	Close(ctx context.Context)
}

// Server is a server of agents. It performs runs from New on; the caller must close it.
type Server struct {
	config      Config
	log         *slog.Logger
	door        *langgraph.Handler
	a2a         *a2a.Handler
	mounts      []mount
	mcp         *mcp.Door
	dev         *dev.Handler // nil: there is none
	service     *runs.Service
	engine      Engine
	webhooks    *webhook.Sender
	told        *deliveries
	mux         *http.ServeMux
	handler     http.Handler
	description []byte              // of the API
	certificate *config.Certificate // nil: plain HTTP
	release     func() error        // of what authenticates
	budget      *runs.Budget        // of each owner; nil: any amount
	streams     *access.Slots
	stopping    atomic.Bool
	closing     context.Context //nolint:containedctx // it ends when streams must
	endStream   context.CancelFunc
	closed      sync.Once
}

// New returns a server. The agents and stores stay the caller's, and must stay open until the server is closed.
func New(c Config) (_ *Server, err error) {
	if c.Serve == nil {
		c.Serve = config.Default()
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Server{config: c, log: c.Logger}
	defer func() {
		if err != nil {
			s.abandon()
		}
	}()
	s.closing, s.endStream = context.WithCancel(context.Background())
	if s.certificate, err = c.Serve.Certificate(); err != nil {
		return nil, err
	}
	authenticator, release, err := c.Serve.Authenticator()
	if err != nil {
		return nil, err
	}
	s.release = release
	if s.webhooks, err = webhook.New(webhook.Config{
		Private: c.Serve.Webhooks.Private(), Timeout: c.Serve.Webhooks.Timeout, Attempts: c.Serve.Webhooks.Attempts,
	}); err != nil {
		return nil, err
	}
	if s.budget, err = c.ownerBudget(); err != nil {
		return nil, err
	}
	s.told = newDeliveries(s)
	s.streams = access.NewSlots("streams", c.Serve.Limits.StreamsPerOwner, c.Serve.Limits.Streams)
	shared := door.Config{Streams: s.streams, Logger: c.Logger, Version: c.Version, Closing: s.closing}
	s.door = langgraph.New(langgraph.Config{Config: shared, Store: c.Store, Healthy: s.healthy})
	if s.service, err = runs.NewService(runs.ServiceConfig{
		Store: c.Runs, Agents: c.Agents, Logger: c.Logger, MaxQueued: c.Serve.Limits.RunsPerOwner, Budget: s.budget, Expiry: expiry(c.Serve),
		KeepEvents: c.Serve.Retention.Events, CheckWebhook: s.webhooks.Check, Fire: s.door.Fire, Next: langgraph.NextFire,
	}); err != nil {
		return nil, err
	}
	s.openDoors(shared)
	if c.Dev != nil {
		with := *c.Dev
		with.Service, with.Streams, with.Closing = s.service, s.streams, s.closing
		s.dev = dev.New(with)
	}
	s.service.Start()
	if s.description, err = OpenAPI(); err != nil {
		return nil, err
	}
	if s.handler, err = s.wrap(authenticator); err != nil {
		return nil, err
	}
	if c.Observe != nil {
		s.handler = c.Observe(s.handler, s.route)
	}
	s.handler = s.unslashed(s.handler)
	start := c.Start
	if start == nil {
		start = func(c engine.Config) (Engine, error) { return engine.Start(c) }
	}
	s.engine, err = start(engine.Config{
		Began: c.Began,
		Store: c.Runs, Agents: c.Agents, Logger: c.Logger, Timeout: c.Serve.Limits.RunTimeout, Ended: s.told.ended,
		Live: s.service.Live(), Lease: c.Serve.Lease,
		Concurrent: c.Serve.Engine.Runs, Budget: s.budget,
	})
	return s, err
}

// ownerBudget returns what the runs of each owner may cost; nil: any amount.
func (c *Config) ownerBudget() (*runs.Budget, error) {
	if c.Serve.Limits.OwnerCost == 0 {
		return nil, nil //nolint:nilnil // any amount
	}
	currency := ""
	for _, name := range slices.Sorted(maps.Keys(c.Agents)) {
		switch own := c.Agents[name].Currency; {
		case own == "":
			return nil, fmt.Errorf("limits.owner_cost in serve.yaml: the agent %q has no prices, so nobody could keep the budget; add prices", name)
		case currency != "" && own != currency:
			return nil, fmt.Errorf("limits.owner_cost in serve.yaml: the agents have prices in %s and %s; use one currency", currency, own)
		default:
			currency = own
		}
	}
	return c.Serve.Limits.OwnerBudget(currency), nil
}

func expiry(c *config.Config) *runs.Expiry {
	if c.Retention.Threads.TTL == 0 {
		return nil
	}
	return &runs.Expiry{After: c.Retention.Threads.TTL}
}

// abandon releases what a server has that could not be made.
func (s *Server) abandon() {
	s.endStream()
	if s.door != nil {
		s.door.Wait()
	}
	if s.mcp != nil {
		s.mcp.Close()
	}
	if s.service != nil {
		s.service.Close()
	}
	if s.told != nil {
		s.told.close()
	}
	if s.webhooks != nil {
		_ = s.webhooks.Close()
	}
	if s.release != nil {
		_ = s.release()
	}
}

// Handler answers the requests of clients.
func (s *Server) Handler() http.Handler { return s.handler }

// Streams counts the streams that clients read, and the requests that wait for a run.
func (s *Server) Streams() int {
	_, all := s.streams.InUse("")
	return all
}

// Service returns what the doors of the server use.
func (s *Server) Service() *runs.Service { return s.service }

// healthy returns why the server cannot do its work.
func (s *Server) healthy(r *http.Request) error {
	if s.stopping.Load() {
		return errors.New("the server is stopping")
	}
	ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
	defer cancel()
	if _, _, err := s.config.Runs.FindAssistants(ctx, "", &runs.AssistantQuery{Page: runs.Page{Limit: 1}}); err != nil {
		return fmt.Errorf("the database does not answer: %w", err)
	}
	return nil
}

// Serve answers requests until the context ends. Then it stops: runs yield at their next step and are given back, so that
// another server goes on with them, or this one when it starts again. Those that have not yielded after the time drain of the configuration are
// cut off, and go on from their last checkpoint. Serve closes the listener and the server.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	server := access.NewServer(s.handler, s.log)
	ended := make(chan error, 1)
	go func() {
		if s.certificate != nil {
			server.TLSConfig = &tls.Config{GetCertificate: s.certificate.Get, MinVersion: tls.VersionTLS12}
			ended <- server.ServeTLS(listener, "", "")
			return
		}
		ended <- server.Serve(listener)
	}()
	var failed error
	select {
	case failed = <-ended:
	case <-ctx.Done():
	}
	s.stopping.Store(true)
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.config.Serve.Drain)
	defer cancel()
	s.Close(drain)
	leave, cancelLeave := context.WithTimeout(context.WithoutCancel(ctx), leaveTime)
	defer cancelLeave()
	if err := server.Shutdown(leave); err != nil {
		_ = server.Close()
	}
	if failed == nil {
		failed = <-ended
	}
	if errors.Is(failed, http.ErrServerClosed) {
		return nil
	}
	return failed
}

// leaveTime is how long clients may take to read the end of their answers when the server stops.
const leaveTime = 5 * time.Second

// Close stops the server. When ctx ends, runs that have not yielded are cut off.
func (s *Server) Close(ctx context.Context) {
	s.closed.Do(func() {
		s.stopping.Store(true)
		s.engine.Close(ctx)
		s.abandon()
	})
}
