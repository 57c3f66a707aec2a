package plugin

import (
	"context"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
)

// wrapFrame is one call of a wrap hook: what wrap_model_call, with requests and responses of a model, and
// wrap_tool_call, with requests and messages of a tool, have in common.
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
	made    *R // what the result makes of it; nil: the last one
}

// bypassed returns nil: without the plugin, the inner layers answer.
func (*wrapFrame[Q, R]) bypassed() *abi.Result { return nil }

// forward calls next. document makes what the guest reads of the reply.
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

// base is the last reply, which a result may change; nil if there is none.
func (f *wrapFrame[Q, R]) base() *R {
	if f.lastErr != nil {
		return nil
	}
	return f.last
}

// finish decides how the call ends, whose result and error are those of the guest: without a result, or without a reply
// in it, the last next counts, and if there was none it is called now.
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
