package plugin

import (
	"context"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
)

// wrapFrame is one call of a wrap hook. It holds what wrap_model_call, with model requests and responses, and
// wrap_tool_call, with tool requests and messages, have in common.
type wrapFrame[Q, R any] struct {
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
func (*wrapFrame[Q, R]) bypassed() *abi.Result { return nil }

// forward calls next. document encodes the reply for the guest.
func (f *wrapFrame[Q, R]) forward(req *Q, document func(*R) ([]byte, error)) (abi.Status, []byte, error) {
	f.called, f.unseen = true, false
	f.last, f.lastErr = f.next(f.ctx, req)
	if f.lastErr != nil {
		status, reply := statusOf(f.ctx, f.lastErr)
		return status, reply, nil
	}
	reply, err := document(f.last)
	reply = wire.Canonicalized(reply)
	if f.unseen = err != nil || len(reply) > f.plugin.limits.Input; f.unseen {
		return abi.ETOOBIG, nil, nil
	}
	return abi.StatusOK, reply, nil
}

// base returns the last reply, which a result may change, or nil if there is none.
func (f *wrapFrame[Q, R]) base() *R {
	if f.lastErr != nil {
		return nil
	}
	return f.last
}

// finish decides how a call with the guest's result and error ends. Without a result, or without a reply in it, the outcome
// of the last next counts; if next was never called, finish calls it now.
func (f *wrapFrame[Q, R]) finish(result *abi.Result, err error) (*R, *host.Update, error) {
	if err != nil {
		if !f.plugin.forgiven(f.rt, err) {
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
	if f.made != nil {
		return f.made, update, nil
	}
	if !f.called {
		f.last, f.lastErr = f.next(f.ctx, f.req)
	}
	if f.lastErr != nil {
		return nil, nil, f.lastErr
	}
	return f.last, update, nil
}
