package acp

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/server/acp/internal/protocol"
)

const (
	maxOutput   = 64 << 10 // bytes of a command's output
	releaseTime = 2 * time.Second
)

// runCommand runs a command in a terminal of the editor.
func (s *session) runCommand(ctx context.Context, call *abi.ToolCall) (_ string, err error) {
	request := protocol.TerminalRequest{SessionID: s.id, Command: textArg(call, "command"), Directory: s.dirs[0], Limit: maxOutput}
	items, _ := call.Args.Get("args").Items()
	for _, item := range items {
		arg, _ := item.AsString()
		request.Args = append(request.Args, arg)
	}
	if dir := textArg(call, "directory"); dir != "" {
		if request.Directory, err = s.path(dir); err != nil {
			return "", err
		}
	}
	conn := s.server.conn
	var created protocol.TerminalResponse
	if err := conn.Call(ctx, protocol.TerminalCreate, request, &created); err != nil {
		return "", fmt.Errorf("the editor cannot start %s: %w", request.Command, err)
	}
	terminal := protocol.OfTerminal{SessionID: s.id, TerminalID: created.TerminalID}
	defer func() { // it also ends a command that runs
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTime)
		defer cancel()
		_ = conn.Call(ctx, protocol.TerminalRelease, terminal, nil)
	}()
	if err := s.show(ctx, call, protocol.TerminalContent(created.TerminalID)); err != nil {
		return "", err
	}
	var exit protocol.ExitStatus
	if err := conn.Call(ctx, protocol.TerminalWait, terminal, &exit); err != nil {
		return "", fmt.Errorf("the editor's terminal: %w", err)
	}
	var output protocol.OutputResponse
	if err := conn.Call(ctx, protocol.TerminalOutput, terminal, &output); err != nil {
		return "", fmt.Errorf("the editor's terminal: %w", err)
	}
	return printed(&exit, &output)
}

// printed says what a command printed, and how it ended; as an error if it failed.
func printed(exit *protocol.ExitStatus, output *protocol.OutputResponse) (string, error) {
	said := strings.ToValidUTF8(output.Output, "\uFFFD")
	if len(said) > maxOutput {
		said, output.Truncated = said[len(said)-maxOutput:], true
		said = strings.ToValidUTF8(said, "")
	}
	if output.Truncated {
		said = "[The beginning is left out.]\n" + said
	}
	switch {
	case exit.Signal != nil && *exit.Signal != "":
		return "", fmt.Errorf("the command was stopped by %s\n%s", *exit.Signal, said)
	case exit.Code != nil && *exit.Code != 0:
		return "", fmt.Errorf("the command ended with the exit code %d\n%s", *exit.Code, said)
	case said == "":
		return "The command printed nothing.", nil
	}
	return said, nil
}
