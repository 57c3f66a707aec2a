package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/host"
)

// runLimits are flags that change what a run may use, in place of the manifest's keys or beyond them.
type runLimits struct {
	model    string
	maxSteps int
	timeout  time.Duration
	budget   uint64
}

func (l *runLimits) add(c *cobra.Command) {
	c.Flags().StringVar(&l.model, "model", "", "another model than the manifest's: `PROVIDER:NAME`")
	c.Flags().IntVar(&l.maxSteps, "max-steps", 0, "the `number` of steps in which a run must end, in place of the manifest's recursion_limit")
	c.Flags().DurationVar(&l.timeout, "timeout", 0, "stop a run that takes longer: a `duration` such as 2m; a person's time to answer does not count")
	c.Flags().Uint64Var(&l.budget, "budget-tokens", 0, "stop a run before the next model call when it has used more than so many `tokens`")
}

// check refuses values that cannot be meant.
func (l *runLimits) check(c *cobra.Command) error {
	given := c.Flags().Changed
	provider, name, _ := strings.Cut(l.model, ":")
	switch {
	case given("model") && (provider == "" || name == ""):
		return &exitError{exitUsage, fmt.Errorf("--model %q: a model is PROVIDER:NAME, such as openai:gpt-5.2", l.model)}
	case given("max-steps") && l.maxSteps < 1:
		return &exitError{exitUsage, fmt.Errorf("--max-steps %d: it must be at least 1", l.maxSteps)}
	case given("timeout") && l.timeout <= 0:
		return &exitError{exitUsage, fmt.Errorf("--timeout %v: it must be more than 0", l.timeout)}
	case given("budget-tokens") && l.budget == 0:
		return &exitError{exitUsage, errors.New("--budget-tokens 0: it must be at least 1")}
	}
	return nil
}

// assignments are the flags that change the manifest, as --set takes them: so the commands have them that go on with a run.
func (l *runLimits) assignments() []string {
	var out []string
	if l.model != "" {
		out = append(out, "model="+l.model)
	}
	if l.maxSteps > 0 {
		out = append(out, "recursion_limit="+strconv.Itoa(l.maxSteps))
	}
	return out
}

// stoppedError is a run that the command's own limits have stopped.
type stoppedError struct{ text string }

func (e *stoppedError) Error() string { return e.text }

// limitedRun performs the stretches of one run, between which a person may be asked, within limits.
type limitedRun struct {
	agent  *host.Agent
	limits runLimits

	took  time.Duration
	spent uint64 // tokens
}

// perform performs the next stretch.
func (l *limitedRun) perform(ctx context.Context, in host.Input, handle func(host.Event) error) (*host.Result, error) {
	over := &stoppedError{fmt.Sprintf("the run has taken longer than --timeout %v", l.limits.timeout)}
	if l.limits.timeout > 0 {
		inside, cancel := context.WithTimeoutCause(ctx, l.limits.timeout-l.took, over)
		defer cancel()
		ctx = inside
	}
	start := time.Now()
	defer func() { l.took += time.Since(start) }()
	result, err := l.agent.RunEvents(ctx, in, func(e host.Event) error {
		if err := handle(e); err != nil {
			return err
		}
		return l.count(&e)
	})
	if err != nil && errors.Is(context.Cause(ctx), over) && (result.Status == host.Cancelled || errors.Is(err, context.DeadlineExceeded)) {
		err = over // whatever has noticed it
	}
	return result, err
}

// count counts the tokens of each model call, those of tools and plugins too, and stops the run before another model step. The
// calls of tools that the last answer asked for have run then: nothing is left open in the thread.
func (l *limitedRun) count(e *host.Event) error {
	switch {
	case e.Type == host.EventModel:
		for i := range e.Messages {
			if used := e.Messages[i].Usage; used != nil {
				l.spent += max(used.TotalTokens, used.InputTokens+used.OutputTokens)
			}
		}
	case e.Type == host.EventStep && e.Step == host.ModelStep && l.limits.budget > 0 && l.spent > l.limits.budget:
		return &stoppedError{fmt.Sprintf("the run has used %d tokens, and may use %d (--budget-tokens)", l.spent, l.limits.budget)}
	}
	return nil
}
