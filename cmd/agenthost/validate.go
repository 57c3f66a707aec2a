package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/served"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/manifest"
)

func (a *app) validateCommand() *cobra.Command {
	var output, config string
	c := &cobra.Command{
		Use:   "validate [flags]",
		Short: "Check the manifest and load everything it names",
		Long: `Read the manifest, load its plugins, files and rules, and build the agent without running it. If plugins
ask for capabilities, list them and say which ones the manifest grants. The database of the manifest's
checkpoint is neither opened nor created. With --config, also check a serve.yaml of 'agenthost serve', and
the certificate and the variables that it names.`,
		Example: `  agenthost validate
  agenthost validate -f agenthost.yaml --output json
  agenthost validate --config serve.yaml`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if output != "text" && output != "json" {
				return &exitError{exitUsage, fmt.Errorf("validate: --output: there is no format %q; use text or json", output)}
			}
			name := ""
			agent, err := a.load(c.Context(), manifest.Options{InMemory: true}, func(c *host.Config) { name = c.Name })
			if err != nil {
				return err
			}
			asked := agent.Capabilities()
			if err := agent.Close(); err != nil {
				return &exitError{exitFailed, err}
			}
			if config != "" {
				err := validateServe(config)
				if name == "" {
					err = errors.Join(served.Nameless(a.file), err)
				}
				if err != nil {
					return &exitError{exitUsage, err}
				}
			}
			if output == "json" {
				return terminal.PrintDocument(a.out, validDocument{a.file, config, true, asked})
			}
			if config != "" {
				config += ": ok\n"
			}
			_, err = fmt.Fprintf(a.out, "%s: ok\n%s%s", a.file, describeCapabilities(asked), config)
			return err
		},
	}
	a.manifestFlags(c)
	c.Flags().StringVar(&config, "config", "", "also check this serve.yaml `FILE`")
	c.Flags().StringVarP(&output, "output", "o", "text", "the output `FORMAT`: text or json")
	return c
}

// validDocument is what --output json prints.
type validDocument struct {
	File         string            `json:"file"`
	Config       string            `json:"config,omitempty"` // serve.yaml
	OK           bool              `json:"ok"`
	Capabilities []host.Capability `json:"capabilities,omitempty"`
}

// describeCapabilities lists the capabilities that plugins ask for, and whether they are granted.
func describeCapabilities(asked []host.Capability) string {
	var out strings.Builder
	plugin := ""
	for i := range asked {
		c := &asked[i]
		if c.Middleware != plugin {
			plugin = c.Middleware
			fmt.Fprintf(&out, "%s asks for\n", terminal.Line(plugin))
		}
		outcome := "not granted"
		if c.Granted {
			outcome = "granted"
		}
		if c.Detail != "" {
			outcome += " (" + c.Detail + ")"
		}
		fmt.Fprintf(&out, "  %-14s %s: %s\n", terminal.Line(c.Op), terminal.Line(outcome), terminal.Line(c.Reason))
	}
	return out.String()
}
