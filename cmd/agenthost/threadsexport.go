package main

import (
	"bytes"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/threadview"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/internal/atomicfile"
	"github.com/agenthost/agenthost/internal/terminal"
)

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
