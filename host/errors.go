package host

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/model"
)

// ConfigError means that an agent cannot be built.
type ConfigError struct {
	Subject ConfigSubject // the part that is wrong
	Err     error         // the reason, and what to do
}

func (e *ConfigError) Error() string { return e.Subject.String() + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *ConfigError) Unwrap() error { return e.Err }

// HookError is an error that a hook returned, with the name of the hook.
type HookError struct {
	Step string // "name.hook"
	Err  error
}

func (e *HookError) Error() string { return stepSubject(e.Step) + ": " + e.Err.Error() }

// Unwrap returns the error of the hook.
func (e *HookError) Unwrap() error { return e.Err }

// ToolError is an error of a tool that nothing turned into an answer.
type ToolError struct {
	Tool   string
	CallID string
	Err    error
}

func (e *ToolError) Error() string {
	return fmt.Sprintf("tool %q: call %q: %v", e.Tool, e.CallID, e.Err)
}

// Unwrap returns the error of the tool.
func (e *ToolError) Unwrap() error { return e.Err }

// ModelError is a failed model call. The fields that describe the provider's answer are zero if the model does not report
// them, see [model.Error].
type ModelError struct {
	Model      string
	Provider   string
	Kind       model.ErrorKind // what went wrong
	Status     int             // HTTP status; 0: no answer came, or it failed after a successful start
	Retryable  bool            // a repeated call may succeed
	RetryAfter time.Duration   // how long the provider asks to wait; 0: unknown
	Err        error
}

func (e *ModelError) Error() string { return fmt.Sprintf("model %q: %v", e.Model, e.Err) }

// Unwrap returns the error of the model.
func (e *ModelError) Unwrap() error { return e.Err }

// LimitError ends a run that exceeded a limit. Fields that do not apply to the limit are zero.
type LimitError struct {
	Code        string // the exceeded limit: one of the Code constants
	Message     string
	Step        string // the step that has the limit
	Tool        string // the tool whose calls are limited; "": all tools
	ThreadCount int    // calls in the thread
	ThreadLimit *int
	RunCount    int // calls in the run
	RunLimit    *int
	Received    int // the amount that was reached
	Maximum     int // the amount that is allowed
}

func (e *LimitError) Error() string { return e.Message }

// The codes of a [LimitError].
const (
	CodeRecursionLimit = "RECURSION_LIMIT_EXCEEDED"
	CodeModelCallLimit = "MODEL_CALL_LIMIT_EXCEEDED"
	CodeToolCallLimit  = "TOOL_CALL_LIMIT_EXCEEDED"
	CodeCostLimit      = "COST_LIMIT_EXCEEDED"
)

// JumpError means that a hook made a jump that it did not declare, or that leads nowhere.
type JumpError struct {
	Step   string
	Target abi.Target
	Reason string
}

func (e *JumpError) Error() string {
	return fmt.Sprintf("%s: jump to %q %s", stepSubject(e.Step), e.Target, e.Reason)
}

// UpdateError is an update that cannot be applied. None of it was applied.
type UpdateError struct {
	Step  string // the step that made the update
	Field string // "": the messages
	Err   error  // why, such as ErrTwoUpdates
}

// ErrTwoUpdates means that two updates of one step write a field whose reducer cannot combine them.
var ErrTwoUpdates = errors.New("two updates in one step")

func (e *UpdateError) Error() string {
	if e.Field == "" {
		return fmt.Sprintf("%s: %v", stepSubject(e.Step), e.Err)
	}
	return fmt.Sprintf("%s: field %q: %v", stepSubject(e.Step), e.Field, e.Err)
}

// Unwrap returns the cause.
func (e *UpdateError) Unwrap() error { return e.Err }

// PanicError is a recovered panic of a native hook, a tool or a model.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// InterruptError carries interrupts outward from a hook or a tool. It is control flow, not a failure: retries, fallbacks and
// similar hooks must let it pass, see [IsControlFlow].
type InterruptError struct {
	Interrupts []abi.Interrupt
	step       string // of the wrap hook that asks; "": the step that returns the error
	nested     string // id of the call, made by a hook or tool, in which it was asked
}

func (e *InterruptError) Error() string {
	keys := make([]string, len(e.Interrupts))
	for i := range e.Interrupts {
		keys[i] = e.Interrupts[i].Key
	}
	return "interrupted: waiting for an answer to " + strings.Join(keys, ", ")
}

// IsControlFlow reports whether err is an interrupt or a cancellation, which every wrap hook must let pass.
func IsControlFlow(err error) bool {
	_, interrupted := asInterrupt(err)
	return interrupted || errors.Is(err, context.Canceled)
}

// asInterrupt returns the interrupts that err carries. An InterruptError without interrupts is an ordinary error.
func asInterrupt(err error) (*InterruptError, bool) {
	interrupt, ok := errors.AsType[*InterruptError](err)
	return interrupt, ok && len(interrupt.Interrupts) > 0
}

// stepSubject names a step in an error: `middleware "x": after_model`, or `step "model"`.
func stepSubject(step string) string {
	if i := strings.LastIndexByte(step, '.'); i >= 0 {
		return fmt.Sprintf("middleware %q: %s", step[:i], step[i+1:])
	}
	return fmt.Sprintf("step %q", step)
}
