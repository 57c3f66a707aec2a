package access

import (
	"context"
	"errors"
	"net/http"

	"github.com/agenthost/agenthost/server/internal/detail"
)

// entry collects what the log says about a request. Only the goroutine of the request uses it.
type entry struct {
	id     string
	who    string // the kind and the name of the principal
	reason error  // why the request was refused, which its client is not told
}

type entryKey struct{}

// withEntry returns the entry of a request, or a new one.
func withEntry(ctx context.Context) (context.Context, *entry) {
	if e, ok := ctx.Value(entryKey{}).(*entry); ok {
		return ctx, e
	}
	e := &entry{}
	return context.WithValue(ctx, entryKey{}, e), e
}

// RequestID returns the id of a request, or "" without [RequestIDs].
func RequestID(ctx context.Context) string {
	_, e := withEntry(ctx)
	return e.id
}

// Note adds to the log's line about a request why it failed, for the operator. What a client did wrong is not added: the client is told, in a text that may
// quote its body. Note must be called by the goroutine of the request.
func Note(ctx context.Context, reason error) {
	if own, ok := errors.AsType[*detail.Error](reason); ok && own.Status < http.StatusInternalServerError {
		return
	}
	_, e := withEntry(ctx)
	e.reason = reason
}
