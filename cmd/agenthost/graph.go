package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

func (a *app) graphCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "graph [flags]",
		Short: "Print the agent's steps as a Mermaid flowchart",
		Long: `Print the steps of the agent, including the hooks of its middleware, as a Mermaid flowchart. GitHub and
many editors draw such a chart from a code block marked mermaid.`,
		Example: "  agenthost graph > agent.mmd",
		Args:    noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			agent, err := a.look(c.Context())
			if err != nil {
				return err
			}
			if _, err := fmt.Fprint(a.out, agent.Program().Mermaid()); err != nil {
				return err
			}
			if err := agent.Close(); err != nil {
				return &exitError{exitFailed, err}
			}
			return nil
		},
	}
	a.manifestFlags(c)
	return c
}
