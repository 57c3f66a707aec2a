package main

import (
	"context"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/threadview"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/internal/terminal"
)

func (a *app) threadsShowCommand(flags *threadsFlags) *cobra.Command {
	var at uint64
	var json, full bool
	c := &cobra.Command{
		Use:   "show THREAD",
		Short: "Show the conversation of a thread and its open questions",
		Long: `Show the conversation of a thread: its messages, tool calls and their results, the fields of its state,
and the questions that wait for an answer, with the commands that answer them.`,
		Example: `  agenthost threads show ada
  agenthost threads show ada --checkpoint 3
  agenthost threads show ada --json | jq .messages`,
		Args: arguments("THREAD"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.withStore(c.Context(), flags, func(store checkpoint.Store) error {
				shown, err := threadview.Load(c.Context(), store, args[0], checkpoint.ID(at))
				switch {
				case err != nil:
					return a.threadError(args[0], err)
				case json:
					return terminal.PrintDocument(a.out, shown)
				default:
					a.offer(c.Context(), shown)
					return shown.Print(a.out, a.continuing(args[0], shown.Program), full)
				}
			})
		},
	}
	c.Flags().Uint64Var(&at, "checkpoint", 0, "show the thread at the checkpoint with this `NUMBER`")
	c.Flags().BoolVar(&json, "json", false, "print a JSON document")
	c.Flags().BoolVar(&full, "full", false, "do not shorten long results and arguments")
	return c
}

// offer lets a thread that waits say which approvals can be for always. Only the agent knows, so the thread does not say it if its run was started by
// another manifest than the present one, or if that no longer works.
func (a *app) offer(ctx context.Context, shown *threadview.Conversation) {
	given, err := filepath.Abs(a.file)
	if err != nil || shown.Program == nil || shown.Program.Manifest != given || !shown.Waits() {
		return
	}
	agent, err := a.look(ctx)
	if err != nil {
		return
	}
	shown.Offer(agent)
	if err := agent.Close(); err != nil {
		a.logger().Warn("closing the agent", "error", err)
	}
}

func (a *app) threadsHistoryCommand(flags *threadsFlags) *cobra.Command {
	var json bool
	c := &cobra.Command{
		Use:   "history THREAD",
		Short: "Show the checkpoints of a thread and the changes in each",
		Long: `Show the checkpoints of a thread in all its branches, the newest first: when and why each was saved,
which messages were added (+), replaced (~) or removed (-), which fields changed, what was asked, and who
answered. "after #N" names the parent of a checkpoint that does not follow the one listed below it.`,
		Example: `  agenthost threads history ada
  agenthost threads history ada --json | jq 'select(.answered)'`,
		Args: arguments("THREAD"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.withStore(c.Context(), flags, func(store checkpoint.Store) error {
				entries, err := threadview.History(c.Context(), store, args[0])
				if err != nil {
					return a.threadError(args[0], err)
				}
				if !json {
					return threadview.PrintHistory(a.out, entries)
				}
				for i := range entries {
					if err := terminal.PrintLine(a.out, &entries[i]); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
	c.Flags().BoolVar(&json, "json", false, "print each checkpoint as a line of JSON, with all changes")
	return c
}
