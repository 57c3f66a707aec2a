package host

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/agenthost/agenthost/abi"
)

// TimeoutError is a tool that failed because it had no more time, see ToolCallConfig.ToolTimeout. It is inside of a
// [*ToolError].
type TimeoutError struct {
	After time.Duration
	Err   error // how the tool failed
}

func (e *TimeoutError) Error() string { return fmt.Sprintf("timed out after %v", e.After) }

// Is reports whether target is [context.DeadlineExceeded]. The tool's own error is not unwrapped: it may look like a
// cancellation of the run.
func (*TimeoutError) Is(target error) bool { return target == context.DeadlineExceeded }

// Timeout reports true.
func (*TimeoutError) Timeout() bool { return true }

// ErrorType names the type of the error in documents.
func (*TimeoutError) ErrorType() string { return "timeout" }

// ErrToolTimeout is the cause, see [context.Cause], of the end of a tool's context by its timeout: its execution does not go on.
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
	rt.Warn(fmt.Sprintf("tool %q had no more time, and failed: %v", call.Name, err))
	return nil, &TimeoutError{After: limit, Err: err}
}

// saysMore reports whether an error is no consequence of the timeout: a question, a panic, a fault that names itself.
func saysMore(err error) bool {
	_, interrupted := asInterrupt(err)
	var typed interface{ ErrorType() string }
	return interrupted || as[*PanicError](err) || errors.As(err, &typed)
}

// timedOut returns the timeout that an error is, and nothing else. A hook that makes an error of its own of it has
// handled it.
func timedOut(err error) (*TimeoutError, bool) {
	failed, ok := err.(*ToolError) //nolint:errorlint // one inside of another error is not meant
	if !ok {
		return nil, false
	}
	timeout, ok := failed.Err.(*TimeoutError) //nolint:errorlint // as above
	return timeout, ok
}

// timeoutAnswer is the answer to a call whose tool had no more time, if nothing inside has made one.
func timeoutAnswer(call *abi.ToolCall, err *TimeoutError) *abi.Message {
	m := abi.ToolFailure(*call, fmt.Sprintf("Error: tool '%s' %v.", call.Name, err))
	return &m
}
