package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/internal/text"
)

func (a *app) orderCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "order [flags]",
		Short: "Print the order in which the hooks of the middleware run",
		Long: `Print the order in which the hooks of the manifest's middleware run, built-in ones and plugins: before
hooks in the order of the manifest, wraps from the outermost to the innermost, after hooks in reverse
order. If another order would be better, the command says so and why.`,
		Example: "  agenthost order\n  agenthost order --json | jq -r '.advice[]'",
		Args:    noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			agent, err := a.look(c.Context())
			if err != nil {
				return err
			}
			layout := agent.Layout()
			if err := agent.Close(); err != nil {
				return &exitError{exitFailed, err}
			}
			if asJSON {
				err = terminal.PrintDocument(a.out, layout)
			} else {
				_, err = fmt.Fprint(a.out, describeLayout(&layout))
			}
			if err != nil {
				return &exitError{exitFailed, err}
			}
			return nil
		},
	}
	a.manifestFlags(c)
	c.Flags().BoolVar(&asJSON, "json", false, "print a JSON document")
	return c
}

// describeLayout returns the order of the hooks, a line for each hook.
func describeLayout(l *host.Layout) string {
	var b strings.Builder
	for _, row := range []struct {
		hook  string
		names []string
		arrow string
	}{
		{"before_agent", l.BeforeAgent, " → "},
		{"before_model", l.BeforeModel, " → "},
		{"wrap_model_call", append(l.WrapModelCall, "model"), " ( "},
		{"after_model", l.AfterModel, " → "},
		{"wrap_tool_call", append(l.WrapToolCall, "tool"), " ( "},
		{"after_agent", l.AfterAgent, " → "},
	} {
		if names := strings.Join(row.names, row.arrow); names != "" {
			closing := ""
			if row.arrow == " ( " {
				closing = strings.Repeat(" )", len(row.names)-1)
			}
			fmt.Fprintf(&b, "%-16s %s%s\n", row.hook, text.Clean(names), closing)
		}
	}
	for _, advice := range l.Advice {
		fmt.Fprintf(&b, "\nadvice: %s\n", text.Clean(advice))
	}
	return b.String()
}
