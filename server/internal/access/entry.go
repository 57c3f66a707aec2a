package access

import "context"

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

// Note adds to the log's line about a request why it failed, for the operator. It must be called by the goroutine of the request.
func Note(ctx context.Context, reason error) {
	_, e := withEntry(ctx)
	e.reason = reason
}
