package langgraph

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agenthost/agenthost/host/store"
	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/server/auth"
	"github.com/agenthost/agenthost/server/internal/access"
	"github.com/agenthost/agenthost/server/internal/detail"
)

// Config configures the door.
type Config struct {
	Service *runs.Service
	Store   store.Store    // the long-term memory that clients may read and write; nil: there is none
	Streams *access.Slots  // open streams; nil: any number
	Logger  *slog.Logger   // nil: nothing is logged
	Version string         // of agenthost
	Inbound access.Inbound // the messages of WebSockets
	// Heartbeat is the interval in which a stream shows that it lives; 0: 5 s.
	Heartbeat time.Duration
	// Closing ends when the server stops: streams then close, and clients come back to another server. nil: it never does.
	Closing context.Context //nolint:containedctx // it is that of the server
	// Healthy returns why the server cannot do its work; nil: it always can.
	Healthy func(r *http.Request) error
}

// Handler is the door. Requests must have a principal, see package auth; those that [IsOpen] accepts need none.
type Handler struct {
	Config

	mux *http.ServeMux

	entering sync.Mutex     // held while a WebSocket is counted, so that Wait misses none
	sockets  sync.WaitGroup // those that are open
}

// New returns the door.
func New(config Config) *Handler {
	h := &Handler{Config: config, mux: http.NewServeMux()}
	if h.Logger == nil {
		h.Logger = slog.New(slog.DiscardHandler)
	}
	if h.Streams == nil {
		h.Streams = access.NewSlots("streams", 0, 0)
	}
	if h.Closing == nil {
		h.Closing = context.Background()
	}
	for _, r := range h.routes() {
		h.mux.Handle(r.pattern, r.handler())
	}
	h.mux.HandleFunc(noRoute, h.noRoute)
	return h
}

// IsOpen reports whether a request needs no principal.
func IsOpen(r *http.Request) bool {
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) && slices.Contains([]string{"/ok", "/info"}, r.URL.Path)
}

// Patterns returns the patterns of all routes, as net/http has them.
func Patterns() []string {
	routes := (&Handler{}).routes()
	out := make([]string, len(routes))
	for i := range routes {
		out[i] = routes[i].pattern
	}
	return out
}

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

// ServeHTTP answers a request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.mux.ServeHTTP(w, r) }

// Route returns the pattern of a request, as net/http has it; "" if no route takes it.
func (h *Handler) Route(r *http.Request) string {
	if _, pattern := h.mux.Handler(r); pattern != noRoute {
		return pattern
	}
	return ""
}

// noRoute is the pattern of requests that no route takes.
const noRoute = "/"

// noRoute answers a request that no route takes, in LangGraph's words.
func (h *Handler) noRoute(w http.ResponseWriter, r *http.Request) {
	var allowed []string
	for _, method := range []string{http.MethodDelete, http.MethodGet, http.MethodPatch, http.MethodPost, http.MethodPut} {
		other := r.Clone(r.Context())
		other.Method = method
		if _, pattern := h.mux.Handler(other); pattern != noRoute {
			allowed = append(allowed, method)
		}
	}
	if allowed == nil {
		detail.Write(w, detail.Errorf(http.StatusNotFound, "Not Found"))
		return
	}
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	detail.Write(w, detail.Errorf(http.StatusMethodNotAllowed, "Method Not Allowed"))
}

// route is a pattern, what a request that matches it must be allowed, what answers it, and its description.
type route struct {
	pattern string
	scope   auth.Scope // "": anything that a principal is allowed
	serve   func(*call) error
	api     api
}

func (r *route) handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		p, _ := auth.FromContext(req.Context())
		c := &call{w: w, r: req, principal: p, owner: p.Owner}
		err := error(nil)
		if r.scope != "" {
			err = p.Need(r.scope)
		}
		if err == nil {
			err = r.serve(c)
		}
		if err != nil {
			c.fail(err)
		}
	})
}

// reply sends an answer that may take long. If it returns an error, nothing has been sent.
type reply func() error

// streaming returns what answers a request whose answer may take long, which uses one of its owner's streams meanwhile. What comes before the answer
// happens in a goroutine of its own: databases need deep stacks, and that of the connection's goroutine would stay as large for the life of a stream.
func (h *Handler) streaming(prepare func(*call) (reply, error)) func(*call) error {
	return func(c *call) error {
		release, err := h.Streams.Acquire(c.owner)
		if err != nil {
			return err
		}
		defer release()
		send, err := aside(func() (reply, error) { return prepare(c) })
		if err != nil {
			return err
		}
		return send()
	}
}

// aside calls a function in another goroutine, and waits for it. A panic becomes one of the caller, and says where it was.
func aside[T any](call func() (T, error)) (T, error) {
	type result struct {
		value    T
		err      error
		panicked any
	}
	done := make(chan result)
	go func() {
		var r result
		defer func() {
			if r.panicked = recover(); r.panicked != nil {
				r.panicked = placed(r.panicked)
			}
			done <- r
		}()
		r.value, r.err = call()
	}()
	r := <-done
	if r.panicked != nil {
		panic(r.panicked)
	}
	return r.value, r.err
}

// placed adds to the cause of a panic where it was. The one that ends an answer on purpose stays as it is.
func placed(cause any) any {
	if err, ok := cause.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		return cause
	}
	return fmt.Sprintf("%v, in %s", cause, debug.Stack())
}
