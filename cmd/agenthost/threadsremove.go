package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/threadview"
	"github.com/agenthost/agenthost/host/checkpoint"
)

func (a *app) threadsRemoveCommand(flags *threadsFlags) *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use:     "rm THREAD...",
		Aliases: []string{"remove"},
		Short:   "Remove threads",
		Long: `Remove threads with all their checkpoints. This cannot be undone. If one of the threads does not exist
or has a run in progress, none is removed.`,
		Example: `  agenthost threads rm ada
  agenthost threads rm ada bob --yes`,
		Args: arguments("THREAD..."),
		RunE: func(c *cobra.Command, args []string) error {
			return a.withStore(c.Context(), flags, func(store checkpoint.Store) error {
				if err := a.removable(c.Context(), store, args); err != nil {
					return err
				}
				if err := a.confirmRemoval(c.Context(), args, yes); err != nil {
					return err
				}
				for _, thread := range args {
					if err := store.Delete(c.Context(), thread); err != nil {
						return a.threadError(thread, err)
					}
				}
				return nil
			})
		},
	}
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask for confirmation")
	return c
}

// removable returns an error if one of the threads does not exist or is in a run.
func (a *app) removable(ctx context.Context, store checkpoint.Store, threads []string) error {
	for _, thread := range threads {
		found, err := threadview.Find(ctx, store, thread)
		if err == nil && found.State == checkpoint.Running {
			err = checkpoint.ErrBusy
		}
		if err != nil {
			return a.threadError(thread, err)
		}
	}
	return nil
}

// confirmRemoval asks the user for confirmation.
func (a *app) confirmRemoval(ctx context.Context, threads []string, yes bool) error {
	if yes {
		return nil
	}
	if !a.terminal {
		return &exitError{exitUsage, errors.New("threads rm: there is no terminal to ask for confirmation; add --yes to remove the threads anyway")}
	}
	ok, err := a.conversation().Confirm(ctx, fmt.Sprintf("Remove %s? This cannot be undone.", strings.Join(threads, ", ")))
	if err != nil || !ok {
		return &exitError{exitFailed, errors.New("threads rm: nothing was removed")}
	}
	return nil
}
