//go:build no_serve

package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/internal/leftout"
)

var errNoServer = &leftout.Error{Part: "server, studio and development mode", Tag: "no_serve"}

// withoutServer is a command of a build without the server. It takes any arguments and refuses them.
func withoutServer(name, short string) *cobra.Command {
	return &cobra.Command{
		Use: name, Short: short + " (not in this build)", DisableFlagParsing: true,
		RunE: func(*cobra.Command, []string) error { return errNoServer },
	}
}

func (*app) serveCommand() *cobra.Command {
	return withoutServer("serve", "Serve agents over HTTP, with LangGraph's API")
}

func (*app) devCommand() *cobra.Command {
	return withoutServer("dev", "Serve agents while you change them")
}

func (*app) studioCommand() *cobra.Command {
	return withoutServer("studio", "Show a recording in the browser")
}

func (*app) mcpCommand() *cobra.Command {
	return withoutServer("mcp", "Serve the agent to MCP clients")
}

func (*app) acpCommand() *cobra.Command {
	return withoutServer("acp", "Serve the agent to an editor")
}

func (*app) traceCommand() *cobra.Command {
	return withoutServer("trace", "Show where the time of runs went")
}

func (*app) topCommand() *cobra.Command {
	return withoutServer("top", "Show what a server does at the moment")
}

func serveSchema() ([]byte, error)    { return nil, errNoServer }
func apiDescription() ([]byte, error) { return nil, errNoServer }
func validateServe(string) error      { return errNoServer }

// serve refuses to check a serve.yaml.
func (d *doctor) serve(context.Context) {
	if d.config != "" {
		d.failed("serve.yaml", errNoServer.Error(), "")
	}
}
