package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/manifest"
)

func (a *app) configCommand() *cobra.Command {
	c := group(&cobra.Command{Use: "config", Short: "Show the configuration of the agent"})
	c.AddCommand(a.configShowCommand())
	return c
}

func (a *app) configShowCommand() *cobra.Command {
	var resolved, origin, asJSON bool
	var limits runLimits
	c := &cobra.Command{
		Use:   "show [flags]",
		Short: "List the values of the manifest, and where each of them comes from",
		Long: `List the values of the manifest, one in a line, as --set takes them. --set and --model are applied first.
The address of a model is listed, too, if an environment variable such as OPENAI_BASE_URL sets it. With
--resolved, the list also has the defaults of keys that the manifest leaves out. With --origin, each value
is followed by the place that it comes from: the line of the file, the flag, the variable, or "default".

Secrets are shown as ***: the values of keys such as headers and env, and of keys that are named like a
secret. Variables such as ${NAME} are shown as they are written, because their values may be secrets.`,
		Example: `  agenthost config show
  agenthost config show --resolved --origin
  agenthost config show --set recursion_limit=50 --origin
  agenthost config show --json | jq '.[] | select(.origin == "default")'`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := limits.check(c, false); err != nil {
				return err
			}
			if err := a.override(&limits, "--model "+limits.model); err != nil {
				return err
			}
			m, err := manifest.Load(a.file, manifest.Options{Set: a.set, InMemory: true})
			if err != nil {
				return &exitError{exitUsage, a.withManifestHint(err)}
			}
			values, err := m.Values(resolved)
			switch {
			case err != nil:
			case asJSON:
				err = terminal.PrintDocument(a.out, values)
			default:
				_, err = fmt.Fprint(a.out, describeValues(values, origin))
			}
			if err != nil {
				return &exitError{exitFailed, err}
			}
			return nil
		},
	}
	a.manifestFlags(c)
	c.Flags().StringVar(&limits.model, "model", "", "the model to use instead of the manifest's: `PROVIDER:NAME`")
	c.Flags().BoolVar(&resolved, "resolved", false, "also list the defaults of keys that the manifest leaves out")
	c.Flags().BoolVar(&origin, "origin", false, "also show where each value comes from")
	c.Flags().BoolVar(&asJSON, "json", false, "print a JSON document")
	return c
}

// describeValues returns a line for each value.
func describeValues(values []manifest.Value, origin bool) string {
	var out strings.Builder
	for _, v := range values {
		line := terminal.Line(v.Key + "=" + v.Value)
		if origin {
			line += "  # " + terminal.Line(v.Origin)
		}
		out.WriteString(line + "\n")
	}
	return out.String()
}
