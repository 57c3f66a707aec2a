package main

import (
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/threadview"
	"github.com/agenthost/agenthost/host/approval"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/internal/terminal"
)

func (a *app) threadsRulesCommand(flags *threadsFlags) *cobra.Command {
	var json bool
	c := &cobra.Command{
		Use:   "rules THREAD",
		Short: "Show the rules of a thread that approve tool calls without asking",
		Long: `Show the rules of a thread: the tool calls that a person has approved for always, so that
human_in_the_loop does not ask about them in this thread.`,
		Example: `  agenthost threads rules ada
  agenthost threads rules ada --json`,
		Args: arguments("THREAD"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.withStore(c.Context(), flags, func(store checkpoint.Store) error {
				held, err := store.Load(c.Context(), args[0], 0)
				if err != nil {
					return a.threadError(args[0], err)
				}
				rules, err := threadview.Rules(args[0], held.State)
				switch {
				case err != nil:
					return &exitError{exitFailed, fmt.Errorf("thread %q: %w; 'agenthost threads revoke THREAD all' removes them", args[0], err)}
				case json:
					return terminal.PrintDocument(a.out, map[string]any{"rules": rules})
				case len(rules) == 0:
					_, err = fmt.Fprintln(a.err, "· the thread has no rules")
				default:
					_, err = fmt.Fprint(a.out, threadview.DescribeRules(rules))
				}
				return err
			})
		},
	}
	c.Flags().BoolVar(&json, "json", false, "print a JSON document")
	return c
}

func (a *app) threadsRevokeCommand(flags *threadsFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "revoke THREAD NUMBER",
		Short: "Remove a rule of a thread, so that its tool calls need approval again",
		Long: `Remove the rule with a NUMBER from a thread, or all of its rules with the word all. 'agenthost threads
rules THREAD' shows the numbers. The thread may wait for an answer, but no run may be in progress.`,
		Example: `  agenthost threads revoke ada 1
  agenthost threads revoke ada all`,
		Args: arguments("THREAD", "NUMBER"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.withStore(c.Context(), flags, func(store checkpoint.Store) error {
				if args[1] == "all" {
					if err := approval.RevokeAll(c.Context(), store, args[0], time.Now()); err != nil {
						return a.threadError(args[0], err)
					}
					fmt.Fprintln(a.err, terminal.Line(fmt.Sprintf("· thread %q has no rules", args[0])))
					return nil
				}
				n, err := strconv.Atoi(args[1])
				if err != nil {
					return &exitError{exitUsage, fmt.Errorf("threads revoke: %q is neither the number of a rule nor the word all", args[1])}
				}
				revoked, err := approval.Revoke(c.Context(), store, args[0], time.Now(), n)
				if err != nil {
					return a.threadError(args[0], fmt.Errorf("rule %d: %w", n, err))
				}
				fmt.Fprintln(a.err, terminal.Line(fmt.Sprintf("· thread %q: calls of %s need approval again (rule %d)", args[0], revoked.Tool, n)))
				return nil
			})
		},
	}
}
