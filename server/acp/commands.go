package acp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/tool/mcp"
	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/internal/text"
	"github.com/agenthost/agenthost/server/acp/internal/protocol"
)

// command is a slash command: a prompt of an MCP server.
type command struct {
	server *mcp.Server
	prompt mcp.Prompt
}

const (
	listing     = 10 * time.Second // how long servers may take to list their prompts
	maxCommands = 200
)

var errUnclosed = errors.New("a quote is not closed")

// announceCommands tells the client which commands there are.
func (s *session) announceCommands() {
	ctx, cancel := context.WithTimeout(s.server.stop, listing)
	defer cancel()
	all := map[string]command{}
	shown := []protocol.Command{}
	for _, server := range append(slices.Clone(s.agent.Servers), s.own...) {
		prompts, err := server.Prompts(ctx)
		if err != nil {
			s.server.config.Logger.Warn("the prompts of an MCP server are not commands", "server", terminal.Line(server.Name()), "error", err)
			continue
		}
		for _, prompt := range prompts {
			name := server.Name() + ":" + prompt.Name
			if _, twice := all[name]; twice || len(shown) == maxCommands || strings.ContainsAny(name, " \t\n") || !terminal.IsPlain(name) {
				continue
			}
			all[name] = command{server, prompt}
			c := protocol.Command{Name: name, Description: prompt.Description}
			if usage := prompt.Usage(); usage != "" {
				c.Input = &protocol.CommandInput{Hint: usage}
			}
			shown = append(shown, c)
		}
	}
	s.mu.Lock()
	s.commands = all
	s.mu.Unlock()
	_ = s.tell(s.server.life, &protocol.Update{Kind: protocol.CommandsChanged, AvailableCommands: shown}) // see tell
}

// expand returns the messages of a prompt: those that a command stands for, or what the user said.
func (t *turn) expand(said *message) ([]abi.Message, error) {
	line, isCommand := strings.CutPrefix(strings.TrimSpace(said.text), "/")
	if !isCommand {
		return []abi.Message{said.Message}, nil
	}
	name, rest, _ := strings.Cut(line, " ")
	t.mu.Lock()
	known, ok := t.commands[name]
	t.mu.Unlock()
	if !ok {
		return []abi.Message{said.Message}, nil
	}
	fail := func(err error) ([]abi.Message, error) {
		return nil, fmt.Errorf("/%s: %w; write /%s", name, err, strings.TrimSpace(name+" "+known.prompt.Usage()))
	}
	words, closed := text.Words(rest)
	if !closed {
		return fail(errUnclosed)
	}
	arguments, err := known.prompt.Read(words)
	if err != nil {
		return fail(err)
	}
	messages, err := known.server.GetPrompt(t.ctx, known.prompt.Name, arguments)
	if err != nil {
		return nil, err
	}
	if len(messages) == 0 {
		return nil, fmt.Errorf("/%s: the server returned a prompt without messages", name)
	}
	return messages, nil
}
