package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

// runLimits holds the flags that limit a run, instead of or in addition to the keys of the manifest.
type runLimits struct {
	model    string
	maxSteps int
	timeout  time.Duration
	budget   uint64
	money    string       // as it was typed
	maxCost  model.Amount // 0: any amount
}

func (l *runLimits) add(c *cobra.Command) {
	c.Flags().StringVar(&l.model, "model", "", "the model to use instead of the manifest's: `PROVIDER:NAME`")
	c.Flags().IntVar(&l.maxSteps, "max-steps", 0, "the maximum `NUMBER` of steps of a run, instead of the manifest's recursion_limit")
	c.Flags().DurationVar(&l.timeout, "timeout", 0,
		"stop a run that takes longer than this `DURATION`, such as 2m; time spent waiting for a person does not count")
	c.Flags().Uint64Var(&l.budget, "budget-tokens", 0, "stop a run before its next model step once it has used more than this `NUMBER` of tokens")
	c.Flags().StringVar(&l.money, "budget", "",
		"stop a run before its next model call once it has cost this `AMOUNT`, such as 0.50, in the currency of the manifest's "+
			"prices, which must name all its models")
}

// check refuses invalid values. A server has names of its own for models.
func (l *runLimits) check(c *cobra.Command, server bool) error {
	given := c.Flags().Changed
	provider, name, _ := strings.Cut(l.model, ":")
	switch {
	case given("model") && (l.model == "" || !server && (provider == "" || name == "")):
		return &exitError{exitUsage, fmt.Errorf("--model %q: write it as PROVIDER:NAME, such as openai:gpt-5.2", l.model)}
	case given("max-steps") && l.maxSteps < 1:
		return &exitError{exitUsage, fmt.Errorf("--max-steps %d: the number must be at least 1", l.maxSteps)}
	case given("timeout") && l.timeout <= 0:
		return &exitError{exitUsage, fmt.Errorf("--timeout %v: the duration must be positive", l.timeout)}
	case given("budget-tokens") && l.budget == 0:
		return &exitError{exitUsage, errors.New("--budget-tokens 0: the number must be at least 1")}
	case given("budget"):
		amount, err := model.ParseAmount(l.money)
		if err == nil && amount == 0 {
			err = errors.New("the amount must be more than 0")
		}
		if err != nil {
			return &exitError{exitUsage, fmt.Errorf("--budget: %w", err)}
		}
		l.maxCost = amount
	}
	return nil
}

// overrides returns the values of --set with the flags that override the manifest among them, so that the commands that continue a
// run include them. --model replaces the whole model, and --set model.KEY then changes the new one, in whichever order they were
// given. A flag and a --set that say the same thing twice are an error: neither may be dropped.
func (l *runLimits) overrides(set []string) ([]string, error) {
	var out []string
	if l.model != "" {
		provider, name, _ := strings.Cut(l.model, ":")
		chosen := "model=" + l.model
		for _, assignment := range set {
			switch keys := strictyaml.AssignedKeys(assignment); {
			case len(keys) == 0 || keys[0] != "model":
			case len(keys) == 1, keys[1] == "provider", keys[1] == "name":
				return nil, twice("--model", keys, "chooses the model")
			default: // PROVIDER:NAME has no keys
				chosen = fmt.Sprintf("model={provider: %q, name: %q}", provider, name)
			}
		}
		out = append(out, chosen)
	}
	if l.maxSteps > 0 {
		for _, assignment := range set {
			if keys := strictyaml.AssignedKeys(assignment); len(keys) == 1 && keys[0] == "recursion_limit" {
				return nil, twice("--max-steps", keys, "limits the steps")
			}
		}
		out = append(out, "recursion_limit="+strconv.Itoa(l.maxSteps))
	}
	return append(out, set...), nil
}

// override applies the flags that override the manifest. Problems of the model have the name typed.
func (a *app) override(l *runLimits, typed string) error {
	set, err := l.overrides(a.set)
	if err != nil {
		return err
	}
	a.set, a.typed = set, [2]string{}
	if l.model != "" {
		a.typed = [2]string{"--set " + set[0], typed}
	}
	return nil
}

// twice returns the error for a flag and a --set that contradict each other.
func twice(flag string, keys []string, what string) error {
	return &exitError{exitUsage, fmt.Errorf("%s and --set %s: each of them %s; give only one", flag, strings.Join(keys, "."), what)}
}

// stoppedError says that a limit of the command line stopped the run.
type stoppedError struct{ text string }

func (e *stoppedError) Error() string { return e.text }

// limitedRun performs one run within limits. A run consists of several stretches if a person answers questions in between.
type limitedRun struct {
	agent   runner
	limits  runLimits
	context map[string]any                    // nil: none
	inputs  bool                              // the input says which model and how many steps: there is no manifest whose keys the flags replace
	during  func(yield func()) (ended func()) // lets the run stop between two steps, see [stopper.during]; nil: it is cut off

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
	if l.context != nil {
		in.Context = l.context
	}
	if l.inputs {
		in.Model, in.RecursionLimit = l.limits.model, l.limits.maxSteps
	}
	var yields atomic.Bool
	ended := func() {}
	if l.during != nil {
		ended, in.Yield = l.during(func() { yields.Store(true) }), func(host.Boundary) bool { return yields.Load() }
	}
	defer ended()
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
	if err == nil && result.Yielded {
		ended() // which ends the command
		err = context.Cause(ctx)
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
