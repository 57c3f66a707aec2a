package chat

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/tool/mcp"
	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/internal/text"
)

// PromptServer has prompts ready for a person. A [*mcp.Server] is one.
type PromptServer interface {
	Name() string
	Prompts(ctx context.Context) ([]mcp.Prompt, error)
	GetPrompt(ctx context.Context, name string, arguments map[string]string) ([]abi.Message, error)
}

// offer is a prompt of a server.
type offer struct {
	server PromptServer
	prompt mcp.Prompt
}

func (o *offer) name() string { return o.server.Name() + ":" + o.prompt.Name }

// usage returns the name and the arguments.
func (o *offer) usage() string {
	if arguments := o.prompt.Usage(); arguments != "" {
		return o.name() + " " + arguments
	}
	return o.name()
}

// offers returns the prompts of all servers. Those that cannot be asked are in the error.
func (c *Chat) offers(ctx context.Context) (all []offer, err error) {
	if c.PromptServers == nil {
		return nil, nil
	}
	for _, server := range c.PromptServers() {
		prompts, failed := server.Prompts(ctx)
		err = errors.Join(err, failed)
		for _, prompt := range prompts {
			all = append(all, offer{server, prompt})
		}
	}
	return all, err
}

// listPrompts lists the prompts of the MCP servers.
func (c *Chat) listPrompts(ctx context.Context) error {
	all, err := c.offers(ctx)
	if err == nil && len(all) == 0 {
		c.Screen.Notef("· there are no prompts: no MCP server of the agent offers any")
	}
	for i := range all {
		about, _, _ := strings.Cut(strings.TrimSpace(all[i].prompt.Description), "\n")
		c.Screen.Notef("  %s  %s", terminal.Line(all[i].usage()), terminal.Line(text.Cut(about, maxShown)))
	}
	return err
}

// usePrompt sends a prompt of an MCP server.
func (c *Chat) usePrompt(ctx context.Context, line string) error {
	words, ok := text.Words(line)
	if !ok {
		return &CommandError{`/prompt: a quote is not closed; write ARGUMENT="a value with spaces"`}
	}
	all, err := c.offers(ctx)
	names := make([]string, len(all))
	for i := range all {
		names[i] = all[i].name()
	}
	at := slices.Index(names, words[0]) // first: a server may name a prompt like that of another with its server
	if at < 0 {
		at = slices.IndexFunc(all, func(o offer) bool { return o.prompt.Name == words[0] })
	}
	if at < 0 {
		hint := "; /prompt lists them"
		if near, ok := text.Nearest(words[0], names); ok {
			hint = fmt.Sprintf("; did you mean %s?", terminal.Line(near))
		}
		return errors.Join(err, &CommandError{fmt.Sprintf("/prompt: there is no prompt %q", text.Cut(words[0], maxName)) + hint})
	}
	arguments, err := all[at].prompt.Read(words[1:])
	if err != nil {
		return &CommandError{fmt.Sprintf("/prompt: %v; write /prompt %s", err, terminal.Line(all[at].usage()))}
	}
	messages, err := all[at].server.GetPrompt(ctx, all[at].prompt.Name, arguments)
	if err != nil {
		return err
	}
	if len(messages) == 0 {
		return &CommandError{"/prompt: the server returned a prompt without messages"}
	}
	for i := range messages {
		c.Screen.Notef("· sends%s", summary(&messages[i]))
	}
	return c.send(ctx, c.withFiles(messages))
}

// summary describes a message of a prompt in a line: who says it, how it begins, and what is not shown.
func summary(m *abi.Message) string {
	var out strings.Builder
	if m.Role != abi.RoleHuman {
		out.WriteString(", as the assistant")
	}
	said := text.OneLine(m.Content.Text())
	shown := text.First(said, maxShown)
	out.WriteString(": " + terminal.Line(shown))
	if left := utf8.RuneCountInString(said[len(shown):]); left > 0 {
		fmt.Fprintf(&out, "… (%d more characters)", left)
	}
	for _, block := range m.Content.Blocks() {
		if block.Type() != abi.BlockText {
			out.WriteString(" [" + terminal.Line(block.Type()) + "]")
		}
	}
	return out.String()
}

// withFiles adds the files for the next message to the last of these, if a human says it.
func (c *Chat) withFiles(messages []abi.Message) []abi.Message {
	last := &messages[len(messages)-1]
	if len(c.attached) == 0 || last.Role != abi.RoleHuman {
		return messages
	}
	var blocks []abi.Block
	for _, file := range c.attached {
		blocks = append(blocks, file.Block())
	}
	last.Content = abi.Blocks(append(blocks, last.Content.Blocks()...)...)
	c.attached = nil
	return messages
}

// listing is how long Tab waits for the prompts of servers.
const listing = 2 * time.Second

// promptNames returns the names of prompts that begin like a name, as far as their servers answer in time.
func (c *Chat) promptNames(name string) (found []string) {
	ctx, cancel := context.WithTimeout(context.Background(), listing)
	defer cancel()
	all, _ := c.offers(ctx) // /prompt shows the error
	for i := range all {
		if choice := all[i].name(); strings.HasPrefix(choice, name) && !strings.ContainsFunc(choice, text.Steers) {
			if len(all[i].prompt.Arguments) > 0 {
				choice += " "
			}
			found = append(found, choice)
		}
	}
	return found
}
