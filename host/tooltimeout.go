package host

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/agenthost/agenthost/abi"
)

// TimeoutError means that a tool failed because its time was up, see ToolCallConfig.ToolTimeout. A [*ToolError] wraps it.
type TimeoutError struct {
	After time.Duration
	Err   error // the tool's own error
}

func (e *TimeoutError) Error() string { return fmt.Sprintf("timed out after %v", e.After) }

// Is reports whether target is [context.DeadlineExceeded]. The tool's own error is not unwrapped, since it may look like a
// cancellation of the run.
func (*TimeoutError) Is(target error) bool { return target == context.DeadlineExceeded }

// Timeout reports true.
func (*TimeoutError) Timeout() bool { return true }

// ErrorType names the type of the error in documents.
func (*TimeoutError) ErrorType() string { return "timeout" }

// ErrToolTimeout is the cause (see [context.Cause]) of a tool's context that has ended because of the tool's timeout.
var ErrToolTimeout = errors.New("the tool has used up its time")

// callInTime calls a tool with the agent's timeout.
func (c *toolCall) callInTime(ctx context.Context, t Tool, rt *Runtime, call *abi.ToolCall) (*ToolOutput, error) {
	limit := c.run.agent.toolCalls.ToolTimeout
	if limit == 0 {
		return callTool(ctx, t, rt, call)
	}
	inside, stop := context.WithTimeoutCause(ctx, limit, ErrToolTimeout)
	defer stop()
	output, err := callTool(inside, t, rt, call)
	if err == nil || ctx.Err() != nil || !errors.Is(context.Cause(inside), ErrToolTimeout) || saysMore(err) {
		return output, err
	}
	rt.Warn(fmt.Sprintf("tool %q timed out and failed: %v", call.Name, err))
	return nil, &TimeoutError{After: limit, Err: err}
}

// saysMore reports whether an error has another cause than the timeout: a question, a panic, or an error with a type of its own.
func saysMore(err error) bool {
	_, interrupted := asInterrupt(err)
	var typed interface{ ErrorType() string }
	return interrupted || as[*PanicError](err) || errors.As(err, &typed)
}

// timedOut returns the timeout if err is exactly that. A hook that wraps it in an error of its own has handled it.
func timedOut(err error) (*TimeoutError, bool) {
	failed, ok := err.(*ToolError) //nolint:errorlint // a wrapped one does not count
	if !ok {
		return nil, false
	}
	timeout, ok := failed.Err.(*TimeoutError) //nolint:errorlint // as above
	return timeout, ok
}

// timeoutAnswer answers a call whose tool timed out, if no hook has made an answer.
func timeoutAnswer(call *abi.ToolCall, err *TimeoutError) *abi.Message {
	m := abi.ToolFailure(*call, fmt.Sprintf("Error: tool '%s' %v.", call.Name, err))
	return &m
}
