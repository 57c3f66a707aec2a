//go:build !no_serve

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/manifest"
	"github.com/agenthost/agenthost/server/acp"
)

func (a *app) acpCommand() *cobra.Command {
	tools := string(acp.EditorAll)
	c := &cobra.Command{
		Use:   "acp [flags]",
		Short: "Serve the agent to an editor, such as Zed or a JetBrains IDE",
		Long: `Serve the agent over the Agent Client Protocol, on standard input and output. An editor starts the command
for each user; docs/acp.md has the settings of Zed, JetBrains IDEs and Neovim.

A session is a thread of the manifest's checkpoint, so 'agenthost threads' shows it. What the agent asks,
the editor asks its user. Without a checkpoint that is a database, sessions are lost when the editor ends
the command.

If the editor can, the agent gets tools to read files as the editor shows them, to write and edit files,
and to run commands in the editor's terminals, and the tools of the MCP servers that the editor passes.
The user is asked before each call, except for reading. --editor-tools read gives only reading, and
--editor-tools none gives none of them.

Nothing but the protocol is printed to standard output; the log is on standard error.`,
		Example: `  agenthost acp -f /home/ada/agents/coder/agenthost.yaml
  agenthost acp --editor-tools read`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			given := acp.EditorTools(tools)
			if !slices.Contains(editorTools, given) {
				return &exitError{exitUsage, fmt.Errorf("--editor-tools %q: write all, read or none", tools)}
			}
			return a.serveACP(c.Context(), given)
		},
	}
	a.manifestFlags(c)
	c.Flags().StringVar(&tools, "editor-tools", tools, "`WHICH` tools of the editor the agent gets: all, read or none")
	return c
}

var editorTools = []acp.EditorTools{acp.EditorAll, acp.EditorRead, acp.EditorNone}

// serveACP serves an editor until it leaves or the context ends.
func (a *app) serveACP(ctx context.Context, tools acp.EditorTools) error {
	restore := outliveClient()
	defer restore()
	dir, err := os.Getwd()
	if err != nil {
		return &exitError{exitFailed, err}
	}
	config := acp.Config{
		Build: a.buildForEditor, Review: reviewOf, Tools: tools, Directory: dir, Version: thisBuild().version, Logger: a.logger(),
		Clock: time.Now, NewThread: func() string { return newThread("acp", time.Now()) },
	}
	switch err := acp.New(config).Serve(ctx, a.in, a.out); {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return interrupted()
	default:
		if _, ok := errors.AsType[*exitError](err); ok {
			return err
		}
		return &exitError{exitFailed, fmt.Errorf("acp: %w", err)}
	}
}

// buildForEditor builds the agent of the manifest.
func (a *app) buildForEditor(ctx context.Context, adjust func(*host.Config)) (*acp.Agent, error) {
	agent, err := a.load(ctx, manifest.Options{}, func(config *host.Config) {
		adjust(config)
		if !slices.ContainsFunc(config.Middleware, func(m host.Middleware) bool { return m.Name() == "patch_tool_calls" }) {
			// Users stop tool calls, and a model may refuse a thread with an open one.
			config.Middleware = append(config.Middleware, &builtin.PatchToolCalls{})
		}
	})
	if err != nil {
		return nil, err
	}
	out := &acp.Agent{Agent: agent.Agent, Durable: agent.Durable, Servers: agent.Servers, Close: agent.Close}
	if agent.Durable {
		out.Resume = func(thread string) string { return a.resumeElsewhere(agent.Threads, thread) }
	}
	return out, nil
}

// reviewOf returns the middleware that asks the editor's user about these tools.
func reviewOf(tools []string) host.Middleware {
	policies := map[string]builtin.ReviewPolicy{}
	for _, name := range tools {
		policies[name] = builtin.ReviewPolicy{AllowedDecisions: []builtin.DecisionType{builtin.Approve, builtin.Reject}}
	}
	return &builtin.HumanInTheLoop{InterruptOn: policies, InterruptMode: "per_call", DescriptionPrefix: "The agent wants to use your editor"}
}
