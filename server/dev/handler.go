package dev

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"strconv"

	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/server/auth"
	"github.com/agenthost/agenthost/server/internal/access"
	"github.com/agenthost/agenthost/server/internal/detail"
	"github.com/agenthost/agenthost/server/internal/jsonbody"
	"github.com/agenthost/agenthost/server/internal/sse"
)

// Config says what the door leads to.
type Config struct {
	Board    *Board
	Workshop Workshop

	// The server sets these.
	Service *runs.Service
	Streams *access.Slots
	Closing context.Context //nolint:containedctx // it ends when streams must
}

// Handler answers the requests for /dev/.
type Handler struct {
	Config

	mux *http.ServeMux
}

// Path begins the paths of the door.
const Path = "/dev/"

// New returns the handler.
func New(c Config) *Handler {
	h := &Handler{Config: c, mux: http.NewServeMux()}
	for pattern, serve := range map[string]func(w http.ResponseWriter, r *request) error{
		"GET /dev/state":                      h.follow,
		"GET /dev/runs/{run}/calls":           h.calls,
		"GET /dev/runs/{run}/calls/{number}":  h.call,
		"POST /dev/runs/{run}/calls/{number}": h.try,
		"POST /dev/runs/{run}/recording":      h.record,
		"POST /dev/threads/{thread}/case":     h.makeCase,
		"GET /dev/cases/{plugin}/{case}":      h.goldenCase,
		"POST /dev/cases/{plugin}/{case}":     h.tryCase,
		"/dev/":                               unknown,
	} {
		h.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			p, _ := auth.FromContext(r.Context())
			if err := serve(w, &request{r, p.Owner}); err != nil {
				access.Note(r.Context(), err)
				detail.Write(w, answer(err))
			}
		})
	}
	return h
}

// ServeHTTP answers a request that may be sent.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := allowed(r); err != nil {
		access.Note(r.Context(), err)
		detail.Write(w, err)
		return
	}
	h.mux.ServeHTTP(w, r)
}

// allowed refuses requests from other machines, of other pages, and without the scope admin.
func allowed(r *http.Request) error {
	switch {
	case !isLocal(r):
		return detail.Errorf(http.StatusForbidden, "only this machine may use %s; open the page on the machine where agenthost dev runs", Path)
	case !access.IsOwnPage(r):
		return detail.Errorf(http.StatusForbidden, "pages of other origins may not use %s", Path)
	}
	p, _ := auth.FromContext(r.Context())
	if err := p.Need(auth.ScopeAdmin); err != nil {
		return err
	}
	if r.Method == http.MethodPost {
		if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
			return detail.Errorf(http.StatusUnsupportedMediaType, "the body must be JSON; send the header Content-Type: application/json")
		}
	}
	return nil
}

// isLocal reports whether a request comes from this machine, and not through a proxy on it.
func isLocal(r *http.Request) bool {
	for _, header := range []string{"Forwarded", "X-Forwarded-For", "X-Real-IP"} {
		if r.Header.Get(header) != "" {
			return false
		}
	}
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr == "" || r.RemoteAddr == "@" // a socket in the file system
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.Unmap().IsLoopback()
}

// request is a request that may be sent.
type request struct {
	*http.Request

	owner string
}

// answer returns what the person is told of an error.
func answer(err error) error {
	if refusal, ok := errors.AsType[*RefusalError](err); ok {
		return detail.Errorf(refusal.Status, "%s", refusal.Text)
	}
	return err
}

func unknown(_ http.ResponseWriter, r *request) error {
	return detail.Errorf(http.StatusNotFound, "there is no %s %.200s", r.Method, r.URL.Path)
}

func reply(w http.ResponseWriter, document any) error {
	text, err := json.Marshal(document)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	_, _ = w.Write(text)
	return nil
}

// follow sends the state and what it becomes.
func (h *Handler) follow(w http.ResponseWriter, r *request) error {
	release, err := h.Streams.Acquire(r.owner)
	if err != nil {
		return err
	}
	defer release()
	news, end := h.Board.watch()
	defer end()
	if err := sse.Serve(w, r.Request, h.Board.source(news), sse.Config{Closing: h.Closing.Done()}); err != nil {
		access.Note(r.Context(), err) // the headers were sent
	}
	return nil
}

// runsOf returns the runs of agents that the run in the path has.
func (h *Handler) runsOf(r *request) ([]string, error) {
	_, ids, err := h.hostRuns(r.Context(), r.owner, r.PathValue("run"))
	return ids, err
}

func (h *Handler) calls(w http.ResponseWriter, r *request) error {
	ids, err := h.runsOf(r)
	if err != nil {
		return err
	}
	heads, err := h.Workshop.Calls(ids)
	if err != nil {
		return err
	}
	return reply(w, orEmpty(heads))
}

func number(r *request) (int, error) {
	n, err := strconv.Atoi(r.PathValue("number"))
	if err != nil {
		return 0, detail.Errorf(http.StatusUnprocessableEntity, "%.64q is not the number of a call", r.PathValue("number"))
	}
	return n, nil
}

func (h *Handler) call(w http.ResponseWriter, r *request) error {
	n, err := number(r)
	if err != nil {
		return err
	}
	ids, err := h.runsOf(r)
	if err != nil {
		return err
	}
	call, err := h.Workshop.Call(ids, n)
	if err != nil {
		return err
	}
	return reply(w, call.whole())
}

func (h *Handler) try(w http.ResponseWriter, r *request) error {
	n, err := number(r)
	if err != nil {
		return err
	}
	var edit Edit
	if err := jsonbody.Decode(r.Request, &edit); err != nil {
		return err
	}
	ids, err := h.runsOf(r)
	if err != nil {
		return err
	}
	out, err := h.Workshop.Try(r.Context(), ids, n, edit)
	if err != nil {
		return err
	}
	return reply(w, out.whole())
}

func (h *Handler) goldenCase(w http.ResponseWriter, r *request) error {
	call, err := h.Workshop.Case(r.Context(), r.PathValue("plugin"), r.PathValue("case"))
	if err != nil {
		return err
	}
	return reply(w, call.whole())
}

func (h *Handler) tryCase(w http.ResponseWriter, r *request) error {
	var edit Edit
	if err := jsonbody.Decode(r.Request, &edit); err != nil {
		return err
	}
	out, err := h.Workshop.TryCase(r.Context(), r.PathValue("plugin"), r.PathValue("case"), edit)
	if err != nil {
		return err
	}
	return reply(w, out.whole())
}

func (h *Handler) record(w http.ResponseWriter, r *request) error {
	run, ids, err := h.hostRuns(r.Context(), r.owner, r.PathValue("run"))
	if err != nil {
		return err
	}
	if run.Status == runs.Pending || run.Status == runs.Running {
		return &RefusalError{http.StatusConflict, "the run is under way; record it when it has ended"}
	}
	recording, err := h.Workshop.Record(ids, run.Agent, run.ID)
	if err != nil {
		return fmt.Errorf("recording: %w", err)
	}
	return reply(w, recording)
}

// whole returns the call with empty lists in place of null.
func (c *Call) whole() *Call {
	out := *c
	out.Outcome = *c.Outcome.whole()
	return &out
}

func (o *Outcome) whole() *Outcome {
	out := *o
	out.Asked, out.Log, out.Differences = orEmpty(out.Asked), orEmpty(out.Log), orEmpty(out.Differences)
	return &out
}
