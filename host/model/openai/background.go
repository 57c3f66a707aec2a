package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/internal/provider"
	"github.com/agenthost/agenthost/internal/lazyregexp"
)

// DefaultBackgroundTimeout is the longest time of a call in the background if [model.Limits].Timeout is 0.
const DefaultBackgroundTimeout = time.Hour

// The statuses of a response that is not complete.
const (
	statusQueued  = "queued"
	statusRunning = "in_progress"
)

// The times between two looks at a response. The documentation of the API suggests two seconds.
const (
	firstLook = time.Second
	mostLook  = 10 * time.Second
	mostAsked = time.Minute // the longest time that a server may ask for
)

// cancelTime is how long it may take to cancel a response.
const cancelTime = 10 * time.Second

// isID matches the ids of responses. An id becomes a part of an address.
var isID = lazyregexp.New(`^[A-Za-z0-9_-]{1,256}$`)

// inBackground starts a response and waits until it is complete. If the call is cancelled or takes too long, it cancels the response.
func (m *Model) inBackground(ctx context.Context, req *model.Request, body object) (*model.Response, error) {
	body["background"] = true
	within := ctx
	if limit := cmp.Or(m.Limits.Timeout, DefaultBackgroundTimeout); limit > 0 {
		late := &model.Error{
			Provider: m.provider(), Kind: model.ErrorTimeout, Retryable: true,
			Err: fmt.Errorf("the answer in the background took longer than %v; raise timeout if it needs more", limit),
		}
		var stop context.CancelFunc
		within, stop = context.WithTimeoutCause(ctx, limit, late)
		defer stop()
	}
	text, err := m.endpoint.Ask(within, provider.Call{Path: responsesPath, Body: body})
	if err != nil {
		return nil, causeOf(within, err)
	}
	var a answer
	if json.Unmarshal(text, &a) != nil || !a.runs() {
		return m.answered(text, nil, req)
	}
	id := string(a.ID)
	if !isID().MatchString(id) {
		return nil, m.unreadable(text, "has no usable id")
	}
	text, err = m.await(within, id)
	switch {
	case err == nil:
		return m.answered(text, nil, req)
	case within.Err() != nil:
		m.cancel(ctx, id)
		return nil, context.Cause(within)
	default:
		return nil, err
	}
}

// runs reports whether the response is not complete.
func (a *answer) runs() bool { return a.Status == statusQueued || a.Status == statusRunning }

// await asks for a response until it is complete. It goes on after failures that may pass.
func (m *Model) await(ctx context.Context, id string) ([]byte, error) {
	asked := time.Duration(0) // how long the server asks to wait
	for pause := firstLook; ; pause = min(pause*3/2, mostLook) {
		if err := provider.Pause(ctx, max(pause, asked)); err != nil {
			return nil, err
		}
		text, err := m.endpoint.Ask(ctx, provider.Call{Method: http.MethodGet, Path: responsesPath + "/" + id})
		if failed, ok := errors.AsType[*model.Error](err); ok && failed.Retryable && ctx.Err() == nil {
			asked = min(failed.RetryAfter, mostAsked)
			continue
		}
		asked = 0
		var a answer
		if err != nil || json.Unmarshal(text, &a) != nil || !a.runs() {
			return text, err
		}
	}
}

// cancel stops a response that nobody waits for, so that it costs no more. Nothing can be done if that fails.
func (m *Model) cancel(ctx context.Context, id string) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), cancelTime)
	defer stop()
	_, _ = m.endpoint.Ask(ctx, provider.Call{Path: responsesPath + "/" + id + "/cancel", Body: object{}})
}

// causeOf returns why a call ended early, or else its error.
func causeOf(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
