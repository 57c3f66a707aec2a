package mcp

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/question"
	"github.com/agenthost/agenthost/internal/terminal"
)

const maxArguments = 4 << 20 // bytes of a call's arguments

// task is a client's request: a run of the agent.
type task struct {
	thread    string
	passing   bool    // the thread has an internal name and is deleted when the run ends
	direct    *direct // the tool call to run; nil: the task is a prompt
	input     host.Input
	questions []*question.Question // unanswered questions of the run
}

// promptTask reads a call of the tool that runs the agent.
func (*Server) promptTask(params *sdk.CallToolParamsRaw) (*task, error) {
	var args struct {
		Prompt string `json:"prompt"`
		Thread string `json:"thread"`
	}
	if err := json.Unmarshal(params.Arguments, &args); err != nil {
		return nil, fmt.Errorf("the arguments must be an object with a prompt: %w", err)
	}
	if strings.TrimSpace(args.Prompt) == "" {
		return nil, errors.New("the prompt is empty")
	}
	t := &task{thread: args.Thread}
	if t.thread != "" {
		if err := checkpoint.CheckName(t.thread); err != nil {
			return nil, err
		}
	} else {
		t.name()
	}
	t.input = host.Input{Thread: t.thread, Messages: []abi.Message{abi.Human(strings.ToValidUTF8(args.Prompt, "\uFFFD"))}}
	return t, nil
}

// callTask reads a call of one of the agent's tools.
func (*Server) callTask(params *sdk.CallToolParamsRaw) (*task, error) {
	text := params.Arguments
	if len(text) == 0 || string(text) == "null" {
		text = json.RawMessage("{}")
	}
	args, err := wire.FromJSON(text, wire.Limits{MaxBytes: maxArguments, MaxDepth: 64})
	if err == nil && !args.IsMap() {
		err = errors.New("they must be an object")
	}
	if err != nil {
		return nil, fmt.Errorf("the arguments: %w", err)
	}
	t := &task{direct: &direct{call: abi.ToolCall{ID: "call-" + rand.Text(), Name: params.Name, Args: args}}}
	t.name()
	t.input = host.Input{Thread: t.thread, Messages: []abi.Message{abi.Human("Call the tool " + params.Name + ".")}}
	return t, nil
}

// name gives the task a new thread of its own.
func (t *task) name() { t.thread, t.passing = "mcp-"+rand.Text(), true }

// handle makes the handler of a tool.
func (s *Server) handle(begin func(*sdk.CallToolParamsRaw) (*task, error)) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		if !s.enter() {
			return failure(host.ErrClosed), nil
		}
		defer s.runs.Done()
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		forget := context.AfterFunc(s.life, stop)
		defer forget()
		var t *task
		var err error
		switch {
		case len(req.Params.Arguments) > maxArguments:
			err = fmt.Errorf("the arguments have more than %d bytes", maxArguments)
		case req.Params.RequestState != "":
			t, err = s.answered(req.Params)
		default:
			t, err = begin(req.Params)
		}
		if err != nil {
			return failure(err), nil
		}
		return s.perform(ctx, req, t), nil
	}
}

// answered continues a run that asked a question in the result of an earlier call.
func (s *Server) answered(params *sdk.CallToolParamsRaw) (*task, error) {
	t := s.take(params.RequestState)
	if t == nil {
		return nil, errors.New("the run that asked this is not known any more; begin anew")
	}
	given, _ := params.InputResponses[formKey].(*sdk.ElicitResult)
	answers, err := formOf(t.questions).read(given, user)
	if err != nil {
		return nil, s.unanswered(t, err)
	}
	t.input = host.Input{Thread: t.thread, Resume: answers}
	return t, nil
}

// perform runs the agent until the run ends, or asks something that the client cannot answer.
func (s *Server) perform(ctx context.Context, req *sdk.CallToolRequest, t *task) *sdk.CallToolResult {
	if t.direct != nil {
		ctx = context.WithValue(ctx, directKey{}, t.direct)
	}
	told := progressOf(ctx, req)
	if t.input.Resume == nil {
		t.input.KeepWaiting = !t.passing && s.resumption(t) != ""
	}
	for {
		result, err := s.agent.RunEvents(ctx, t.input, told.event)
		if errors.Is(err, host.ErrWaiting) {
			return failure(fmt.Errorf("%w\nto continue it:\n  %s", err, s.resumption(t)))
		}
		if err != nil {
			s.forget(t)
			return failure(err)
		}
		if result.Status != host.Interrupted {
			s.forget(t)
			return t.output(result)
		}
		t.questions = question.OfResult(result)
		form := formOf(t.questions)
		switch {
		case len(t.questions) == 0:
			return failure(s.unanswered(t, errors.New("it has stopped at a breakpoint")))
		case !canAsk(req):
			return failure(s.unanswered(t, errors.New("it needs an answer from a person: "+form.params.Message)))
		case req.ProtocolVersion() >= statelessVersion:
			return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{formKey: form.params}, RequestState: s.hold(t)}
		}
		given, err := req.Session.Elicit(ctx, form.params)
		if err != nil {
			return failure(s.unanswered(t, fmt.Errorf("it needs an answer from a person, who could not be asked: %w", err)))
		}
		answers, err := form.read(given, user)
		if err != nil {
			return failure(s.unanswered(t, err))
		}
		t.input = host.Input{Thread: t.thread, Resume: answers}
	}
}

// user says in the history of a thread who answered.
const user = "the user of an MCP client"

// statelessVersion is the first protocol version in which a server asks questions in its results.
const statelessVersion = "2026-07-28"

// canAsk reports whether the client can ask its user to fill in a form.
func canAsk(req *sdk.CallToolRequest) bool {
	caps := req.ClientCapabilities()
	if caps == nil || caps.Elicitation == nil {
		return false
	}
	return caps.Elicitation.Form != nil || caps.Elicitation.URL == nil
}

// unanswered returns the error for a waiting run whose client has no answer. A person may be able to continue it elsewhere.
func (s *Server) unanswered(t *task, reason error) error {
	next := s.resumption(t)
	if next == "" {
		s.forget(t)
		return fmt.Errorf("the run is interrupted: %w. It cannot be continued", reason)
	}
	return fmt.Errorf("the run is interrupted: %w\nto continue it:\n  %s", reason, next)
}

// resumption describes how a person can continue the thread of a task; "" if nobody can.
func (s *Server) resumption(t *task) string {
	if s.config.Resume == nil {
		return ""
	}
	return s.config.Resume(t.thread)
}

// output returns what the client's model sees of a finished run.
func (t *task) output(result *host.Result) *sdk.CallToolResult {
	if t.direct == nil {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: result.Answer()}}}
	}
	for _, m := range result.Messages.All() {
		if m.Role == abi.RoleTool && m.ToolCallID == t.direct.call.ID {
			return &sdk.CallToolResult{Content: contentOf(&m.Content), IsError: m.Failed()}
		}
	}
	// A middleware ended the run before the call, perhaps with an explanation.
	return failure(errors.New("the call was not performed: " + result.Text()))
}

// contentOf converts the content of a message to the protocol's form.
func contentOf(content *abi.Content) []sdk.Content {
	out := []sdk.Content{}
	for _, b := range content.Blocks() {
		switch {
		case b.Type() == abi.BlockText, b.Type() == abi.BlockRefusal:
			out = append(out, &sdk.TextContent{Text: b.Text()})
		case b.Type() == abi.BlockImage && len(b.Data()) > 0:
			out = append(out, &sdk.ImageContent{MIMEType: b.String("mime_type"), Data: b.Data()})
		default:
			out = append(out, &sdk.TextContent{Text: fmt.Sprintf("[a part of the kind %q, which cannot be shown]", b.Type())})
		}
	}
	return out
}

// failure returns a result that reports an error.
func failure(err error) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "Error: " + terminal.Text(err.Error())}}, IsError: true}
}
