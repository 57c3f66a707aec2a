package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/internal/terminal"
)

func (a *app) threadsForkCommand(flags *threadsFlags) *cobra.Command {
	var at uint64
	c := &cobra.Command{
		Use:   "fork THREAD NEW",
		Short: "Copy a thread to a new one",
		Long: `Copy a thread, up to its newest checkpoint or an older one, to a new thread. Checkpoints keep their
numbers. Later changes to one of the threads do not affect the other.`,
		Example: `  agenthost threads fork ada ada-2
  agenthost threads fork ada ada-2 --checkpoint 3`,
		Args: arguments("THREAD", "NEW"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.withStore(c.Context(), flags, func(store checkpoint.Store) error {
				if err := store.Fork(c.Context(), args[0], checkpoint.ID(at), args[1]); err != nil {
					subject := args[0]
					if errors.Is(err, checkpoint.ErrThreadExists) {
						subject = args[1]
					}
					return a.threadError(subject, err)
				}
				_, err := fmt.Fprintln(a.err, terminal.Line(fmt.Sprintf("· thread %q is now a copy of %q", args[1], args[0])))
				return err
			})
		},
	}
	c.Flags().Uint64Var(&at, "checkpoint", 0, "copy the thread up to the checkpoint with this `NUMBER`")
	return c
}
