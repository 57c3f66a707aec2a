package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/threadview"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/internal/terminal"
)

func (a *app) threadsListCommand(flags *threadsFlags) *cobra.Command {
	var json bool
	c := &cobra.Command{
		Use:   "list",
		Short: "List threads",
		Long: `List the threads in the order of their names, with the state of their last run:

  running   a run has the thread open, or died so recently that its lease still lasts
  waiting   the run waits for answers
  stopped   the run failed, was cancelled, died, or stopped at a breakpoint
  done      the run is complete`,
		Example: `  agenthost threads list
  agenthost threads list --json | jq -r 'select(.state == "waiting") | .thread'`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			return a.withStore(c.Context(), flags, func(store checkpoint.Store) error {
				var threads []threadview.Summary
				for thread, err := range threadview.Summaries(c.Context(), store) {
					if err == nil && json {
						err = terminal.PrintLine(a.out, thread)
					}
					if err != nil {
						return &exitError{storeExit(err), err}
					}
					threads = append(threads, thread)
				}
				switch {
				case json:
				case len(threads) == 0:
					fmt.Fprintln(a.err, "· there are no threads yet")
				default:
					if err := threadview.PrintTable(a.out, threads); err != nil {
						return err
					}
				}
				return unreadable(threads)
			})
		},
	}
	c.Flags().BoolVar(&json, "json", false, "print each thread as a line of JSON")
	return c
}

// unreadable returns an error about the first thread whose newest checkpoint cannot be read. The list shows the others anyway.
func unreadable(threads []threadview.Summary) error {
	for i := range threads {
		if t := &threads[i]; t.State == threadview.Unreadable {
			return &exitError{exitUsage, fmt.Errorf("thread %q: %s", t.Thread, t.Failure)}
		}
	}
	return nil
}
