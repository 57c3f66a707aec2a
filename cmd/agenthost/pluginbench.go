package main

import (
	"context"
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/internal/terminal"
)

// pluginBench are the flags of plugin bench.
type pluginBench struct {
	hooks    []string
	config   string
	duration time.Duration
	json     bool
}

func (a *app) pluginBenchCommand() *cobra.Command {
	var flags pluginBench
	c := &cobra.Command{
		Use:   "bench FILE [flags]",
		Short: "Measure what each hook of a plugin costs",
		Long: `Load the plugin as an agent would, with the default limits and without any grant, configure it, and
call each hook of its Description over and over in one place of a run: in the second round of an
agent whose history has 20 messages of 1 KB, and whose tool answers with 1 KB. before_agent and
after_agent are called where that run begins and ends.

Shown for each hook are
  ns        nanoseconds of one call, everything that the host does for it included: half of the
            calls took at most p50, all but one of a hundred at most p99
  empty     the same for an empty hook, which is given the same documents and returns 0 at once.
            It is called in turns with the other, so that the difference is the plugin's own
  ratio     how many times as long the hook takes as the empty one, by p50
  fuel      that one call used; a call may use 1,000,000,000 unless limits.fuel says otherwise
  bytes     of the documents: the input, the last reply of next or host_call, and the result
  memory    of the largest instance up to then, in KiB
  outcome   what the last call ended with: nothing, result, error or interrupt

The exit code is 0 if everything went well, 5 if the plugin was refused or made a fault.`,
		Example: `  agenthost plugin bench redact.wasm
  agenthost plugin bench redact.wasm --hook before_model --config '{strategy: hash}' --duration 5s --json`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return a.pluginBench(c.Context(), args[0], &flags) },
	}
	c.Flags().StringSliceVar(&flags.hooks, "hook", nil, "measure this `hook` alone; may be given several times")
	c.Flags().StringVar(&flags.config, "config", "", "the plugin's configuration: YAML or JSON, or `@FILE`")
	c.Flags().DurationVar(&flags.duration, "duration", time.Second, "measure each hook for so long")
	c.Flags().BoolVar(&flags.json, "json", false, "print each hook as a line of JSON")
	return c
}

func (a *app) pluginBench(ctx context.Context, file string, flags *pluginBench) error {
	hooks, err := parseHooks("--hook", flags.hooks)
	if err != nil {
		return err
	}
	config, err := readConfig(flags.config)
	if err != nil {
		return &exitError{exitUsage, fmt.Errorf("--config: %w", err)}
	}
	if flags.duration <= 0 {
		return &exitError{exitUsage, fmt.Errorf("--duration: %v is no time to measure in; use 1s", flags.duration)}
	}
	engine := a.engine(a.logger())
	defer func() { _ = engine.Close() }() // the process ends
	all, err := plugin.Measure(ctx, plugin.Wasm{Path: file, Config: config, Engine: engine}, flags.duration, hooks...)
	if ctx.Err() != nil {
		return &exitError{exitInterrupted, errors.New("interrupted")}
	}
	if printing := a.printMeasurements(all, flags.json); printing != nil {
		return &exitError{exitFailed, printing}
	}
	if _, faulty := errors.AsType[*plugin.Error](err); faulty {
		return &exitError{exitPlugin, err}
	}
	if err != nil {
		return &exitError{exitUsage, fmt.Errorf("plugin bench: %w", err)}
	}
	return nil
}

func (a *app) printMeasurements(all []plugin.Measurement, asJSON bool) error {
	if asJSON {
		for i := range all {
			if err := terminal.PrintLine(a.out, all[i]); err != nil {
				return err
			}
		}
		return nil
	}
	if len(all) == 0 {
		return nil
	}
	table := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "hook\tns p50\tp99\tempty p50\tp99\tratio\tfuel p50\tp99\tinput\treply\tresult\tmemory\tcalls\toutcome\t")
	for i := range all {
		m := &all[i]
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\t%.1f\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%s\t\n", m.Hook, m.Time.P50, m.Time.P99, m.Empty.P50, m.Empty.P99,
			m.Ratio, m.Fuel.P50, m.Fuel.P99, m.Input, m.Reply, m.Result, m.Memory>>10, m.Calls, terminal.Line(m.Outcome+" "+m.Message))
	}
	return table.Flush()
}
