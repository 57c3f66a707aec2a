package chat

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/threadview"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/approval"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/internal/text"
)

// command is a line that begins with a slash. A command that has with takes an argument; without do, it needs one.
type command struct {
	name, summary string
	do            func(*Chat, context.Context) error
	argument      string // what stands for the argument in the help, such as PATH
	with          func(c *Chat, ctx context.Context, argument string) error
}

// usage returns the command and what stands for its argument.
func (c *command) usage() string {
	switch {
	case c.with == nil:
		return c.name
	case c.do == nil:
		return c.name + " " + c.argument
	default:
		return c.name + " [" + c.argument + "]"
	}
}

// commands returns all commands.
func commands() []command {
	return []command{
		{name: "/clear", summary: "clears the screen; the thread stays", do: (*Chat).clear},
		{name: "/exit", summary: "ends the chat, like /quit", do: func(*Chat, context.Context) error { return errQuit }},
		{
			name: "/file", summary: "adds a file to the next message; without PATH, removes the added files",
			do: (*Chat).detach, argument: "PATH", with: (*Chat).attach,
		},
		{name: "/graph", summary: "shows the agent's steps as a Mermaid flowchart", do: (*Chat).graph},
		{name: "/help", summary: "shows this help", do: (*Chat).help},
		{
			name: "/model", summary: "shows the model, or uses another one from the next message on", do: (*Chat).model,
			argument: "NAME", with: (*Chat).switchModel,
		},
		{name: "/new", summary: "starts a new thread", do: (*Chat).startThread},
		{
			name: "/prompt", summary: "lists the prompts of MCP servers, or sends one: /prompt SERVER:NAME ARGUMENT=VALUE",
			do: (*Chat).listPrompts, argument: "NAME", with: (*Chat).usePrompt,
		},
		{name: "/quit", summary: "ends the chat, like Ctrl-D", do: func(*Chat, context.Context) error { return errQuit }},
		{name: "/resume", summary: "continues another thread", argument: "THREAD", with: (*Chat).resumeThread},
		{name: "/retry", summary: "continues a run that stopped, or sends the last message again", do: (*Chat).retry},
		{name: "/revoke", summary: "removes a rule of this thread, or all", argument: "NUMBER", with: (*Chat).revoke},
		{name: "/rules", summary: "lists the tool calls of this thread that are approved for always", do: (*Chat).rules},
		{name: "/state", summary: "shows the state of the thread and its fields", do: (*Chat).state},
		{name: "/threads", summary: "lists the threads", do: (*Chat).threads},
		{name: "/tools", summary: "lists the agent's tools", do: (*Chat).tools},
	}
}

// Commands returns the names of the commands.
func Commands() []string {
	all := commands()
	names := make([]string, len(all))
	for i := range all {
		names[i] = all[i].name
	}
	return names
}

// errQuit ends the conversation.
var errQuit = errors.New("quit")

// command performs a command.
func (c *Chat) command(ctx context.Context, line string) error {
	name, argument, _ := strings.Cut(line, " ")
	argument = strings.TrimSpace(argument)
	all := commands()
	for i := range all {
		command := &all[i]
		switch {
		case command.name != name:
		case argument == "" && command.do != nil:
			return command.do(c, ctx)
		case argument == "":
			return &CommandError{name + " needs an argument: " + command.usage() + doubled}
		case command.with != nil:
			return command.with(c, ctx, argument)
		default:
			return &CommandError{name + " takes no arguments" + doubled}
		}
	}
	hint := "; /help lists the commands"
	if near, ok := text.Nearest(name, Commands()); ok {
		hint = fmt.Sprintf("; did you mean %q? /help lists the commands", near)
	}
	return &CommandError{fmt.Sprintf("there is no command %q", text.Cut(name, maxName)) + hint + doubled}
}

// CommandError says why a command cannot be performed.
type CommandError struct{ text string }

func (e *CommandError) Error() string { return e.text }

const doubled = "; to send a message that begins with a slash, write two slashes"

// maxName is how many characters of a typed name an error repeats.
const maxName = 40

func (c *Chat) help(context.Context) error {
	all := commands()
	for i := range all {
		c.Screen.Notef("  %-14s %s", all[i].usage(), all[i].summary)
	}
	c.Screen.Notef("A backslash before Enter, or Alt-Enter, starts another line. Ctrl-C stops the agent.\n" +
		"To send a message that begins with a slash, write two slashes.")
	return nil
}

// notThere is the error of a command that an agent of a server does not have.
func notThere(command string) error {
	return &CommandError{command + " is not there for an agent of a server"}
}

func (c *Chat) graph(context.Context) error {
	if c.Graph == nil {
		return notThere("/graph")
	}
	if err := c.Screen.Say(c.Graph()); err != nil {
		return err
	}
	return c.Screen.End()
}

func (c *Chat) tools(context.Context) error {
	if c.Tools == nil {
		return notThere("/tools")
	}
	specs := c.Tools()
	if len(specs) == 0 {
		c.Screen.Notef("· the agent has no tools")
	}
	for i := range specs {
		about, _, _ := strings.Cut(strings.TrimSpace(specs[i].Description), "\n")
		c.Screen.Notef("  %-16s %s", terminal.Line(specs[i].Name), terminal.Line(text.Cut(about, maxShown)))
	}
	return nil
}

// MaxThreads is the maximum number of threads that /threads lists.
const MaxThreads = 100

func (c *Chat) threads(ctx context.Context) error {
	var all []threadview.Summary
	more := false
	list := c.List
	if list == nil {
		list = func(ctx context.Context) iter.Seq2[threadview.Summary, error] {
			return threadview.Summaries(ctx, c.Threads, checkpoint.Query{})
		}
	}
	for thread, err := range list(ctx) {
		if err != nil {
			return err
		}
		if more = len(all) == MaxThreads; more {
			break
		}
		all = append(all, thread)
	}
	if len(all) == 0 {
		c.Screen.Notef("· there are no threads yet")
		return nil
	}
	if err := threadview.PrintTable(c.Screen, all); err != nil {
		return err
	}
	if more {
		c.Screen.Notef("· there are more than %d", MaxThreads)
	}
	return nil
}

// fieldLines is how many lines of a field are shown.
const fieldLines = 20

func (c *Chat) state(ctx context.Context) error {
	at, err := c.Agent.State(ctx, c.Thread, 0)
	if errors.Is(err, checkpoint.ErrNoThread) {
		c.Screen.Notef("· thread %s is empty", terminal.Line(c.Thread))
		return nil
	}
	if err != nil {
		return err
	}
	where := ""
	if at.Checkpoint != 0 { // other servers than ours have other names for checkpoints
		where = fmt.Sprintf(", checkpoint %d", at.Checkpoint)
	}
	c.Screen.Notef("thread %s%s: %s", terminal.Line(c.Thread), where, standing(at))
	counts := fmt.Sprintf("  messages %d", at.Messages.Len())
	if at.Steps > 0 { // a server does not tell them
		counts += fmt.Sprintf("; of the last run: steps %d, tokens %d", at.Steps, at.Usage.TotalTokens)
	}
	c.Screen.Notef("%s", counts)
	for _, field := range at.State {
		if field.Key == approval.FieldName { // see /rules
			continue
		}
		lines, _ := terminal.Value(field.Value, fieldLines)
		c.Screen.Notef("  %s = %s", terminal.Line(field.Key), strings.Join(lines, "\n    "))
	}
	return nil
}

// standing describes the state of a thread.
func standing(at *host.Snapshot) string {
	switch next := terminal.Line(at.Next); {
	case at.Next == "":
		return "the last run is complete"
	case len(at.Interrupts) > 0:
		return "the run waits for an answer before " + next
	case at.Failure != "":
		return "the run stopped before " + next + ": " + terminal.Line(at.Failure)
	default:
		return "the run stopped before " + next
	}
}

// retry continues an unfinished run, or sends the last message again.
func (c *Chat) retry(ctx context.Context) error {
	at, err := c.Agent.State(ctx, c.Thread, 0)
	switch {
	case errors.Is(err, checkpoint.ErrNoThread):
		at = &host.Snapshot{}
	case err != nil:
		return err
	}
	switch {
	case at.Next != "" && len(at.Interrupts) > 0:
		return c.turn(ctx, host.Input{}, &host.Result{
			Thread: c.Thread, Status: host.Interrupted, Messages: at.Messages, Interrupts: at.Interrupts, Next: at.Next,
		})
	case at.Next != "":
		return c.turn(ctx, host.Input{Thread: c.Thread, Continue: true, AcceptChanges: c.AcceptChanges}, nil)
	case c.last != nil:
		return c.send(ctx, c.last)
	}
	for i := at.Messages.Len() - 1; i >= 0; i-- {
		if m := at.Messages.At(i); m.Role == abi.RoleHuman && m.Content.Text() != "" {
			return c.send(ctx, []abi.Message{{Role: abi.RoleHuman, Content: m.Content}})
		}
	}
	return &CommandError{"/retry: there is no message to send again yet"}
}
