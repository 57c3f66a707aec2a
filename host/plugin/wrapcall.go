package plugin

import (
	"context"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
)

// wrapCall is one call of a wrap hook. It holds what wrap_model_call, with model requests and responses, and
// wrap_tool_call, with tool requests and messages, have in common.
type wrapCall[Q, R any] struct {
	ctx    context.Context
	plugin *Plugin
	spec   *abi.HookSpec
	rt     *host.Runtime
	req    *Q
	next   func(context.Context, *Q) (*R, error)

	called  bool // next was called
	unseen  bool // the last reply was too large to show
	last    *R   // of the last next
	lastErr error
	made    *R // the result's own reply; nil: the last one counts
}

// bypassed returns nil: without the plugin, the inner layers answer.
func (*wrapCall[Q, R]) bypassed() *abi.Result { return nil }

// forward calls next. document encodes the reply for the guest.
func (c *wrapCall[Q, R]) forward(req *Q, document func(*R) ([]byte, error)) (abi.Status, []byte, error) {
	c.called, c.unseen = true, false
	c.last, c.lastErr = c.next(c.ctx, req)
	if c.lastErr != nil {
		status, reply := statusOf(c.ctx, c.lastErr)
		return status, reply, nil
	}
	reply, err := document(c.last)
	reply = wire.Canonicalized(reply)
	if c.unseen = err != nil || len(reply) > c.plugin.limits.Input; c.unseen {
		return abi.ETOOBIG, nil, nil
	}
	return abi.StatusOK, reply, nil
}

// mayChange refuses a change, under a key of the result, of a reply that the guest has not seen.
func (c *wrapCall[Q, R]) mayChange(key string) error {
	if c.unseen {
		return fmt.Errorf("%s would change a reply that was too large to show", key)
	}
	return nil
}

// base returns the last reply, which a result may change, or nil if there is none.
func (c *wrapCall[Q, R]) base() *R {
	if c.lastErr != nil {
		return nil
	}
	return c.last
}

// finish decides how a call with the guest's result and error ends. Without a result, or without a reply in it, the outcome
// of the last next counts; if next was never called, finish calls it now.
func (c *wrapCall[Q, R]) finish(result *abi.Result, err error) (*R, *host.Update, error) {
	if err != nil {
		if !c.plugin.forgiven(c.rt, err) {
			return nil, nil, err
		}
		result = nil
	}
	var update *host.Update
	if result != nil {
		if err := outcome(result); err != nil {
			return nil, nil, err
		}
		u := result.Update()
		update = &u
	}
	if c.made != nil {
		return c.made, update, nil
	}
	if !c.called {
		c.last, c.lastErr = c.next(c.ctx, c.req)
	}
	if c.lastErr != nil {
		return nil, nil, c.lastErr
	}
	return c.last, update, nil
}
