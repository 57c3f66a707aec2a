package a2a

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/runs/webhook"
	"github.com/agenthost/agenthost/server/auth"
	"github.com/agenthost/agenthost/server/internal/detail"
	"github.com/agenthost/agenthost/server/internal/door"
)

// problem is an error with the answer that a client gets.
type problem struct {
	kind   error // one of package a2a
	text   string
	status int           // of HTTP; 0: that of the kind
	retry  time.Duration // when the client may try again; 0: it is not told
	cause  error         // for the log only; nil: none
}

func problemf(kind error, format string, args ...any) *problem {
	return &problem{kind: kind, text: fmt.Sprintf(format, args...)}
}

func invalid(format string, args ...any) *problem {
	return problemf(a2a.ErrInvalidParams, format, args...)
}

func (p *problem) Error() string { return p.text }

// Unwrap returns the kind, by which the library finds the code.
func (p *problem) Unwrap() error { return p.kind }

// noTask returns the error for a task that is not there, or that belongs to somebody else.
func noTask(id a2a.TaskID) *problem {
	return problemf(a2a.ErrTaskNotFound, "there is no task %.64q", id)
}

// kinds are the errors of the protocol.
var kinds = []struct {
	err    error
	code   int // of JSON-RPC
	status int // of HTTP
	name   string
}{
	{a2a.ErrParseError, -32700, http.StatusBadRequest, "INVALID_ARGUMENT"},
	{a2a.ErrInvalidRequest, -32600, http.StatusBadRequest, "INVALID_ARGUMENT"},
	{a2a.ErrMethodNotFound, -32601, http.StatusNotFound, "UNIMPLEMENTED"},
	{a2a.ErrInvalidParams, -32602, http.StatusBadRequest, "INVALID_ARGUMENT"},
	{a2a.ErrServerError, -32000, http.StatusServiceUnavailable, "UNAVAILABLE"},
	{a2a.ErrTaskNotFound, -32001, http.StatusNotFound, "NOT_FOUND"},
	{a2a.ErrTaskNotCancelable, -32002, http.StatusBadRequest, "FAILED_PRECONDITION"},
	{a2a.ErrPushNotificationNotSupported, -32003, http.StatusBadRequest, "FAILED_PRECONDITION"},
	{a2a.ErrUnsupportedOperation, -32004, http.StatusBadRequest, "FAILED_PRECONDITION"},
	{a2a.ErrUnsupportedContentType, -32005, http.StatusBadRequest, "INVALID_ARGUMENT"},
	{a2a.ErrVersionNotSupported, -32009, http.StatusBadRequest, "FAILED_PRECONDITION"},
	{a2a.ErrUnauthorized, -31403, http.StatusForbidden, "PERMISSION_DENIED"},
	{a2a.ErrInternalError, -32603, http.StatusInternalServerError, "INTERNAL"},
}

// explain returns an error in the words of the protocol. What is not meant for clients is only its cause.
func explain(ctx context.Context, err error) *problem {
	var own *problem
	var answer *detail.Error
	gone := door.Gone(ctx, err)
	is := func(targets ...error) bool {
		for _, target := range targets {
			if errors.Is(err, target) {
				return true
			}
		}
		return false
	}
	switch {
	case errors.As(err, &own):
		return own
	case errors.As(err, &answer):
		return explainAnswer(answer)
	case gone != nil:
		return &problem{kind: a2a.ErrInternalError, text: gone.Text, status: gone.Status, cause: err}
	case is(runs.ErrNoThread, runs.ErrNoRun):
		return &problem{kind: a2a.ErrTaskNotFound, text: "there is no such task"}
	case door.IsBusy(err):
		return &problem{kind: a2a.ErrUnsupportedOperation, text: "the conversation is busy; wait until its task has ended", status: http.StatusConflict}
	case is(runs.ErrRunOver):
		return &problem{kind: a2a.ErrTaskNotCancelable, text: "the task is over"}
	case is(runs.ErrBudgetSpent):
		return &problem{kind: a2a.ErrServerError, text: err.Error(), status: http.StatusPaymentRequired}
	case is(runs.ErrQueueFull):
		return &problem{kind: a2a.ErrServerError, text: err.Error(), status: http.StatusTooManyRequests, retry: time.Second}
	case door.IsInvalid(err), is(webhook.ErrRefused):
		return &problem{kind: a2a.ErrInvalidParams, text: err.Error()}
	case is(auth.ErrForbidden):
		return &problem{kind: a2a.ErrUnauthorized, text: "Forbidden", cause: err}
	default:
		return &problem{kind: a2a.ErrInternalError, text: "Internal server error", cause: err}
	}
}

// explainAnswer returns an error that other packages of the server have for clients.
func explainAnswer(answer *detail.Error) *problem {
	out := &problem{kind: a2a.ErrInvalidParams, text: answer.Text, status: answer.Status, retry: answer.RetryAfter, cause: answer.Cause}
	switch {
	case answer.Status == http.StatusUnprocessableEntity, answer.Status == http.StatusBadRequest:
		out.status = 0
	case answer.Status == http.StatusTooManyRequests, answer.Status == http.StatusServiceUnavailable:
		out.kind = a2a.ErrServerError
	case answer.Status >= http.StatusInternalServerError:
		out.kind = a2a.ErrInternalError
	}
	return out
}

// form returns what the two bindings say of a problem.
func (p *problem) form() (code, status int, name string, info map[string]any) {
	code, status, name = -32603, http.StatusInternalServerError, "INTERNAL"
	for i := range kinds {
		if errors.Is(p.kind, kinds[i].err) {
			code, status, name = kinds[i].code, kinds[i].status, kinds[i].name
			break
		}
	}
	if p.status != 0 {
		status = p.status
	}
	return code, status, name, map[string]any{
		"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": a2a.ErrorReason(p.kind), "domain": a2a.ProtocolDomain,
	}
}

// writeRPC answers a call of JSON-RPC with a problem. As the binding has it, the status of HTTP is 200 unless the call never came to the agent.
func (p *problem) writeRPC(w http.ResponseWriter, id json.RawMessage) {
	code, _, _, info := p.form()
	if id == nil {
		id = json.RawMessage("null")
	}
	status := http.StatusOK
	if p.status != 0 && p.status != http.StatusConflict || errors.Is(p.kind, a2a.ErrUnauthorized) {
		_, status, _, _ = p.form()
	}
	p.write(w, status, map[string]any{
		"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": detail.Text(p.text), "data": []any{info}},
	})
}

// writeREST answers a request of the binding HTTP+JSON with a problem.
func (p *problem) writeREST(w http.ResponseWriter) {
	_, status, name, info := p.form()
	p.write(w, status, map[string]any{"error": map[string]any{
		"code": status, "status": name, "message": detail.Text(p.text), "details": []any{info},
	}})
}

func (p *problem) write(w http.ResponseWriter, status int, document any) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Del("Content-Length")
	detail.RetryAfter(h, p.retry)
	body, _ := json.Marshal(document) //nolint:errchkjson // it consists of texts
	w.WriteHeader(status)
	_, _ = w.Write(body)
}
