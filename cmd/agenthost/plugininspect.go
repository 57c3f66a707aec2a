package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/internal/terminal"
)

func (a *app) pluginInspectCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "inspect FILE... [flags]",
		Short: "Show what plugins are, ask for and consist of",
		Long: `Look at each file without running anything of it, and then ask its describe in the sandbox, in the
way that loading it does: with the default limits, without any grant, and without configuring it.

Shown are what the plugin says of itself (hooks and what they see, fields, tools, configuration,
capabilities and why it wants them), what the file consists of, its digest as the manifest takes it,
and what its author could do better. A signature is mentioned, and not checked.

The exit code is 0 if everything went well, 5 if a file is no plugin or its describe failed.`,
		Example: `  agenthost plugin inspect redact.wasm
  agenthost plugin inspect *.wasm --json | jq -r '.description.name'`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, files []string) error { return a.pluginInspect(c.Context(), files, asJSON) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print each plugin as a line of JSON")
	return c
}

func (a *app) pluginInspect(ctx context.Context, files []string, asJSON bool) error {
	engine := a.engine(a.logger())
	defer func() { _ = engine.Close() }() // the process ends
	fine := true
	for _, file := range files {
		in := plugin.Inspect(ctx, plugin.Wasm{Path: file, Engine: engine})
		if ctx.Err() != nil {
			return &exitError{exitInterrupted, errors.New("interrupted")}
		}
		fine = fine && in.OK
		var err error
		if asJSON {
			err = terminal.PrintLine(a.out, in)
		} else {
			err = printInspection(a.out, in)
		}
		if err != nil {
			return &exitError{exitFailed, err}
		}
	}
	if !fine {
		return &exitError{exitPlugin, nil}
	}
	return nil
}
