package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/cases"
	"github.com/agenthost/agenthost/cases/evaluate"
	"github.com/agenthost/agenthost/cases/perform"
	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/manifest"
)

// evalFlags holds the flags of eval.
type evalFlags struct {
	repeats  int
	against  string
	judge    string
	run      string
	set      []string
	output   string
	least    float64
	json     bool
	parallel int
	timeout  time.Duration
}

func (a *app) evalCommand() *cobra.Command {
	var flags evalFlags
	c := &cobra.Command{
		Use:   "eval [DIR | FILE]... [flags]",
		Short: "Measure how often an agent passes its cases with a real model",
		Long: `Perform the cases of 'agenthost test' with the models of the manifest, several times each, and print how often
they pass: with the interval in which the true rate is with a probability of 95 %, the time, and the tokens.
Scripts and cassettes of the cases are not used. A case with a dataset is performed for each row.

--judge names a model under models in the manifest. It judges the cases that have the key rubric. --against
names a second manifest, which performs the same cases; the judge then also compares the answers in pairs.

The results are kept in the directory of --output: the report as JSON and as an HTML page, and a journal.
After Ctrl-C, the same command goes on where it was stopped. The next evaluation is compared with this one.

Requests obey the key rate_limit of the manifest's models, across all samples that run at once.

The exit code is 0, or 1 if --least is given and a manifest passes less often, and 2 for wrong usage.`,
		Example: `  agenthost eval --repeats 10
  agenthost eval tests/refund.yaml --repeats 20 --judge judge
  agenthost eval --against cheaper.yaml --judge judge
  agenthost eval --least 0.9 --json`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error { return a.eval(c.Context(), args, &flags) },
	}
	f := c.Flags()
	f.IntVarP(&flags.repeats, "repeats", "n", 5, "how often each case is performed: a `NUMBER`")
	f.StringVar(&flags.against, "against", "", "compare with the manifest in this `FILE`")
	f.StringVar(&flags.judge, "judge", "", "the `KEY` under models in the manifest of the model that judges; model is the agent's own")
	f.StringVar(&flags.run, "run", "", "perform only the cases whose path matches this `PATTERN`, a regular expression")
	f.StringArrayVar(&flags.set, "set", nil, "override a value of the manifests: `KEY=VALUE`; may be repeated")
	f.StringVarP(&flags.output, "output", "o", "evals", "the `DIR` for the results")
	f.Float64Var(&flags.least, "least", 0, "the least `RATE` of samples that must pass, from 0 to 1, for the exit code 0")
	f.BoolVar(&flags.json, "json", false, "print the report as JSON")
	f.IntVar(&flags.parallel, "parallel", max(4, runtime.GOMAXPROCS(0)), "how many samples are performed at once: a `NUMBER`")
	f.DurationVar(&flags.timeout, "timeout", 10*time.Minute, "how long a sample may take: a `DURATION`")
	return c
}

func (f *evalFlags) check() error {
	switch {
	case f.repeats < 1:
		return fmt.Errorf("--repeats %d: each case must be performed at least once", f.repeats)
	case f.parallel < 1:
		return fmt.Errorf("--parallel %d: at least one sample must be performed at once", f.parallel)
	case f.timeout <= 0:
		return fmt.Errorf("--timeout %v: the duration must be positive", f.timeout)
	case f.least < 0 || f.least > 1:
		return fmt.Errorf("--least %v: the rate must be from 0 to 1", f.least)
	default:
		return nil
	}
}

func (a *app) eval(ctx context.Context, places []string, flags *evalFlags) (err error) {
	if err := flags.check(); err != nil {
		return &exitError{exitUsage, err}
	}
	if len(places) == 0 {
		places = []string{"."}
	}
	all, err := agentCases("eval", places, flags.run)
	if err != nil {
		return &exitError{exitUsage, err}
	}
	logger := a.logger()
	engine := a.engine(logger)
	defer func() { _ = engine.Close() }() // the process is about to end
	plan := &evaluate.Plan{
		Cases: all, Repeats: flags.repeats, Against: flags.against, Parallel: flags.parallel, Timeout: flags.timeout,
		Options: perform.Options{Engine: engine, Logins: a.loginStore(logger), Set: flags.set},
	}
	if a.verbose {
		plan.Options.Logger = logger
	}
	if flags.judge != "" {
		plan.Judge, err = evaluate.OpenJudge(ctx, all[0].ManifestPath(), flags.judge, manifest.Options{Engine: engine, Logins: a.loginStore(logger)})
		if err != nil {
			return &exitError{exitUsage, fmt.Errorf("--judge: %w", err)}
		}
		defer func() { err = errors.Join(err, plan.Judge.Close()) }()
	} else if needsJudge(all) {
		fmt.Fprintln(a.err, "· no judge: the key rubric of cases has no effect without --judge")
	}
	return a.evaluate(ctx, plan, flags)
}

func needsJudge(all []*cases.Case) bool {
	for _, c := range all {
		if c.Rubric != "" {
			return true
		}
	}
	return false
}

// evaluate performs a plan and prints the report.
func (a *app) evaluate(ctx context.Context, plan *evaluate.Plan, flags *evalFlags) error {
	digest, err := plan.Digest()
	if err != nil {
		return &exitError{exitUsage, err}
	}
	journal, err := evaluate.OpenJournal(flags.output, digest)
	if err != nil {
		return &exitError{exitUsage, fmt.Errorf("--output: %w", err)}
	}
	defer func() { _ = journal.Close() }() // each line is written already
	results := &journal.Results
	if journal.Resumed {
		fmt.Fprintf(a.err, "· going on after %d of %d samples\n", len(results.Samples), plan.Total())
	}
	progress := &evalProgress{app: a, total: plan.Total(), done: len(results.Samples)}
	err = evaluate.Run(ctx, plan, results, func(s *evaluate.Sample, pair *evaluate.Pair) error {
		progress.show(s)
		return journal.Add(s, pair)
	})
	progress.end()
	switch {
	case ctx.Err() != nil:
		fmt.Fprintf(a.err, "· stopped after %d of %d samples; the same command goes on\n", len(results.Samples), plan.Total())
		return interrupted()
	case err != nil:
		return &exitError{exitFailed, fmt.Errorf("--output: %w", err)}
	}
	if err := journal.Done(); err != nil {
		return &exitError{exitFailed, fmt.Errorf("--output: %w", err)}
	}
	summary := evaluate.Summarize(results, journal.Before)
	if err := writeReports(flags.output, summary); err != nil {
		return &exitError{exitFailed, fmt.Errorf("--output: %w", err)}
	}
	if flags.json {
		err = terminal.PrintDocument(a.out, summary)
	} else {
		_, err = fmt.Fprint(a.out, describeSummary(summary, flags.output))
	}
	if err != nil {
		return &exitError{exitFailed, err}
	}
	for _, row := range summary.Total {
		if row.Passed.Rate < flags.least {
			return &exitError{exitFailed, nil}
		}
	}
	return nil
}

// evalProgress shows at a terminal how many samples are there.
type evalProgress struct {
	*app

	total, done, failed int
}

func (p *evalProgress) show(s *evaluate.Sample) {
	if s == nil {
		return
	}
	p.done++
	if !s.OK {
		p.failed++
	}
	if p.watched {
		fmt.Fprintf(p.err, "\r\x1b[K· %d of %d, %d failed", p.done, p.total, p.failed)
	}
}

func (p *evalProgress) end() {
	if p.watched {
		fmt.Fprint(p.err, "\r\x1b[K")
	}
}
