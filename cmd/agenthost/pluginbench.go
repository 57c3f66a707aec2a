package main

import (
	"context"
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/author"
	"github.com/agenthost/agenthost/internal/terminal"
)

// pluginBench holds the flags of plugin bench.
type pluginBench struct {
	hooks    []string
	config   string
	grant    string
	duration time.Duration
	json     bool
}

func (a *app) pluginBenchCommand() *cobra.Command {
	var flags pluginBench
	c := &cobra.Command{
		Use:   "bench FILE [flags]",
		Short: "Measure what each hook of a plugin costs",
		Long: `Load the plugin like an agent does, with the default limits and no grants but those of --grant, configure
it, and call each hook repeatedly in the same situation: the second round of an agent whose history has 20
messages of 1 KB and whose tool returns 1 KB. before_agent and after_agent are called at the start and the
end of that run.

The columns are

  ns        nanoseconds of one call, including the host's part: the median (p50) and the 99th
            percentile (p99)
  empty     the same for a hook that gets the same documents and returns 0 at once; the two take
            turns, so the difference is the plugin's own time
  ratio     the p50 of the hook divided by that of the empty hook
  fuel      used by one call; a call may use 1,000,000,000 unless limits.fuel says otherwise
  input, reply, result
            bytes of the documents: the input, the last reply of next or host_call, the result
  memory    of the largest instance so far, in KiB
  outcome   of the last call: nothing, result, error or interrupt

Warnings below the table name hooks whose memory keeps growing (they leak), whose memory has grown much before
it settled, and whose calls become dearer from call to call.

With a grant, requests are real, the store is empty, and a scripted model and scripted tools answer "done".

The exit code is 0 if all calls succeeded, and 5 if the plugin was refused or failed.`,
		Example: `  agenthost plugin bench redact.wasm
  agenthost plugin bench redact.wasm --hook before_model --config '{strategy: hash}' --duration 5s --json`,
		Args: arguments("FILE"),
		RunE: func(c *cobra.Command, args []string) error { return a.pluginBench(c.Context(), args[0], &flags) },
	}
	c.Flags().StringSliceVar(&flags.hooks, "hook", nil, "measure only this `HOOK`; may be repeated")
	c.Flags().StringVar(&flags.config, "config", "", "the plugin's `CONFIG`: YAML, JSON, or @FILE")
	c.Flags().StringVar(&flags.grant, "grant", "", grantUsage)
	c.Flags().DurationVar(&flags.duration, "duration", time.Second, "the `DURATION` to measure each hook for")
	c.Flags().BoolVar(&flags.json, "json", false, "print each hook as a line of JSON")
	return c
}

func (a *app) pluginBench(ctx context.Context, file string, flags *pluginBench) error {
	hooks, err := parseHooks("--hook", flags.hooks)
	if err != nil {
		return err
	}
	wasm, err := pluginUnder(flags.config, flags.grant)
	if err != nil {
		return err
	}
	if flags.duration <= 0 {
		return &exitError{exitUsage, fmt.Errorf("--duration %v: the duration must be positive, such as 1s", flags.duration)}
	}
	engine := a.engine(a.logger())
	defer func() { _ = engine.Close() }() // the process is about to end
	wasm.Path, wasm.Engine = file, engine
	all, err := author.Bench(ctx, wasm, flags.duration, hooks...)
	if ctx.Err() != nil {
		return interrupted()
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

func (a *app) printMeasurements(all []author.Measurement, asJSON bool) error {
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
	if err := table.Flush(); err != nil {
		return err
	}
	for i := range all {
		for _, warning := range all[i].Warnings {
			if _, err := fmt.Fprintf(a.out, "warning: %s: %s\n", all[i].Hook, warning.Text); err != nil {
				return err
			}
		}
	}
	return nil
}
