package main

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/internal/atomicfile"
	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/threadview"
)

func (a *app) threadsForkCommand(flags *threadsFlags) *cobra.Command {
	var at uint64
	c := &cobra.Command{
		Use:   "fork THREAD NEW",
		Short: "Copy a thread to a new one",
		Long: `Copy the checkpoints that lead to the newest one of a thread, or to an older one, to a new thread. They
keep their numbers. What happens in one of the threads does not show in the other.`,
		Example: `  agenthost threads fork ada ada-2
  agenthost threads fork ada ada-2 --checkpoint 3`,
		Args: cobra.ExactArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			return a.withStore(c.Context(), flags, func(store checkpoint.Store) error {
				if err := store.Fork(c.Context(), args[0], checkpoint.ID(at), args[1]); err != nil {
					subject := args[0]
					if errors.Is(err, checkpoint.ErrThreadExists) {
						subject = args[1]
					}
					return a.threadError(subject, err)
				}
				_, err := fmt.Fprintln(a.err, terminal.Line(fmt.Sprintf("· the thread %q is a copy of %q", args[1], args[0])))
				return err
			})
		},
	}
	c.Flags().Uint64Var(&at, "checkpoint", 0, "copy what leads to an older checkpoint, by its `number`")
	return c
}

func (a *app) threadsExportCommand(flags *threadsFlags) *cobra.Command {
	var at uint64
	var output string
	c := &cobra.Command{
		Use:   "export THREAD",
		Short: "Print all that there is of a thread as a JSON document",
		Long: `Print all that there is of a thread as one JSON document: its messages and fields, what waits, and its
checkpoints with what changed in each. docs/threads.md describes it.`,
		Example: `  agenthost threads export ada --output ada.json
  agenthost threads export ada | jq '.checkpoints | length'`,
		Args: cobra.ExactArgs(1),
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
					err = atomicfile.Write(output, document.Bytes(), 0o600) // what people say is not for everybody on the machine
				}
				if err != nil {
					return &exitError{exitFailed, err}
				}
				return nil
			})
		},
	}
	c.Flags().Uint64Var(&at, "checkpoint", 0, "with the messages and fields of an older checkpoint, by its `number`")
	c.Flags().StringVarP(&output, "output", "o", "", "write it to a `file`, which only its owner can read")
	return c
}
