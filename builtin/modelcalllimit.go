package builtin

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
)

// ModelCallLimit ends a run when the run or its thread has made a number of model calls. It counts model steps: retries of
// one step count once. A limit of 0 stops the first call. Behaviour and texts are those of LangChain's
// ModelCallLimitMiddleware, except that the run's count survives interrupts.
type ModelCallLimit struct {
	ThreadLimit *int `yaml:"thread_limit"` // model calls in the thread; nil: no limit
	RunLimit    *int `yaml:"run_limit"`    // model calls in a run; nil: no limit
	// ExitBehavior is what happens at the limit: "end" (or ""): the run ends with a message; "error": it fails with a
	// LimitError.
	ExitBehavior string `yaml:"exit_behavior" schema:"default=end,enum=end|error"`
}

var modelCallLimitEntry = Entry{
	Name:    "model_call_limit",
	Summary: "limits the model calls of a run or thread",
	Example: `- model_call_limit:
    run_limit: 20
    exit_behavior: end
`,
	New: func() host.Middleware { return &ModelCallLimit{} },
}

var (
	threadModelCalls = host.NewField[int]("thread_model_call_count", host.Hidden)
	runModelCalls    = host.NewField[int]("run_model_call_count", host.Hidden, host.Lives(host.LifetimeRun))
)

// Name returns "model_call_limit".
func (l ModelCallLimit) Name() string { return "model_call_limit" }

// Hooks checks the limits.
func (l ModelCallLimit) Hooks(context.Context, host.Env) (*host.Hooks, error) {
	if err := checkLimits(l.ThreadLimit, l.RunLimit); err != nil {
		return nil, err
	}
	switch l.ExitBehavior {
	case "", "end", "error":
	default:
		return nil, fmt.Errorf("invalid exit_behavior: %s. Must be 'end' or 'error'", l.ExitBehavior)
	}
	return &host.Hooks{
		BeforeModel: host.NodeHook{Func: l.check, CanJumpTo: []abi.Target{abi.JumpEnd}},
		AfterModel:  host.NodeHook{Func: count},
		State:       []host.Field{threadModelCalls.Field, runModelCalls.Field},
		Order: []host.Order{{
			Outside: "model_retry", Reason: "inside of a retry it looks as if it counted attempts, but it counts steps in any position",
		}},
	}, nil
}

// checkLimits refuses missing and negative limits.
func checkLimits(thread, run *int) error {
	if thread == nil && run == nil {
		return errors.New("at least one limit must be specified (thread_limit or run_limit)")
	}
	for _, limit := range []struct {
		name  string
		value *int
	}{{"thread_limit", thread}, {"run_limit", run}} {
		if limit.value != nil && *limit.value < 0 {
			return fmt.Errorf("%s is %d; it must not be negative", limit.name, *limit.value)
		}
	}
	return nil
}

// check ends the run if a limit is reached.
func (l *ModelCallLimit) check(_ context.Context, rt *host.Runtime) (*host.Update, error) {
	thread, run, err := modelCalls(rt)
	if err != nil {
		return nil, err
	}
	var exceeded []string
	if l.ThreadLimit != nil && thread >= *l.ThreadLimit {
		exceeded = append(exceeded, fmt.Sprintf("thread limit (%d/%d)", thread, *l.ThreadLimit))
	}
	if l.RunLimit != nil && run >= *l.RunLimit {
		exceeded = append(exceeded, fmt.Sprintf("run limit (%d/%d)", run, *l.RunLimit))
	}
	if len(exceeded) == 0 {
		return nil, nil //nolint:nilnil // no update
	}
	text := "Model call limits exceeded: " + strings.Join(exceeded, ", ")
	if l.ExitBehavior == "error" {
		return nil, &host.LimitError{
			Code: host.CodeModelCallLimit, Message: text, Step: rt.Step(),
			ThreadCount: thread, ThreadLimit: l.ThreadLimit, RunCount: run, RunLimit: l.RunLimit,
		}
	}
	return &host.Update{JumpTo: abi.JumpEnd, Messages: []abi.Message{abi.AI(text)}}, nil
}

// count counts a model call.
func count(_ context.Context, rt *host.Runtime) (*host.Update, error) {
	thread, run, err := modelCalls(rt)
	if err != nil {
		return nil, err
	}
	update := &host.Update{}
	return update, errors.Join(threadModelCalls.Set(update, thread+1), runModelCalls.Set(update, run+1))
}

func modelCalls(rt *host.Runtime) (thread, run int, err error) {
	thread, _, threadErr := threadModelCalls.Get(rt.State())
	run, _, runErr := runModelCalls.Get(rt.State())
	return thread, run, errors.Join(threadErr, runErr)
}
