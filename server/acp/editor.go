package acp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/tool"
	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/internal/text"
	"github.com/agenthost/agenthost/server/acp/internal/protocol"
	"github.com/agenthost/agenthost/server/acp/internal/rpc"
)

// The names of the editor's tools. They begin so that they differ from those of the agent's own.
const (
	readTool  = "editor_read_file"
	writeTool = "editor_write_file"
	editTool  = "editor_edit_file"
	runTool   = "editor_run_command"
)

const runDescription = "Run a program in a terminal of the user's editor, and return what it prints. The user is asked first. " +
	"There is no shell; to use one, run sh with the arguments -c and a line."

// maxFile is how many bytes of a file a model is shown.
const maxFile = 256 << 10

// editorTools returns the tools that the client's editor has and the configuration permits: those that only read, and those that a person is
// asked about.
func (s *Server) editorTools() (free, reviewed []host.Tool) {
	has := s.client
	if s.config.Tools == EditorNone {
		return nil, nil
	}
	if has.FS.ReadTextFile {
		free = append(free, editorTool(readTool, `Read a text file of the project as the user's editor shows it, with changes that are not saved yet.`, `{
			"type": "object", "required": ["path"], "additionalProperties": false, "properties": {
				"path": {"type": "string", "description": "The path of the file: absolute, or relative to the project"},
				"line": {"type": "integer", "minimum": 1, "description": "The first line to read, from 1"},
				"limit": {"type": "integer", "minimum": 1, "description": "How many lines to read"}}}`, (*session).readFile))
	}
	if s.config.Tools != EditorAll || s.config.Review == nil {
		return free, nil
	}
	if has.FS.WriteTextFile {
		reviewed = append(reviewed, editorTool(writeTool, `Write a whole text file of the project through the user's editor. The user is asked first.`, `{
			"type": "object", "required": ["path", "content"], "additionalProperties": false, "properties": {
				"path": {"type": "string", "description": "The path of the file: absolute, or relative to the project"},
				"content": {"type": "string", "description": "The new content of the file"}}}`, (*session).writeFile))
	}
	if has.FS.WriteTextFile && has.FS.ReadTextFile {
		reviewed = append(reviewed, editorTool(editTool, `Replace a text in a file of the project through the user's editor. The user is asked first.`, `{
			"type": "object", "required": ["path", "old_text", "new_text"], "additionalProperties": false, "properties": {
				"path": {"type": "string", "description": "The path of the file: absolute, or relative to the project"},
				"old_text": {"type": "string", "description": "The text to replace, which the file must contain exactly once"},
				"new_text": {"type": "string", "description": "The text in its place"}}}`, (*session).editFile))
	}
	if has.Terminal {
		reviewed = append(reviewed, editorTool(runTool, runDescription, `{
			"type": "object", "required": ["command"], "additionalProperties": false, "properties": {
				"command": {"type": "string", "description": "The program"},
				"args": {"type": "array", "items": {"type": "string"}, "description": "Its arguments"},
				"directory": {"type": "string", "description": "Where it runs: a directory of the project; default: the project"}}}`, (*session).runCommand))
	}
	return free, reviewed
}

// editorTool makes a tool of the editor. What the editor refuses, the model learns; without an editor, the run stops.
func editorTool(
	name, description, parameters string, do func(s *session, ctx context.Context, call *abi.ToolCall) (string, error),
) host.Tool {
	schema, err := wire.FromJSON([]byte(parameters), wire.Limits{})
	if err != nil {
		panic(err) // a constant
	}
	spec := abi.ToolSpec{Name: name, Description: description, Parameters: schema, Idempotent: name == readTool}
	plain := tool.Raw(spec, func(ctx context.Context, _ *host.Runtime, call *abi.ToolCall) (*host.ToolOutput, error) {
		s, err := sessionOf(ctx)
		if err != nil {
			return nil, err
		}
		said, err := do(s, ctx, call)
		switch {
		case err == nil:
			return host.TextOutput(said), nil
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case errors.Is(err, rpc.ErrClosed):
			return nil, err
		}
		out := host.TextOutput("Error: " + terminal.Text(err.Error()))
		out.Failed = true
		return out, nil
	})
	if name == readTool {
		return plain
	}
	return ownTool{plain}
}

// ownTool is a tool that changes something in the editor's project, or belongs to the editor's user. It is for the agent itself: an agent inside a
// tool may have it without the middleware that asks about it.
type ownTool struct{ host.Tool }

// Call calls the tool, unless the session only reads.
func (t ownTool) Call(ctx context.Context, rt *host.Runtime, call *abi.ToolCall) (*host.ToolOutput, error) {
	s, err := sessionOf(ctx)
	if err != nil {
		return nil, err
	}
	refusal := ""
	s.mu.Lock()
	switch {
	case s.mode == modeRead:
		refusal = "Error: the user has chosen the mode that only reads. Do not try again; say what you would do instead."
	case rt.ParentRun() != "" || rt.ThreadID() != s.id:
		refusal = "Error: only the agent that talks with the user can use this tool."
	}
	s.mu.Unlock()
	if refusal == "" {
		return t.Tool.Call(ctx, rt, call)
	}
	out := host.TextOutput(refusal)
	out.Failed = true
	return out, nil
}

// editorCall describes a call of one of the editor's tools.
func (s *session) editorCall(call *abi.ToolCall) (kind protocol.ToolKind, locations []protocol.Location, ok bool) {
	switch call.Name {
	case readTool:
		kind = protocol.KindRead
	case writeTool, editTool:
		kind = protocol.KindEdit
	case runTool:
		return protocol.KindExecute, nil, true
	default:
		return "", nil, false
	}
	if path, err := s.path(textArg(call, "path")); err == nil {
		line, _ := call.Args.Get("line").AsInt()
		locations = []protocol.Location{{Path: path, Line: int(line)}}
	}
	return kind, locations, true
}

// textArg returns an argument that is a text; "" if it is not there.
func textArg(call *abi.ToolCall, name string) string {
	value, _ := call.Args.Get(name).AsString()
	return value
}

// readFile reads a file as the editor shows it.
func (s *session) readFile(ctx context.Context, call *abi.ToolCall) (string, error) {
	path, err := s.path(textArg(call, "path"))
	if err != nil {
		return "", err
	}
	line, _ := call.Args.Get("line").AsInt()
	limit, _ := call.Args.Get("limit").AsInt()
	content, err := s.fetch(ctx, path, int(line), int(limit))
	if len(content) > maxFile {
		content = text.Head(content, maxFile) + fmt.Sprintf("\n[The rest is left out: the file has %d bytes. Read it with line and limit.]", len(content))
	}
	return content, err
}

// fetch reads lines of a file; 0: all.
func (s *session) fetch(ctx context.Context, path string, line, limit int) (string, error) {
	var response protocol.ReadResponse
	err := s.server.conn.Call(ctx, protocol.ReadTextFile, protocol.ReadRequest{SessionID: s.id, Path: path, Line: line, Limit: limit}, &response)
	if err != nil {
		return "", fmt.Errorf("the editor cannot read %s: %w", path, err)
	}
	return strings.ToValidUTF8(response.Content, "\uFFFD"), nil
}
