package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/chat"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/attachment"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/internal/strictyaml"
	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/internal/text"
	"github.com/agenthost/agenthost/manifest"
)

func (a *app) chatCommand() *cobra.Command {
	var flags runFlags
	c := &cobra.Command{
		Use:   "chat [flags]",
		Short: "Talk with the agent at the terminal",
		Long: `Talk with the agent. Each message is a run in one thread. Answers appear as they arrive, with a line for
each tool call; --verbose also shows the arguments and results of tools and the model's reasoning.

Enter sends a message. A backslash before Enter, or Alt-Enter, starts another line; pasted text stays
together. The up and down arrows recall earlier messages, which are kept in memory until the chat ends.
Ctrl-C stops the agent; on an empty line, Ctrl-C or Ctrl-D ends the chat. /help lists the commands:
/file /new /resume /threads /model /prompt /clear /rules /revoke /state /tools /graph /retry /quit and others.
Tab completes commands, the paths of /file and the prompts of /prompt. What you type while the agent answers
is not shown amid the answer; it is there when the prompt returns.

With --thread the chat continues a thread. Otherwise it starts a new one, which is kept if the manifest's
checkpoint is a database.

With --server, the agent and its threads are those of a server, such as 'agenthost serve' runs. The variable
AGENTHOST_SERVER_KEY has the key for it.

Without a terminal, each line of standard input is a message, and each answer is printed when it is
complete. A run that fails or asks a person something ends the command with the exit code of 'agenthost
run'.`,
		Example: `  agenthost chat
  agenthost chat --thread ada
  agenthost chat --server http://127.0.0.1:8123
  agenthost chat --model anthropic:claude-sonnet-4-5 --budget-tokens 50000
  printf '%s\n' "list the files" "which is the largest?" | agenthost chat`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if flags.thread == "" && !c.Flags().Changed("thread") {
				flags.thread = newThread("chat", time.Now())
			}
			if err := flags.check(c); err != nil {
				return err
			}
			if err := checkpoint.CheckName(flags.thread); err != nil {
				return &exitError{exitUsage, fmt.Errorf("--thread: %w", err)}
			}
			return (&chatSession{performance: performance{app: a, flags: &flags}}).do(c.Context())
		},
	}
	a.manifestFlags(c)
	flags.server.add(c)
	c.Flags().StringVarP(&flags.thread, "thread", "t", "", "the `NAME` of the thread to continue, or to start")
	flags.addThread(c)
	flags.runLimits.add(c)
	flags.addGiveUp(c)
	return c
}

// chatSession is the chat of the command.
type chatSession struct {
	performance

	model     string
	unpatched bool // whether no middleware answers tool calls that a stopped run left open
	tools     toolLister
	interrupt interrupts
	chat      *chat.Chat
}

// do builds the agent and performs the chat.
func (c *chatSession) do(ctx context.Context) (err error) {
	if c.flags.server.url == "" {
		if err := c.override(&c.flags.runLimits, "--model "+c.flags.model); err != nil {
			return err
		}
	}
	c.showsEvents = true
	screen := &chat.Screen{Answers: c.out, Notes: c.err}
	c.chat = &chat.Chat{
		Thread: c.flags.thread, AcceptChanges: c.flags.acceptChanges, GiveUp: c.flags.giveUp,
		Screen: screen, Verbose: c.verbose, Quiet: c.flags.quiet,
		Begin: c.begin, NewThread: func() string { return newThread("chat", time.Now()) },
	}
	keys := chat.NewKeyboard(c.in)
	if c.terminal {
		release := c.atTerminal(keys)
		defer release()
	} else {
		c.chat.Messages = chat.NewLines(keys.During(ctx))
	}
	c.err = screen // log lines must not break the line being drawn
	if err := c.open(ctx, c.adjust); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	if c.remote != nil {
		c.useServer()
	} else {
		c.useManifest()
	}
	if c.terminal {
		if err := c.greet(ctx); err != nil {
			return err
		}
	}
	err = c.chat.Converse(ctx)
	c.flags.thread = c.chat.Thread // a command may have changed it
	if c.terminal && c.durable() && c.chat.Turns() > 0 {
		command := c.newest(ctx).command
		screen.Notef("· to continue this chat:\n  %s", terminal.Line(command.Chat()))
		if note := command.Note(); note != "" {
			screen.Notef("  %s", note)
		}
	}
	return c.ended(ctx, err)
}

// useManifest lets the chat use the agent of the manifest.
func (c *chatSession) useManifest() {
	c.chat.Agent, c.chat.Threads, c.agent.Threads, c.chat.Model = c.agent.Agent, c.threads, c.threads, c.model
	c.chat.Tools, c.chat.PromptServers, c.chat.SwitchModel = c.tools.list, c.promptServers, c.switchModel
	c.chat.Takes = func(files ...*attachment.File) error {
		if warning := onlyOthersTake(c.models, files); warning != "" {
			c.chat.Screen.Notef("· %s", warning)
		}
		return attachment.Check(c.models, files...)
	}
	c.chat.Graph = func() string { return c.agent.Program().Mermaid() }
}

// promptServers returns the MCP servers of the agent.
func (c *chatSession) promptServers() []chat.PromptServer {
	servers := make([]chat.PromptServer, len(c.agent.Servers))
	for i, server := range c.agent.Servers {
		servers[i] = server
	}
	return servers
}

// switchModel builds the agent again with another model, and goes on with it. After an error everything is as before.
func (c *chatSession) switchModel(ctx context.Context, name string) (string, error) {
	limits := runLimits{model: name}
	if provider, model, _ := strings.Cut(name, ":"); provider == "" || model == "" {
		return "", fmt.Errorf("%q: write it as PROVIDER:NAME, such as openai:gpt-5.2", text.Cut(name, 40))
	}
	others := slices.DeleteFunc(slices.Clone(c.set), func(assignment string) bool {
		keys := strictyaml.AssignedKeys(assignment)
		return len(keys) > 0 && keys[0] == "model"
	})
	before, threads, model, models := c.set, c.threads, c.model, c.models
	c.set = others
	err := c.override(&limits, name)
	if err != nil {
		c.set = before
		return "", err
	}
	agent, err := c.load(ctx, manifest.Options{}, func(config *host.Config) {
		if !c.agent.Durable {
			config.Checkpointer = threads // which this process alone has
		}
		c.adjust(config)
	})
	if err != nil {
		c.set, c.threads, c.model, c.models = before, threads, model, models
		return "", err
	}
	old := c.agent
	c.agent = agent
	c.agent.Threads, c.chat.Agent, c.chat.Threads = c.threads, agent.Agent, c.threads
	return c.model, old.Close()
}

// begin returns the function that performs a turn within the limits of the command line.
func (c *chatSession) begin() chat.Run { return c.limited().perform }

// adjust changes the configuration for a chat: it always has threads.
func (c *chatSession) adjust(config *host.Config) {
	c.performance.adjust(config)
	if config.Checkpointer == nil {
		config.Checkpointer, config.Durability = memory.New(), ""
	}
	c.threads, c.model = config.Checkpointer, modelName(config.Model.Info())
	c.unpatched = !slices.ContainsFunc(config.Middleware, func(m host.Middleware) bool { return m.Name() == "patch_tool_calls" })
	c.tools.watch(config)
}

// modelName returns the name of a model in the form of --model.
func modelName(info model.Info) string {
	if info.Provider == "" {
		return info.Name
	}
	return info.Provider + ":" + info.Name
}

// greet prints the model, the thread and the state of the thread.
func (c *chatSession) greet(ctx context.Context) error {
	what, where := "model "+c.model, "in memory until the chat ends"
	switch {
	case c.remote != nil:
		what, where = fmt.Sprintf("agent %s of %s", c.remote.Name, c.flags.server.url), "kept by the server"
	case c.agent.Durable:
		where = "kept in the manifest's checkpoint"
	}
	c.chat.Screen.Notef("%s, thread %s (%s)\n/help lists the commands, Ctrl-D ends the chat",
		terminal.Line(what), terminal.Line(c.flags.thread), where)
	if c.remote == nil && c.unpatched && len(c.tools.list()) > 0 {
		c.chat.Screen.Notef("· without the middleware patch_tool_calls, a model may refuse the thread after you stop a tool call; add it to the manifest")
	}
	return c.chat.Welcome(ctx)
}

// ended adds the exit code to the error that ended the chat.
func (c *chatSession) ended(ctx context.Context, err error) error {
	switch waiting, ok := errors.AsType[*chat.WaitingError](err); {
	case err == nil && ctx.Err() == nil:
		return nil
	case ctx.Err() != nil:
		return interrupted()
	case ok:
		return c.outcome(ctx, waiting.Result, nil)
	}
	if _, ok := errors.AsType[*chat.CommandError](err); ok {
		return &exitError{exitUsage, fmt.Errorf("chat: %w", err)}
	}
	if failed, ok := errors.AsType[*chat.TurnError](err); ok {
		return c.outcome(ctx, failed.Result, failed.Err)
	}
	return &exitError{exitFailed, fmt.Errorf("chat: %w", err)}
}
