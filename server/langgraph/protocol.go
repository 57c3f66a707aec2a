package langgraph

import (
	"errors"
	"io"
	"net/http"

	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/server/auth"
	"github.com/agenthost/agenthost/server/internal/access"
	"github.com/agenthost/agenthost/server/internal/detail"
	"github.com/agenthost/agenthost/server/internal/door"
	"github.com/agenthost/agenthost/server/internal/jsonbody"
	"github.com/agenthost/agenthost/server/langgraph/internal/protocol"
)

// commands answers a command of the newer protocol.
func (h *Handler) commands(c *call) error {
	thread, err := c.thread()
	if err != nil {
		return err
	}
	text, err := jsonbody.Read(c.R)
	if err != nil {
		return err
	}
	cmd, refused := protocol.ReadCommand(text)
	if refused != nil {
		return detail.Errorf(http.StatusBadRequest, "%s", refused.Message)
	}
	result, err := h.perform(c, thread, cmd)
	if err == nil {
		return c.Answer(protocol.Done(cmd.ID, result, 0))
	}
	code, why, status := c.refusal(err)
	if errors.Is(err, runs.ErrNoThread) || !answered(status) {
		return err
	}
	access.Note(c.R.Context(), err)
	return c.Answer(protocol.Failed(&cmd.ID, code, why))
}

// answered reports whether the client is told of a failure by an answer to its command. Others are failures of the request itself, from which
// clients learn that they may try again, or must not.
func answered(status int) bool {
	switch status {
	case http.StatusOK, http.StatusBadRequest, http.StatusNotFound, http.StatusConflict, http.StatusUnprocessableEntity:
		return true
	default:
		return false
	}
}

// refusal is the error of a command with the code that its client gets.
type refusal struct {
	code protocol.Code
	text string
}

func (r *refusal) Error() string { return r.text }

// refusal returns what the client of a command is told of an error, and the status that the error has as the answer to a request; 200 for one
// that belongs to commands alone.
func (c *call) refusal(err error) (code protocol.Code, text string, status int) {
	if own, ok := errors.AsType[*refusal](err); ok {
		return own.code, own.text, http.StatusOK
	}
	answer := detail.Of(c.explain(err))
	switch answer.Status {
	case http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusNotFound:
		code = protocol.InvalidArgument
	case http.StatusForbidden:
		code = protocol.PermissionDenied
	default:
		code = protocol.UnknownError
	}
	return code, answer.Text, answer.Status
}

// perform performs a command that belongs to no connection.
func (h *Handler) perform(c *call, thread string, cmd *protocol.CommandRequest) (any, error) {
	switch cmd.Method {
	case "run.start":
		return h.startRun(c, thread, cmd)
	case "input.respond":
		return h.respond(c, thread, cmd)
	case "input.inject":
		return nil, &refusal{protocol.NotSupported, "an agent takes no input while it runs; start a run, which waits for its turn"}
	case "agent.getTree":
		return h.agentTree(c, thread, cmd)
	case "subscription.subscribe", "subscription.unsubscribe", "subscription.reconnect":
		return nil, &refusal{protocol.NotSupported, "subscriptions belong to a WebSocket; without one, POST to /threads/{thread_id}/stream/events"}
	}
	state := map[string]func(*call, string, *protocol.CommandRequest) (any, error){
		"state.get": h.protocolState, "state.listCheckpoints": h.protocolCheckpoints, "state.fork": h.fork,
	}[cmd.Method]
	if state == nil {
		return nil, &refusal{protocol.UnknownCommand, "Unknown protocol command: " + limited(cmd.Method)}
	}
	if err := c.Principal.Need(auth.ScopeThreads); err != nil {
		return nil, err
	}
	return state(c, thread, cmd)
}

// limited returns a text of a client that an answer repeats.
func limited(text string) string {
	const most = 64
	if len(text) > most {
		return text[:most] + "…"
	}
	return text
}

// eventRequest is which events of a thread a client wants.
type eventRequest struct {
	protocol.Filter

	Since *uint64 `json:"since" jsonschema:"Only events after the one with this seq. Without it, the stream begins with the events of the present or last run."`
}

// streamProtocol answers with the events of all runs of a thread, until the client goes away.
func (h *Handler) streamProtocol(c *call) (door.Reply, error) {
	thread, err := c.thread()
	if err != nil {
		return nil, err
	}
	var body eventRequest
	if err := jsonbody.Decode(c.R, &body); err != nil {
		return nil, err
	}
	if err := body.Check(); err != nil {
		return nil, &detail.Error{Status: http.StatusBadRequest, Text: err.Error()}
	}
	// Without owners, nobody can tell that a thread is missing that its client is about to make. LangGraph's server does so, too.
	_, err = h.Service.Thread(c.R.Context(), c.Owner, thread)
	if err != nil && (c.Owner != "" || !errors.Is(err, runs.ErrNoThread)) {
		return nil, err
	}
	s := newProtocolSource(h, c.Owner, thread, protocol.Union{&body.Filter}, beginning{since: body.Since})
	return func() error {
		defer s.close()
		_ = h.Send(c.Call, s.next) // the headers were sent
		return nil
	}, nil
}

// openSocket answers with a WebSocket, over which commands and events of a thread go.
func (h *Handler) openSocket(c *call) error {
	thread, err := c.thread()
	if !upgrades(c.R) {
		if err == nil {
			_, err = h.Service.Thread(c.R.Context(), c.Owner, thread)
		}
		if err != nil {
			return err
		}
		c.W.Header().Set("Upgrade", "websocket")
		return detail.Errorf(http.StatusUpgradeRequired, "this address is for a WebSocket; without one, POST to it")
	}
	if err == nil {
		var release func()
		if release, err = h.Streams.Acquire(c.Owner); err == nil {
			defer release()
		}
	}
	if err == nil && !h.enter() {
		err = detail.Errorf(http.StatusServiceUnavailable, "the server is stopping")
	}
	if err != nil {
		h.refuseSocket(c, err)
		return nil
	}
	defer h.sockets.Done()
	if err := h.serveSocket(c, thread); err != nil && !errors.Is(err, io.EOF) {
		access.Note(c.R.Context(), err)
	}
	return nil
}
