package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/threadview"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/internal/terminal"
)

func (a *app) threadsListCommand(flags *threadsFlags) *cobra.Command {
	var json bool
	var q threadQuery
	c := &cobra.Command{
		Use:   "list",
		Short: "List threads",
		Long: `List the threads in the order of their names, with the state of their last run:

  running    a run has the thread open, or died so recently that its lease still lasts
  orphaned   the process of the run died before the run was over; agenthost resume goes on with it
  waiting    the run waits for answers
  stopped    the run was cancelled, or stopped at a breakpoint
  failed     the run failed
  done       the run is complete`,
		Example: `  agenthost threads list
  agenthost threads list --state waiting
  agenthost threads list --prefix user- --idle 720h --json | jq -r .thread`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			return a.withStore(c.Context(), flags, func(store checkpoint.Store) error {
				query, err := q.query(time.Now())
				if err != nil {
					return &exitError{exitUsage, err}
				}
				var threads []threadview.Summary
				for thread, err := range threadview.Summaries(c.Context(), store, query) {
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
				case len(threads) == 0 && q == threadQuery{}:
					fmt.Fprintln(a.err, "· there are no threads yet")
				case len(threads) == 0:
					fmt.Fprintln(a.err, "· there are no such threads")
				default:
					if err := threadview.PrintTable(a.out, threads); err != nil {
						return err
					}
				}
				return unreadable(threads)
			})
		},
	}
	f := c.Flags()
	f.BoolVar(&json, "json", false, "print each thread as a line of JSON")
	f.StringVar(&q.state, "state", "", "list only threads in this `STATE`")
	f.StringVar(&q.prefix, "prefix", "", "list only threads whose names begin with `TEXT`")
	f.DurationVar(&q.within, "within", 0, "list only threads that were saved within this `TIME`, such as 24h")
	f.DurationVar(&q.idle, "idle", 0, "list only threads that were not saved for this `TIME`")
	_ = c.RegisterFlagCompletionFunc("state", cobra.FixedCompletions(stateNames(), cobra.ShellCompDirectiveNoFileComp)) // the flag exists
	return c
}

// threadQuery says which threads to list.
type threadQuery struct {
	state, prefix string
	within, idle  time.Duration
}

// query returns what a store is asked at a time.
func (q *threadQuery) query(now time.Time) (checkpoint.Query, error) {
	out := checkpoint.Query{State: checkpoint.State(q.state), Prefix: q.prefix}
	if q.state != "" && !slices.Contains(checkpoint.States, out.State) {
		return out, fmt.Errorf("--state is %q; use one of %s", q.state, strings.Join(stateNames(), ", "))
	}
	for _, flag := range []struct {
		name string
		time time.Duration
		to   *time.Time
	}{{"within", q.within, &out.UpdatedSince}, {"idle", q.idle, &out.UpdatedBefore}} {
		switch {
		case flag.time < 0:
			return out, fmt.Errorf("--%s is %v; a time must be positive", flag.name, flag.time)
		case flag.time > 0:
			*flag.to = now.Add(-flag.time)
		}
	}
	return out, nil
}

func stateNames() []string {
	names := make([]string, len(checkpoint.States))
	for i, s := range checkpoint.States {
		names[i] = string(s)
	}
	return names
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
