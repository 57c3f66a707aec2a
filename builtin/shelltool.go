package builtin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/builtin/internal/shellsession"
	"github.com/agenthost/agenthost/host"
)

// shellTool is the tool of a [Shell].
type shellTool struct {
	spec     abi.ToolSpec
	sessions *shellSessions
	redact   redaction
	ran      host.TypedField[int] // the number of commands that have run; tells whether a session was lost
}

// shellArgs are the arguments of the tool.
type shellArgs struct {
	Command *string `msgpack:"command"`
	Restart bool    `msgpack:"restart"`
}

// shellParameters returns the JSON Schema of shellArgs. It does not say that one of both is required, because not all
// providers accept that.
func shellParameters() wire.Raw {
	property := func(kind, description string) wire.Raw {
		return wire.Map{{Key: "description", Value: wire.String(description)}, {Key: "type", Value: wire.String(kind)}}.Raw()
	}
	properties := wire.Map{
		{Key: "command", Value: property("string", "The shell command to execute.")},
		{Key: "restart", Value: property("boolean", "Whether to restart the shell session.")},
	}
	return wire.Map{{Key: "properties", Value: properties.Raw()}, {Key: "type", Value: wire.String("object")}}.Raw()
}

// Spec describes the tool.
func (t *shellTool) Spec() abi.ToolSpec { return t.spec }

// InTurn makes the tool a [host.ToolInTurn]: a session runs one command at a time, in the order of the model's calls.
func (t *shellTool) InTurn() {}

// Call runs a command, or restarts the session.
func (t *shellTool) Call(ctx context.Context, rt *host.Runtime, call *abi.ToolCall) (*host.ToolOutput, error) {
	var args shellArgs
	if err := host.Decode(call.Args, &args); err != nil {
		return nil, err
	}
	if fault := args.fault(); fault != "" {
		return failedOutput(fmt.Sprintf("Error invoking tool '%s' with kwargs %s with error:\n %s\n Please fix the error and try again.",
			call.Name, call.Args.JSON(), fault)), nil
	}
	r, err := t.sessions.enter(ctx, rt.RunID())
	if err != nil {
		return nil, err
	}
	defer t.sessions.leave(r)
	output, err := t.perform(ctx, rt, r, &args)
	if ctx.Err() != nil && r.session != nil { // the model may not get to know what has become of the session
		r.drop()
		r.unaware = true
	}
	return output, err
}

// fault explains what is wrong with the arguments; "" if nothing is.
func (a *shellArgs) fault() string {
	switch {
	case a.Command == nil && !a.Restart:
		return "Shell tool requires either 'command' or 'restart'."
	case a.Command != nil && a.Restart:
		return "Specify only one of 'command' or 'restart'."
	case a.Command != nil && *a.Command == "":
		return "Shell tool expects a 'command' string when restart is not requested."
	}
	return ""
}

// perform runs a call that has its turn.
func (t *shellTool) perform(ctx context.Context, rt *host.Runtime, r *shellRun, args *shellArgs) (*host.ToolOutput, error) {
	if args.Restart {
		return t.restart(ctx, r)
	}
	asking := askingMessage(rt)
	lost, err := t.lost(rt, r, asking)
	switch {
	case err != nil:
		return nil, err
	case lost:
		return failedOutput("Error: The command was not run. The shell session that it was meant for is gone: its working directory, " +
			"variables and background processes, and files of a temporary workspace. A new session starts with the next command."), nil
	case r.session == nil:
		if err := t.sessions.start(ctx, r); err != nil {
			return nil, err
		}
	}
	timeout := t.sessions.policy.CommandTimeout
	result, err := r.session.Run(ctx, *args.Command, timeout.Duration())
	var output *host.ToolOutput
	switch {
	case errors.Is(err, shellsession.ErrNUL):
		return failedOutput("Error: The command contains a NUL character, which no shell can read."), nil
	case errors.Is(err, shellsession.ErrTimeout):
		output = failedOutput(fmt.Sprintf("Error: Command timed out after %.1f seconds.", timeout))
		output.Artifact, err = host.Encode(map[string]any{"timed_out": true, "exit_code": nil})
	case err == nil:
		output, err = t.answer(result)
	}
	if err != nil {
		return nil, err
	}
	if result == nil || result.Ended { // the model is told, but did not know when it wrote the other calls of this message
		r.drop()
		r.lostAt = asking
	}
	output.Update = &host.Update{}
	return output, t.ran.Set(output.Update, 1)
}

// restart ends the session and starts another.
func (t *shellTool) restart(ctx context.Context, r *shellRun) (*host.ToolOutput, error) {
	r.known, r.unaware, r.lostAt = true, false, ""
	if err := t.sessions.start(ctx, r); err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		return nil, fmt.Errorf("Failed to restart shell session. %w", err) //nolint:staticcheck // the text is LangChain's
	}
	return host.TextOutput("Shell session restarted."), nil
}

// askingMessage returns the id of the message with the running calls.
func askingMessage(rt *host.Runtime) string {
	messages := rt.State().Messages()
	if at := messages.LastAI(); at >= 0 {
		return messages.Entry(at).Message().ID
	}
	return ""
}

// lost reports whether the command was meant for a lost session, and the model did not know that when it wrote the command.
// The model is told once for each message.
func (t *shellTool) lost(rt *host.Runtime, r *shellRun, asking string) (bool, error) {
	if !r.known {
		ran, _, err := t.ran.Get(rt.State())
		if err != nil {
			return false, err
		}
		r.known, r.unaware = true, ran > 0
	}
	if r.session != nil && !r.session.Alive() { // a background process has ended it
		r.drop()
		r.unaware = true
	}
	if r.unaware {
		r.unaware, r.lostAt = false, asking
		return true, nil
	}
	return asking != "" && asking == r.lostAt, nil
}

// answer returns the output for the model of a command that has ended.
func (t *shellTool) answer(result *shellsession.Result) (*host.ToolOutput, error) {
	text, counts, blocked := t.redact.apply(result.Output)
	artifact := map[string]any{"timed_out": false, "exit_code": result.ExitCode}
	note := func(format string, args ...any) {
		text = strings.TrimRightFunc(text, unicode.IsSpace) + "\n\n" + fmt.Sprintf(format, args...)
	}
	if blocked != "" {
		text = fmt.Sprintf("Output blocked: detected %s.", blocked)
		artifact["matches"] = counts
	} else {
		text = cmp.Or(text, "<no output>")
		if result.TruncatedLines {
			note("... Output truncated at %d lines (observed %d).", *t.sessions.policy.MaxOutputLines, result.Lines)
		}
		if result.TruncatedBytes {
			note("... Output truncated at %d bytes (observed %d).", *t.sessions.policy.MaxOutputBytes, result.Bytes)
		}
		if result.ExitCode != 0 {
			note("Exit code: %d", result.ExitCode)
		}
		artifact["truncated_by_lines"], artifact["truncated_by_bytes"] = result.TruncatedLines, result.TruncatedBytes
		artifact["total_lines"], artifact["total_bytes"] = result.Lines, result.Bytes
		artifact["redaction_matches"] = counts
	}
	if result.Ended {
		note("The shell session has ended. The next command starts a new one.")
	}
	output := host.TextOutput(text)
	output.Failed = result.ExitCode != 0 || blocked != ""
	var err error
	output.Artifact, err = host.Encode(artifact)
	return output, err
}
