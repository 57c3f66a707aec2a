package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/threadview"
)

func (a *app) threadsRemoveCommand(flags *threadsFlags) *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use:     "rm THREAD...",
		Aliases: []string{"remove"},
		Short:   "Remove threads",
		Long: `Remove threads with all their checkpoints, for good. One that is in a run stays. If one of them is not
there, or in a run, none is removed.`,
		Example: `  agenthost threads rm ada
  agenthost threads rm ada bob --yes`,
		Args: cobra.MinimumNArgs(1),
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
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return c
}

// removable reports the threads that are not there, or in a run.
func (a *app) removable(ctx context.Context, store checkpoint.Store, threads []string) error {
	for _, thread := range threads {
		found, err := threadview.Find(ctx, store, thread)
		if err == nil && found.State == threadview.Running {
			err = checkpoint.ErrBusy
		}
		if err != nil {
			return a.threadError(thread, err)
		}
	}
	return nil
}

// confirmRemoval asks whether threads are to be removed.
func (a *app) confirmRemoval(ctx context.Context, threads []string, yes bool) error {
	if yes {
		return nil
	}
	if !a.terminal {
		return &exitError{exitUsage, errors.New("threads rm: nobody can be asked here; --yes removes them without")}
	}
	ok, err := a.conversation().Confirm(ctx, fmt.Sprintf("Remove %s for good?", strings.Join(threads, ", ")))
	if err != nil || !ok {
		return &exitError{exitFailed, errors.New("threads rm: nothing was removed")}
	}
	return nil
}
