package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/internal/text"
)

// Prompt is a prompt that a server has ready for a person to choose. Its texts are those of a stranger, without characters that steer a
// terminal.
type Prompt struct {
	Name        string           `json:"name"` // the server's own, to pass to GetPrompt
	Title       string           `json:"title,omitempty"`
	Description string           `json:"description,omitempty"`
	Arguments   []PromptArgument `json:"arguments,omitempty"`
}

// PromptArgument is an argument of a prompt; its value is a text.
type PromptArgument struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Required    bool   `json:"required,omitempty"`
}

func readPrompts(listed []*sdk.Prompt) []Prompt {
	clean := func(said string) string {
		return text.Cut(terminal.Text(strings.ToValidUTF8(said, "\uFFFD")), maxDescription)
	}
	out := make([]Prompt, 0, len(listed))
	for _, p := range listed {
		prompt := Prompt{Name: p.Name, Title: clean(p.Title), Description: clean(p.Description)}
		for _, a := range p.Arguments {
			if a != nil {
				prompt.Arguments = append(prompt.Arguments, PromptArgument{a.Name, clean(a.Description), a.Required})
			}
		}
		out = append(out, prompt)
	}
	return out
}

// Prompts lists the prompts of the server; none if it does not offer any. It connects the server again if it is not connected. The error
// is a [*ServerError] or that of the context.
func (s *Server) Prompts(ctx context.Context) (prompts []Prompt, err error) {
	err = s.ask(ctx, func(ctx context.Context, present *session) error {
		if !hasPrompts(capabilities(present.client)) {
			return nil
		}
		listed, err := listPrompts(ctx, present.client)
		prompts = readPrompts(listed)
		return err
	})
	return prompts, err
}

// GetPrompt returns the messages of a prompt, filled in with arguments. Their texts have together at most Config.MaxResult bytes; what
// is cut is said in the last one. The error is a [*ServerError] or that of the context.
func (s *Server) GetPrompt(ctx context.Context, name string, arguments map[string]string) (messages []abi.Message, err error) {
	err = s.ask(ctx, func(ctx context.Context, present *session) error {
		got, err := guarded(func() (*sdk.GetPromptResult, error) {
			return present.client.GetPrompt(ctx, &sdk.GetPromptParams{Name: name, Arguments: arguments})
		})
		if err != nil {
			return err
		}
		if got.NeedsInput() || got.InputRequests != nil {
			return errors.New("the server asks a question instead of returning the prompt")
		}
		messages, err = s.messages(got.Messages)
		return err
	})
	return messages, err
}

// messages converts the messages of a prompt.
func (s *Server) messages(got []*sdk.PromptMessage) ([]abi.Message, error) {
	w := writer{text: s.config.MaxResult, media: maxMedia}
	messages := make([]abi.Message, 0, len(got))
	for i, m := range got {
		switch {
		case m == nil:
			return nil, errNull
		case i == maxBlocks:
			return nil, fmt.Errorf("the prompt has more than %d messages", maxBlocks)
		}
		w.blocks = nil
		w.content(m.Content)
		if i == len(got)-1 {
			w.tellCut()
		}
		message := abi.Human("")
		if promptRole(m.Role) == "assistant" {
			message = abi.AI("")
		}
		message.Content = w.contents()
		messages = append(messages, message)
	}
	return messages, nil
}

// ask performs a request that is not a call, within the timeout of a call.
func (s *Server) ask(ctx context.Context, request func(context.Context, *session) error) error {
	present, err := s.connected(ctx)
	if err == nil {
		inside, stop := context.WithTimeoutCause(ctx, s.config.Timeout, errNoAnswer)
		defer stop()
		err = request(inside, present)
		if unreached(err) {
			err = present.explained(err)
		} else if said, ok := refusal(err); ok {
			err = fmt.Errorf("the server refuses: %s", s.secrets.line(said.Message))
		} else if err != nil && inside.Err() == nil && errors.Is(err, sdk.ErrConnectionClosed) {
			s.lost(present, err)
			err = present.explained(err)
		}
		if errors.Is(context.Cause(inside), errNoAnswer) {
			err = fmt.Errorf("the server has not answered within %v", s.config.Timeout)
		}
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return &ServerError{s.config.Name, err}
	}
	return nil
}
