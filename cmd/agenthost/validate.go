package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

func (a *app) validateCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "validate [flags]",
		Short: "Check the manifest and load everything that it names",
		Long:  "Read the manifest, load its plugins, files and rules, and build the agent without running it.",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			agent, err := a.load(c.Context())
			if err != nil {
				return err
			}
			if err := agent.Close(); err != nil {
				return &exitError{exitFailed, err}
			}
			_, err = fmt.Fprintf(a.out, "%s: ok\n", a.file)
			return err
		},
	}
	a.manifestFlags(c)
	return c
}

func (a *app) graphCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "graph [flags]",
		Short: "Print the agent's program as a Mermaid flowchart",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			agent, err := a.load(c.Context())
			if err != nil {
				return err
			}
			if _, err := fmt.Fprint(a.out, agent.Graph()); err != nil {
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
