package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/author"
	"github.com/agenthost/agenthost/internal/terminal"
)

func (a *app) pluginInspectCommand() *cobra.Command {
	var asJSON bool
	var flags registryFlags
	c := &cobra.Command{
		Use:   "inspect FILE|oci://HOST/NAME:TAG... [flags]",
		Short: "Show the hooks, capabilities and contents of plugins",
		Long: `Analyse each file without running it, and then call its describe function in the sandbox, with the
default limits, no grants and no configuration.

The output contains what the plugin says about itself (its hooks and what they see, fields, tools,
configuration, and the capabilities it wants and why), the contents of the file, the digest to pin it in a
manifest, and advice for its author. A signature is mentioned but not checked.

Of a plugin in a registry, nothing is run: what it says about itself comes from the Description that
'agenthost plugin pack' and 'plugin push' put into the module. It may differ from what the plugin does;
'agenthost plugin lock' asks the plugin itself.

The exit code is 0 if all files are plugins, 5 if one is not or its describe function failed, and
otherwise 2 if a file cannot be read.`,
		Example: `  agenthost plugin inspect redact.wasm
  agenthost plugin inspect *.wasm --json | jq -r '.description.name'
  agenthost plugin inspect oci://ghcr.io/acme/redact:1.2`,
		Args: arguments("FILE..."),
		RunE: func(c *cobra.Command, files []string) error {
			return a.pluginInspect(c.Context(), files, asJSON, &flags)
		},
	}
	flags.add(c)
	c.Flags().BoolVar(&asJSON, "json", false, "print each plugin as a line of JSON")
	return c
}

func (a *app) pluginInspect(ctx context.Context, files []string, asJSON bool, flags *registryFlags) error {
	engine := a.engine(a.logger())
	defer func() { _ = engine.Close() }() // the process is about to end
	code := exitOK
	for _, file := range files {
		in, err := inspectAny(ctx, engine, file, flags)
		if ctx.Err() != nil {
			return interrupted()
		}
		if err != nil {
			return err
		}
		if !in.OK {
			code = max(code, refusedExit(in.Stage, in.Kind))
		}
		if asJSON {
			err = terminal.PrintLine(a.out, in)
		} else {
			err = printInspection(a.out, in)
		}
		if err != nil {
			return &exitError{exitFailed, err}
		}
	}
	if code != exitOK {
		return &exitError{code, nil}
	}
	return nil
}

// inspectAny inspects a file, or a plugin in a registry.
func inspectAny(ctx context.Context, engine *plugin.Engine, file string, flags *registryFlags) (*author.Inspection, error) {
	if !isReference(file) {
		return author.Inspect(ctx, plugin.Wasm{Path: file, Engine: engine}), nil
	}
	ref, err := parseReference("plugin inspect", file)
	if err != nil {
		return nil, err
	}
	client := flags.client()
	defer client.CloseIdleConnections()
	pulled, err := client.PullPlugin(ctx, ref)
	if err != nil {
		return nil, registryError(ctx, "plugin inspect", err)
	}
	return author.Read(file, pulled.Bytes), nil
}

// refusedExit returns the exit code for a plugin that was refused at a stage: 2 if its file cannot be read.
func refusedExit(stage string, kind plugin.Kind) int {
	if stage == author.StageRead && kind == "" {
		return exitUsage
	}
	return exitPlugin
}
