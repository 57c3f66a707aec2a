package main

import (
	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/threadview"
)

func (a *app) threadsShowCommand(flags *threadsFlags) *cobra.Command {
	var at uint64
	var json, full bool
	c := &cobra.Command{
		Use:   "show THREAD",
		Short: "Show the conversation of a thread, and what it waits for",
		Long: `Show the conversation of a thread: messages, tool calls and their results, the fields of its state, and
what waits for an answer, with the commands that give it.`,
		Example: `  agenthost threads show ada
  agenthost threads show ada --checkpoint 3
  agenthost threads show ada --json | jq .messages`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return a.withStore(c.Context(), flags, func(store checkpoint.Store) error {
				shown, err := threadview.Load(c.Context(), store, args[0], checkpoint.ID(at))
				switch {
				case err != nil:
					return a.threadError(args[0], err)
				case json:
					return terminal.PrintDocument(a.out, shown)
				default:
					return shown.Print(a.out, a.manifest(flags), full)
				}
			})
		},
	}
	c.Flags().Uint64Var(&at, "checkpoint", 0, "show what the thread held at an older checkpoint, by its `number`")
	c.Flags().BoolVar(&json, "json", false, "print it as a JSON document")
	c.Flags().BoolVar(&full, "full", false, "leave nothing out of long results and arguments")
	return c
}

// manifest is the file that commands name which go on with a thread; "" if it is not known.
func (a *app) manifest(flags *threadsFlags) string {
	if flags.store != "" {
		return ""
	}
	return a.file
}

func (a *app) threadsHistoryCommand(flags *threadsFlags) *cobra.Command {
	var json bool
	c := &cobra.Command{
		Use:   "history THREAD",
		Short: "Show the checkpoints of a thread, and what changed in each",
		Long: `Show the checkpoints of a thread, the newest first, those of all branches: when and why each was made,
which messages were added (+), replaced (~) or removed (-), which fields changed, what was asked, and who
answered. "behind" names the parent of a checkpoint that does not follow the one before it.`,
		Example: `  agenthost threads history ada
  agenthost threads history ada --json | jq 'select(.answered)'`,
		Args: cobra.ExactArgs(1),
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
	c.Flags().BoolVar(&json, "json", false, "print each checkpoint as a line of JSON, with all that changed")
	return c
}
