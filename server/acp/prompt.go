package acp

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/attachment"
	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/server/acp/internal/protocol"
	"github.com/agenthost/agenthost/server/acp/internal/rpc"
)

// prompt begins a turn. A session has one at a time.
func (s *Server) prompt(params *protocol.PromptRequest) (perform, error) {
	open, err := s.session(params.SessionID)
	if err != nil {
		return nil, err
	}
	said, err := open.read(params.Prompt)
	if err != nil {
		return nil, rpc.Errorf(rpc.CodeInvalidParams, "prompt: %s", terminal.Text(err.Error()))
	}
	current, err := open.begin()
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (*rpc.Answer, error) {
		defer current.end()
		cancelled := context.AfterFunc(ctx, func() { current.cancel(context.Cause(ctx)) })
		defer cancelled()
		reason, err := current.perform(said)
		if err != nil {
			return nil, err
		}
		return &rpc.Answer{Result: protocol.PromptResponse{StopReason: reason}, Then: open.announceTitle}, nil
	}, nil
}

// cancel cancels the turn of a session, if there is one.
func (s *Server) cancel(params *protocol.OfSession) (perform, error) {
	open, err := s.session(params.SessionID)
	if err != nil {
		return nil, err
	}
	open.mu.Lock()
	defer open.mu.Unlock()
	if open.turn != nil {
		open.turn.cancel(errCancelled)
	}
	return nil, nil //nolint:nilnil // nothing is left to do
}

// message is what the user said.
type message struct {
	abi.Message

	text string // all that was typed
}

// read makes a message of the blocks of a prompt. Files come first, which suits all providers.
func (s *session) read(blocks []protocol.ContentBlock) (*message, error) {
	var files []*attachment.File
	var texts []string
	for i := range blocks {
		text, file, err := readBlock(&blocks[i])
		if err != nil {
			return nil, fmt.Errorf("block %d: %w", i+1, err)
		}
		if file != nil {
			files = append(files, file)
		} else {
			texts = append(texts, strings.ToValidUTF8(text, "\uFFFD"))
		}
	}
	said := strings.Join(texts, "")
	if strings.TrimSpace(said) == "" && len(files) == 0 {
		return nil, errors.New("it is empty")
	}
	if err := attachment.Check(s.agent.models(), files...); err != nil {
		return nil, err
	}
	if strings.TrimSpace(said) == "" { // providers refuse an empty text
		var blocks []abi.Block
		for _, file := range files {
			blocks = append(blocks, file.Block())
		}
		return &message{abi.Message{Role: abi.RoleHuman, Content: abi.Blocks(blocks...)}, said}, nil
	}
	return &message{attachment.Message(said, files...), said}, nil
}

// readBlock reads a block: a text, or a file.
func readBlock(b *protocol.ContentBlock) (text string, file *attachment.File, err error) {
	switch b.Type {
	case protocol.Text:
		return b.Text, nil, nil
	case protocol.ResourceLink:
		return fmt.Sprintf("[%s](%s)", b.Name, b.URI), nil, nil
	case protocol.Image, protocol.Audio:
		file, err = decode(b.URI, b.Type, b.Data)
		return "", file, err
	case protocol.Embedded:
		if b.Resource == nil {
			return "", nil, errors.New("the resource is missing")
		}
		if b.Resource.Text == nil {
			file, err = decode(b.Resource.URI, "file", b.Resource.Blob)
			return "", file, err
		}
		return fmt.Sprintf("\n<context uri=%q>\n%s\n</context>\n", b.Resource.URI, *b.Resource.Text), nil, nil
	default:
		return "", nil, fmt.Errorf("there is no type %q", b.Type)
	}
}

// decode reads a file that is in base64. What it is, its content tells.
func decode(uri, name, data string) (*attachment.File, error) {
	content, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		return nil, fmt.Errorf("the data is not in base64: %w", err)
	}
	if uri != "" {
		name = uri
	}
	return attachment.Of(name, content)
}
