package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/manifest"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/chat"
	"github.com/agenthost/agenthost/internal/terminal"
)

func (a *app) chatCommand() *cobra.Command {
	var flags runFlags
	c := &cobra.Command{
		Use:   "chat [flags]",
		Short: "Talk with the agent at the terminal",
		Long: `Talk with the agent: each message is a run in one thread. Answers show as they come, and each tool call
in a line; with --verbose also what tools are given and return, and what the model thinks.

A message ends with Enter. It goes on in another line behind a backslash, or by Alt-Enter; what is pasted
stays together. The arrows up and down bring earlier messages back: they are kept in memory, no longer
than the chat. Ctrl-C stops what the agent does, and ends the chat with an empty line, as Ctrl-D does.
/help shows the commands: /threads /state /tools /graph /retry /quit.

With --thread the chat goes on with a thread. Without, it begins one with a name of its own, if the
manifest's checkpoint keeps threads in a database, or else one in memory.

Without a terminal each line of standard input is a message, and each answer is printed when it is
complete. A run that fails or asks a human something ends the command, with the exit code of 'agenthost run'.`,
		Example: `  agenthost chat
  agenthost chat --thread ada
  agenthost chat --model anthropic:claude-sonnet-4-5 --budget-tokens 50000
  printf '%s\n' "list the files" "which is the largest?" | agenthost chat`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if flags.thread == "" && !c.Flags().Changed("thread") {
				flags.thread = newThread(time.Now())
			}
			if err := flags.check(c); err != nil {
				return err
			}
			if err := checkpoint.CheckName(flags.thread); err != nil {
				return &exitError{exitUsage, fmt.Errorf("--thread: %w", err)}
			}
			return (&chatting{performance: performance{app: a, flags: &flags}}).do(c.Context())
		},
	}
	a.manifestFlags(c)
	c.Flags().StringVarP(&flags.thread, "thread", "t", "", "the `name` of the thread to go on with")
	flags.addThread(c)
	flags.runLimits.add(c)
	return c
}

// newThread makes the name of a thread that nobody has named.
func newThread(now time.Time) string {
	var some [2]byte
	_, _ = rand.Read(some[:]) // it does not fail
	return "chat-" + now.UTC().Format("20060102-150405-") + hex.EncodeToString(some[:])
}

// chatting is the chat of the command.
type chatting struct {
	performance

	model     string
	nocheck   bool // the manifest keeps no threads
	unpatched bool // nothing repairs tool calls that a run leaves open
	tools     toolLister
	interrupt interrupts
	chat      *chat.Chat
	threads   checkpoint.Store
}

// do builds the agent and talks.
func (c *chatting) do(ctx context.Context) (err error) {
	c.set = append(c.set, c.flags.assignments()...)
	screen := &chat.Screen{Answers: c.out, Notes: c.err}
	c.chat = &chat.Chat{
		Thread: c.flags.thread, AcceptChanges: c.flags.acceptChanges, Screen: screen, Verbose: c.verbose, Quiet: c.flags.quiet, Tools: c.tools.list,
		Begin: c.begin,
	}
	keys := chat.NewKeyboard(c.in)
	if c.terminal {
		release := c.atTerminal(keys)
		defer release()
	} else {
		c.chat.Messages = chat.NewLines(keys.During(ctx))
	}
	c.err = screen // what is logged stands between the lines
	if c.agent, err = c.load(ctx, manifest.Options{}, c.adjust); err != nil {
		return err
	}
	defer func() {
		if closing := c.agent.Close(); closing != nil {
			err = errors.Join(err, &exitError{exitFailed, closing})
		}
	}()
	c.chat.Agent, c.chat.Threads, c.agent.Threads = c.agent.Agent, c.threads, c.threads
	if c.terminal {
		if err := c.greet(ctx); err != nil {
			return err
		}
	}
	err = c.chat.Converse(ctx)
	if line := c.command(c.flags).Line(); c.terminal && c.agent.Durable && c.chat.Turns() > 0 && !strings.HasPrefix(c.flags.thread, "-") {
		screen.Notef("%s", terminal.Text("· "+strings.Replace(line, "resume", "chat --thread", 1)+"\n  goes on with this"))
	}
	return c.ended(ctx, err)
}

// begin returns what performs a turn, within the limits of the command line.
func (c *chatting) begin() chat.Run {
	return (&limitedRun{agent: c.agent.Agent, limits: c.flags.runLimits}).perform
}

// adjust changes what a chat needs otherwise than a run.
func (c *chatting) adjust(config *host.Config) {
	c.performance.adjust(config)
	if c.nocheck = config.Checkpointer == nil; c.nocheck {
		config.Checkpointer, config.Durability = memory.New(), ""
	}
	c.threads, c.model = config.Checkpointer, modelName(config.Model.Info())
	c.unpatched = !slices.ContainsFunc(config.Middleware, func(m host.Middleware) bool { return m.Name() == "patch_tool_calls" })
	c.tools.watch(config)
}

// modelName names a model as --model takes it.
func modelName(info model.Info) string {
	if info.Provider == "" {
		return info.Name
	}
	return info.Provider + ":" + info.Name
}

// greet says what the chat is, and where its thread stands.
func (c *chatting) greet(ctx context.Context) error {
	where := "in memory: it ends with the chat"
	if c.agent.Durable {
		where = "kept in the manifest's checkpoint"
	}
	c.chat.Screen.Notef("model %s, thread %s (%s)\n/help shows the commands, Ctrl-D ends", terminal.Line(c.model), terminal.Line(c.flags.thread), where)
	if c.unpatched && len(c.tools.list()) > 0 {
		c.chat.Screen.Notef("· the manifest has no patch_tool_calls in its middleware: a model may refuse the thread when tool calls were stopped")
	}
	return c.chat.Welcome(ctx)
}

// ended gives an error of the chat its exit code.
func (c *chatting) ended(ctx context.Context, err error) error {
	switch waiting, ok := errors.AsType[*chat.WaitingError](err); {
	case err == nil && ctx.Err() == nil:
		return nil
	case ctx.Err() != nil:
		return &exitError{exitInterrupted, errors.New("interrupted")}
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

// toolLister knows the tools that an agent has, those of its middleware too.
type toolLister struct {
	mu    sync.Mutex
	own   []host.Tool
	names []string // of the middleware, in its order
	of    map[string][]host.Tool
}

// watch notes the tools when the agent is built, and when a middleware is made again.
func (l *toolLister) watch(config *host.Config) {
	l.own, l.of = config.Tools, map[string][]host.Tool{}
	for i, m := range config.Middleware {
		config.Middleware[i] = &watched{m, l}
	}
}

func (l *toolLister) list() []abi.ToolSpec {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []abi.ToolSpec
	for _, tool := range l.own {
		out = append(out, tool.Spec())
	}
	for _, name := range l.names {
		for _, tool := range l.of[name] {
			out = append(out, tool.Spec())
		}
	}
	return out
}

// watched is a middleware whose tools are noted.
type watched struct {
	host.Middleware
	by *toolLister
}

// Hooks makes the hooks.
func (w *watched) Hooks(ctx context.Context, env host.Env) (*host.Hooks, error) {
	hooks, err := w.Middleware.Hooks(ctx, env)
	if err != nil {
		return nil, err
	}
	w.by.mu.Lock()
	defer w.by.mu.Unlock()
	if _, again := w.by.of[env.Name]; !again {
		w.by.names = append(w.by.names, env.Name)
	}
	w.by.of[env.Name] = hooks.Tools
	return hooks, nil
}
