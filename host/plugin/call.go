package plugin

import (
	"context"
	"errors"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
)

// hookCall is one call of a plugin's hook or tool. The instance keeps it by value, so that calling a hook that returns
// nothing allocates nothing. It is large, and is only ever in the instance: each layer of a chain would have one on its stack.
type hookCall struct {
	export string
	hook   *abi.HookSpec // for node hooks; nil: owner decides what is allowed
	owner  callOwner
	input  hookInput
	reads  access
}

// callOwner is the call of a wrap hook or tool that a hookCall belongs to.
type callOwner interface {
	// accept takes a decoded result; an error is a protocol fault.
	accept(result *abi.Result) error
	// callNext calls the inner layers for the guest. An error is a fault; errNoNext means that the export has no next.
	callNext(i *instance, payload []byte) (abi.Status, []byte, error)
	// bypassed returns the result of a call that the breaker keeps from the plugin, or nil for nothing to say.
	bypassed() *abi.Result
}

var errNoNext = errors.New("next is for wrap hooks only")

// access is what state.read may read during a call.
type access struct {
	fields   []string
	messages bool
}

// call calls a hook or tool of the guest, unless the breaker is open, and reports the outcome to the breaker. The owner is nil
// for node hooks; describe says what the call is, apart from its owner. The caller must have acquired an instance from the
// pool's supply, see [host.Pool]. The result is nil if the guest said nothing. The error is an [*Error], or says that the run's
// context ended.
func (p *Plugin) call(ctx context.Context, rt *host.Runtime, owner callOwner, describe func(c *hookCall)) (result *abi.Result, err error) {
	if p.breaker.bypasses(p, rt) {
		if owner == nil {
			return nil, nil //nolint:nilnil // nothing to say
		}
		return owner.bypassed(), nil
	}
	turn := p.breaker.begin()
	unusable := p.pool.with(ctx, func(i *instance) (fault error) {
		describe(&i.call)
		i.call.owner, i.call.input.rt = owner, rt
		result, fault, err = i.answer(ctx)
		return fault
	})
	if err == nil {
		err = unusable
	}
	_, faulty := errors.AsType[*Error](err)
	p.breaker.end(p, rt, turn, faulty)
	return result, err
}

// answer runs the instance's call in the guest. A fault means that the instance cannot be used again; it is also the error of the
// call unless err is set.
func (i *instance) answer(ctx context.Context) (result *abi.Result, fault, err error) {
	c := &i.call
	i.beginCall(ctx)
	defer i.endCall()
	if c.input.context, err = i.plugin.contextOf(c.input.rt); err != nil {
		return nil, nil, err
	}
	i.input = c.input.append(i.input[:0])
	if size := len(i.input); size > i.plugin.limits.Input {
		i.input = nil
		return nil, nil, i.plugin.inputTooLarge(c.export, size)
	}
	i.frame.input = i.input
	result, fault = i.result(c)
	i.trim(c.export)
	i.record(fault)
	if closedBy := i.frame.closedBy; closedBy != nil {
		if result != nil || fault != nil {
			warnDiscarded(c.input.rt, closedBy)
		}
		return nil, fault, closedBy
	}
	return result, fault, nil
}

// result calls the export and decodes what the guest wrote.
func (i *instance) result(c *hookCall) (*abi.Result, error) {
	wrote, err := i.invoke(c.export)
	if err != nil || !wrote {
		return nil, err
	}
	var result abi.Result
	if err := i.decode(c.export, i.frame.result, &result); err != nil {
		return nil, err
	}
	if e := result.Error; e != nil {
		e.Type, e.Message = clean(e.Type, 64), cleanLines(e.Message, maxLine)
	}
	if result.Error != nil || i.frame.closed != 0 {
		return &result, nil
	}
	if err := i.plugin.accept(c, &result); err != nil {
		return nil, i.plugin.fault(c.export, KindProtocol, err.Error(), err)
	}
	written := int64(len(i.frame.result))
	if len(result.Interrupts) == 0 && !i.plugin.written.spend(c.input.rt.RunID(), written, i.plugin.limits.State) {
		return nil, i.plugin.stateTooLarge(c.export)
	}
	return &result, nil
}

// These functions are apart from those that call the guest, whose frames would have room for their texts: a chain of hooks has one
// such frame for each of its layers.

func (p *Plugin) inputTooLarge(export string, size int) error {
	return p.fault(export, KindLimit, fmt.Sprintf(
		"its input has %d bytes, the limit is %d; let the hook declare a smaller view, or raise limits.input", size, p.limits.Input), nil)
}

func (p *Plugin) stateTooLarge(export string) error {
	return p.fault(export, KindLimit, fmt.Sprintf(
		"its results in this run have more than %d bytes; let it change less of the state, or raise limits.state", p.limits.State), nil)
}

func warnDiscarded(rt *host.Runtime, closedBy error) {
	rt.Warn("the result of the hook is discarded: " + closedBy.Error())
}

// accept checks a result. If there are interrupts, everything else in it is ignored.
func (p *Plugin) accept(c *hookCall, result *abi.Result) error {
	switch {
	case len(result.Interrupts) > 0:
		return checkInterrupts(result.Interrupts)
	case c.hook != nil:
		return p.checkNode(c.input.rt, c.export, c.hook, result)
	default:
		return c.owner.accept(result)
	}
}

// outcome returns a result's own error or its interrupts as an error.
func outcome(result *abi.Result) error {
	switch {
	case result.Error != nil:
		return result.Error
	case len(result.Interrupts) > 0:
		return &host.InterruptError{Interrupts: result.Interrupts}
	default:
		return nil
	}
}

// forgiven reports whether the failure policy lets the run continue after err, and emits a warning if so.
func (p *Plugin) forgiven(rt *host.Runtime, err error) bool {
	fault, isFault := errors.AsType[*Error](err)
	if !isFault || p.policy != Open {
		return false
	}
	observed := rt.Observed()
	observed.Fault = fault.ErrorType()
	rt.Observe(observed)
	rt.Warn("on_failure is open, so the run goes on without: " + err.Error())
	return true
}

// statusOf converts an error of next to what the guest sees.
func statusOf(ctx context.Context, err error) (abi.Status, []byte) {
	var interrupt *host.InterruptError
	switch {
	case err == nil:
		return abi.StatusOK, nil
	case errors.As(err, &interrupt):
		return abi.StatusInterrupted, nil
	case ctx.Err() != nil || errors.Is(err, context.Canceled):
		return abi.StatusCancelled, nil
	default:
		return abi.StatusFailed, errorReply(host.ErrorDocument(err))
	}
}
