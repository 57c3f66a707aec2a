package langgraph

import (
	"net/http"
	"slices"
	"sync"

	"github.com/agenthost/agenthost/host/store"
	"github.com/agenthost/agenthost/server/auth"
	"github.com/agenthost/agenthost/server/internal/access"
	"github.com/agenthost/agenthost/server/internal/door"
)

// Config configures the door.
type Config struct {
	door.Config

	Store   store.Store    // the long-term memory that clients may read and write; nil: there is none
	Inbound access.Inbound // the messages of WebSockets
	// Healthy returns why the server cannot do its work; nil: it always can.
	Healthy func(r *http.Request) error
}

// Handler is the door.
type Handler struct {
	*door.Door

	Store   store.Store
	Inbound access.Inbound
	Healthy func(r *http.Request) error

	entering sync.Mutex     // held while a WebSocket is counted, so that Wait misses none
	sockets  sync.WaitGroup // those that are open
}

// New returns the door.
func New(config Config) *Handler {
	h := &Handler{Store: config.Store, Inbound: config.Inbound, Healthy: config.Healthy}
	h.Door = door.New(config.Config, h.routes(), func(c *door.Call, err error) { (&call{c}).fail(err) }, door.Lost)
	return h
}

// Patterns returns the patterns of all routes, as net/http has them.
func Patterns() []string { return door.Patterns((&Handler{}).routes()) }

// Wait waits until the WebSockets have ended, which a stopping HTTP server does not wait for. They end with Closing.
func (h *Handler) Wait() {
	h.entering.Lock() // whoever has not entered by now sees that the server stops
	defer h.entering.Unlock()
	h.sockets.Wait()
}

// enter counts a WebSocket. It reports false if the server stops.
func (h *Handler) enter() bool {
	h.entering.Lock()
	defer h.entering.Unlock()
	if h.Closing.Err() != nil {
		return false
	}
	h.sockets.Add(1)
	return true
}

// route is a route of the door, see [door.Route].
type route struct {
	pattern string
	scope   auth.Scope
	serve   func(*call) error
	api     api
}

func (h *Handler) routes() []door.Route {
	own := slices.Concat(h.serverRoutes(), h.assistantRoutes(), h.threadRoutes(), h.runRoutes(), h.cronRoutes(), h.storeRoutes(), h.costRoutes())
	out := make([]door.Route, len(own))
	for i, r := range own {
		out[i] = door.Route{
			Pattern: r.pattern, Scope: r.scope, API: door.API(r.api), Serve: func(c *door.Call) error { return r.serve(&call{c}) },
		}
	}
	return out
}

// streaming returns what answers a call whose answer may take long, see [door.Door.Stream].
func (h *Handler) streaming(prepare func(*call) (door.Reply, error)) func(*call) error {
	return func(c *call) error { return h.Stream(c.Call, func() (door.Reply, error) { return prepare(c) }) }
}
