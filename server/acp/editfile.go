package acp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/server/acp/internal/protocol"
)

// change is a change of a file.
type change struct {
	path   string
	before *string // nil: there is no such file, or the editor does not show it
	after  string
}

// change returns what a call of writeTool or editTool changes.
func (s *session) change(ctx context.Context, call *abi.ToolCall) (*change, error) {
	path, err := s.path(textArg(call, "path"))
	if err != nil {
		return nil, err
	}
	c := &change{path: path, after: textArg(call, "content")}
	var missing error
	if s.server.client.FS.ReadTextFile {
		before, err := s.fetch(ctx, path, 0, 0)
		if missing = err; err == nil {
			c.before = &before
		}
	}
	if call.Name == writeTool {
		return c, nil // the file may be new
	}
	if missing != nil {
		return nil, missing
	}
	old := textArg(call, "old_text")
	switch n := strings.Count(*c.before, old); {
	case old == "":
		return nil, errors.New("old_text is empty; name the text to replace")
	case n != 1:
		return nil, fmt.Errorf("the file contains old_text %d times; it must be there exactly once, so give more of its surroundings", n)
	}
	c.after = strings.Replace(*c.before, old, textArg(call, "new_text"), 1)
	return c, nil
}

// preview returns what a call of one of the editor's tools would change, for the person who is asked.
func (s *session) preview(ctx context.Context, call *abi.ToolCall) []protocol.ToolContent {
	if call.Name != writeTool && call.Name != editTool {
		return nil
	}
	c, err := s.change(ctx, call)
	if err != nil {
		return []protocol.ToolContent{protocol.TextContent("This call will fail: " + err.Error())}
	}
	return []protocol.ToolContent{protocol.DiffContent(c.path, c.before, c.after)}
}

// writeFile writes a file.
func (s *session) writeFile(ctx context.Context, call *abi.ToolCall) (string, error) {
	c, err := s.write(ctx, call)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("Wrote %d bytes to %s.", len(c.after), c.path), nil
}

// editFile replaces a text in a file.
func (s *session) editFile(ctx context.Context, call *abi.ToolCall) (string, error) {
	c, err := s.write(ctx, call)
	if err != nil {
		return "", err
	}
	return "Changed " + c.path + ".", nil
}

// write makes a change, and shows it.
func (s *session) write(ctx context.Context, call *abi.ToolCall) (*change, error) {
	c, err := s.change(ctx, call)
	if err != nil {
		return nil, err
	}
	if err := s.show(ctx, call, protocol.DiffContent(c.path, c.before, c.after)); err != nil {
		return nil, err
	}
	if err := s.server.conn.Call(ctx, protocol.WriteTextFile, protocol.WriteRequest{SessionID: s.id, Path: c.path, Content: c.after}, nil); err != nil {
		return nil, fmt.Errorf("the editor cannot write %s: %w", c.path, err)
	}
	return c, nil
}

// show shows what a call does.
func (s *session) show(ctx context.Context, call *abi.ToolCall, content protocol.ToolContent) error {
	return s.tell(ctx, &protocol.Update{
		Kind: protocol.CallChanged, ToolCall: &protocol.ToolCall{ID: s.callID(call.ID)}, Content: []protocol.ToolContent{content},
	})
}
