package door

import (
	"context"
	"errors"
	"net/http"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/server/internal/detail"
)

// What an error means is the same for all doors; each says it in the words of its protocol.

// StatusClientGone is for the log: nobody reads the answer. It is nginx's.
const StatusClientGone = 499

// Gone returns the answer to a request that failed because its client is gone, if the error says so; nil otherwise.
func Gone(ctx context.Context, err error) *detail.Error {
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return &detail.Error{Status: StatusClientGone, Text: "the client is gone", Cause: err}
	}
	return nil
}

// IsBusy reports whether an error says that a thread has a run that is not over.
func IsBusy(err error) bool {
	return errors.Is(err, runs.ErrThreadBusy) || errors.Is(err, checkpoint.ErrBusy)
}

// IsInvalid reports whether an error says that a client asks for what is impossible.
func IsInvalid(err error) bool {
	var refused *host.UpdateError
	var unusable *host.ThreadError
	return errors.Is(err, runs.ErrInvalidTask) || errors.Is(err, runs.ErrBadQuery) || errors.Is(err, runs.ErrInvalidValue) ||
		errors.As(err, &refused) || errors.As(err, &unusable)
}

// Lost answers a call that no route takes, in the words of LangGraph's server.
func Lost(c *Call, allowed []string) {
	if allowed == nil {
		detail.Write(c.W, detail.Errorf(http.StatusNotFound, "Not Found"))
		return
	}
	c.W.Header().Set("Allow", Allow(allowed))
	detail.Write(c.W, detail.Errorf(http.StatusMethodNotAllowed, "Method Not Allowed"))
}
