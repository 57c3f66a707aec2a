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

// runLimits holds the flags that limit a run, instead of or in addition to the keys of the manifest.
type runLimits struct {
	model    string
	maxSteps int
	timeout  time.Duration
	budget   uint64
}

func (l *runLimits) add(c *cobra.Command) {
	c.Flags().StringVar(&l.model, "model", "", "the model to use instead of the manifest's: `PROVIDER:NAME`")
	c.Flags().IntVar(&l.maxSteps, "max-steps", 0, "the maximum `NUMBER` of steps of a run, instead of the manifest's recursion_limit")
	c.Flags().DurationVar(&l.timeout, "timeout", 0,
		"stop a run that takes longer than this `DURATION`, such as 2m; time spent waiting for a person does not count")
	c.Flags().Uint64Var(&l.budget, "budget-tokens", 0, "stop a run before its next model step once it has used more than this `NUMBER` of tokens")
}

// check refuses invalid values.
func (l *runLimits) check(c *cobra.Command) error {
	given := c.Flags().Changed
	provider, name, _ := strings.Cut(l.model, ":")
	switch {
	case given("model") && (provider == "" || name == ""):
		return &exitError{exitUsage, fmt.Errorf("--model %q: write it as PROVIDER:NAME, such as openai:gpt-5.2", l.model)}
	case given("max-steps") && l.maxSteps < 1:
		return &exitError{exitUsage, fmt.Errorf("--max-steps %d: the number must be at least 1", l.maxSteps)}
	case given("timeout") && l.timeout <= 0:
		return &exitError{exitUsage, fmt.Errorf("--timeout %v: the duration must be positive", l.timeout)}
	case given("budget-tokens") && l.budget == 0:
		return &exitError{exitUsage, errors.New("--budget-tokens 0: the number must be at least 1")}
	}
	return nil
}

// assignments returns the flags that override the manifest as values of --set, so that the commands that continue a run
// include them.
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

// stoppedError says that a limit of the command line stopped the run.
type stoppedError struct{ text string }

func (e *stoppedError) Error() string { return e.text }

// limitedRun performs one run within limits. A run consists of several stretches if a person answers questions in between.
type limitedRun struct {
	agent  *host.Agent
	limits runLimits

	took  time.Duration
	spent uint64 // tokens
}

// perform performs the next stretch.
func (l *limitedRun) perform(ctx context.Context, in host.Input, handle func(host.Event) error) (*host.Result, error) {
	over := &stoppedError{fmt.Sprintf("the run took longer than --timeout %v", l.limits.timeout)}
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
		err = over // whichever call noticed it first
	}
	return result, err
}

// count adds up the tokens of all model calls, including those of tools and plugins, and stops the run before the next model
// step. The tools that the last answer called have run by then, so the thread has no open calls.
func (l *limitedRun) count(e *host.Event) error {
	switch {
	case e.Type == host.EventModel:
		for i := range e.Messages {
			if used := e.Messages[i].Usage; used != nil {
				l.spent += max(used.TotalTokens, used.InputTokens+used.OutputTokens)
			}
		}
	case e.Type == host.EventStep && e.Step == host.ModelStep && l.limits.budget > 0 && l.spent > l.limits.budget:
		return &stoppedError{fmt.Sprintf("the run used %d tokens; --budget-tokens allows %d", l.spent, l.limits.budget)}
	}
	return nil
}
