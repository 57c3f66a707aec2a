package main

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/threadview"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/internal/atomicfile"
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

func (a *app) threadsExportCommand(flags *threadsFlags) *cobra.Command {
	var at uint64
	var output string
	c := &cobra.Command{
		Use:   "export THREAD",
		Short: "Print a whole thread as a JSON document",
		Long: `Print a whole thread as one JSON document: its messages and fields, the questions that wait for an
answer, and its checkpoints with the changes of each. docs/threads.md describes the document.`,
		Example: `  agenthost threads export ada --output ada.json
  agenthost threads export ada | jq '.checkpoints | length'`,
		Args: arguments("THREAD"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.withStore(c.Context(), flags, func(store checkpoint.Store) error {
				exported, err := threadview.LoadExport(c.Context(), store, args[0], checkpoint.ID(at))
				if err != nil {
					return a.threadError(args[0], err)
				}
				if output == "" || output == "-" {
					return terminal.PrintDocument(a.out, exported)
				}
				var document bytes.Buffer
				err = terminal.PrintDocument(&document, exported)
				if err == nil {
					err = atomicfile.Write(output, document.Bytes(), 0o600) // conversations are private
				}
				if err != nil {
					return &exitError{exitFailed, fmt.Errorf("--output: %w; name another file", err)}
				}
				return nil
			})
		},
	}
	c.Flags().Uint64Var(&at, "checkpoint", 0, "print the messages and fields of the checkpoint with this `NUMBER`")
	c.Flags().StringVarP(&output, "output", "o", "", "write to this `FILE`, which only you can read")
	return c
}
