package plugin

import (
	"context"
	"errors"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
)

// hookCall is one call of a hook or tool of a plugin.
type hookCall struct {
	export string
	input  hookInput
	fields []string // what state.read may read
	next   func(i *instance, payload []byte) (abi.Status, []byte, error)
	accept func(result *abi.Result) error // takes a result that was decoded; an error is a protocol fault
}

// do leases nothing: who calls a hook has done so. It returns nil if the guest said nothing. An error is an [*Error].
func (p *Plugin) do(ctx context.Context, c *hookCall) (*abi.Result, error) {
	i, err := p.pool.take(ctx)
	if err != nil {
		return nil, err
	}
	f := i.enter(ctx, c.export, c.input.rt, c.fields)
	i.input = c.input.append(i.input[:0])
	if len(i.input) > p.limits.Input {
		p.pool.put(i)
		return nil, p.fault(c.export, KindLimit, fmt.Sprintf(
			"its input has %d bytes, the limit is %d; let the hook declare a smaller view, or raise limits.input",
			len(i.input), p.limits.Input), nil)
	}
	f.input = i.input
	if c.next != nil {
		f.next = func(payload []byte) (abi.Status, []byte, error) { return c.next(i, payload) }
	}
	result, err := i.result(c)
	p.pool.giveBack(i, err)
	return result, err
}

// result calls the export and takes what it wrote.
func (i *instance) result(c *hookCall) (*abi.Result, error) {
	wrote, err := i.call(c.export)
	if err != nil || !wrote {
		return nil, err
	}
	var result abi.Result
	if err := i.decode(c.export, i.frame.result, &result); err != nil {
		return nil, err
	}
	if result.Error != nil || i.frame.closed != 0 {
		return &result, nil
	}
	if err := c.accept(&result); err != nil {
		return nil, i.plugin.fault(c.export, KindProtocol, err.Error(), err)
	}
	return &result, nil
}

// outcome turns what a result says beside its update into an error: an error of the guest's own, or interrupts.
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

// forgiven reports whether the failure policy lets the run go on after err. It then says so.
func (p *Plugin) forgiven(rt *host.Runtime, err error) bool {
	if p.policy != Open {
		return false
	}
	rt.Warn("on_failure is open, so the run goes on without: " + err.Error())
	return true
}

// statusOf is how a guest sees an error of next.
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
		return abi.StatusFailed, errorReply(documentOf(err))
	}
}

// documentOf makes an Error document of an error: that of its author if it is one.
func documentOf(err error) *abi.Error {
	var document *abi.Error
	if errors.As(err, &document) {
		return document
	}
	out := &abi.Error{Type: "error", Message: err.Error()}
	var typed interface{ ErrorType() string }
	if errors.As(err, &typed) {
		out.Type = typed.ErrorType()
	}
	var modelError *host.ModelError
	if errors.As(err, &modelError) {
		out.Retryable = modelError.Retryable
	}
	return out
}
