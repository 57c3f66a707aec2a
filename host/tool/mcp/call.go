package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/internal/terminal"
)

// tool is a tool of a server, adapted to the agent, or a tool of this package for one of its features.
type tool struct {
	server  *Server
	own     string   // the server's own name for it; "" for a feature
	feature *feature // nil for a tool of the server
	spec    abi.ToolSpec
}

// send sends a call to the server.
func (t *tool) send(ctx context.Context, client *sdk.ClientSession, params *sdk.CallToolParams) (*sdk.CallToolResult, error) {
	if t.feature != nil {
		return t.feature.send(ctx, client, params)
	}
	return client.CallTool(ctx, params)
}

// Spec describes the tool.
func (t *tool) Spec() abi.ToolSpec { return t.spec }

// Call calls the tool at its server. Failures there become answers to the model. A lost connection is made again; if the call
// cannot have run, or is idempotent, it is then repeated once.
func (t *tool) Call(ctx context.Context, rt *host.Runtime, asked *abi.ToolCall) (*host.ToolOutput, error) {
	args, err := wire.AppendJSON(nil, asked.Args)
	if err != nil {
		return nil, err
	}
	for again := false; ; again = true {
		present, err := t.server.connected(ctx)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			return failure(fmt.Sprintf("the MCP server %q cannot be reached: %v; the call has not run", t.server.config.Name, err)), nil
		}
		if err := t.server.same(t, present); err != nil {
			return failure(err.Error()), nil
		}
		c := &call{
			session: present, tool: t, rt: rt, id: asked.ID, args: args, answers: rt.Answers(),
			progress: make(chan *sdk.ProgressNotificationParams, 64), asked: make(chan *host.InterruptError, 1),
			life: ctx, samples: make(chan samplingRequest), over: make(chan struct{}),
		}
		output, err := c.perform(ctx)
		lost, broken := errors.AsType[*lostError](err)
		if !broken {
			return output, err
		}
		t.server.lost(present, lost.err)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case !again && (!wasSent(lost.err) || t.spec.Idempotent):
		case !wasSent(lost.err):
			return failure(fmt.Sprintf("the connection to the MCP server %q was lost: %v; the call has not run", t.server.config.Name, lost)), nil
		default:
			return failure(fmt.Sprintf("the connection to the MCP server %q was lost during the call: %v; the call may or may not have run",
				t.server.config.Name, lost)), nil
		}
	}
}

// failure returns the answer for a failed call.
func failure(text string) *host.ToolOutput {
	out := host.TextOutput("Error: " + text)
	out.Failed = true
	return out
}

// lostError reports a connection that broke during a call.
type lostError struct {
	err  error
	text string
}

func (e *lostError) Error() string { return e.text }
func (e *lostError) Unwrap() error { return e.err }

// call is one call in progress.
type call struct {
	session *session
	tool    *tool
	rt      *host.Runtime
	id      string
	token   string // identifies its progress notifications
	args    json.RawMessage
	answers wire.Map // to earlier questions

	progress chan *sdk.ProgressNotificationParams
	emitted  int
	asked    chan *host.InterruptError
	life     context.Context //nolint:containedctx // of the call; a model that the server asks has time limits of its own
	samples  chan samplingRequest
	over     chan struct{} // closed when the call has ended
	number   int           // counts questions; guarded by the session's lock
}

// errNoAnswer is the cancellation cause when the server's timeout ends a call.
var errNoAnswer = errors.New("no answer in time")

// perform makes the call when its turn comes. An error is control flow or a [*lostError].
func (c *call) perform(ctx context.Context) (*host.ToolOutput, error) {
	config := &c.tool.server.config
	if turn := c.session.turn; turn != nil {
		select {
		case turn <- struct{}{}:
			defer func() { <-turn }()
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	inside, stop := context.WithTimeoutCause(ctx, config.Timeout, errNoAnswer)
	defer stop()
	c.session.begin(c)
	defer c.session.finish(c)
	defer close(c.over)
	params := &sdk.CallToolParams{Name: c.tool.own, Arguments: c.args}
	for range maxRounds {
		result, err := c.round(inside, params)
		switch {
		case err != nil:
			return c.ended(ctx, inside, err)
		case !result.NeedsInput() && result.InputRequests == nil:
			c.tool.server.works()
			return c.output(result), nil
		}
		responses, err := c.respond(result.InputRequests)
		if err != nil {
			if host.IsControlFlow(err) {
				return nil, err
			}
			return failure(err.Error()), nil
		}
		params = &sdk.CallToolParams{Name: c.tool.own, Arguments: c.args, InputResponses: responses, RequestState: result.RequestState}
	}
	return failure(fmt.Sprintf("the MCP server %q asks too many questions in one call", config.Name)), nil
}

// maxRounds is how often a server may ask questions in one call.
const maxRounds = 10

// round sends the call once and forwards the progress it hears meanwhile. Only this goroutine may emit events of the run.
func (c *call) round(ctx context.Context, params *sdk.CallToolParams) (*sdk.CallToolResult, error) {
	params.SetProgressToken(c.token)
	setSpan(ctx, params)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	type outcome struct {
		result *sdk.CallToolResult
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		result, err := guarded(func() (*sdk.CallToolResult, error) { return c.tool.send(ctx, c.session.client, params) })
		done <- outcome{result, err}
	}()
	var asked *host.InterruptError
	for {
		select {
		case p := <-c.progress:
			c.emit(p)
		case request := <-c.samples:
			if asks := c.answerSampling(request); asks != nil && asked == nil {
				asked = asks
				stop()
			}
		case asked = <-c.asked:
			stop() // tells the server that the call has ended
		case o := <-done:
			for len(c.progress) > 0 {
				c.emit(<-c.progress)
			}
			if asked != nil {
				return nil, asked
			}
			return o.result, o.err
		}
	}
}

// ended returns the answer or the error for a call that ended without a result.
func (c *call) ended(ctx, inside context.Context, err error) (*host.ToolOutput, error) {
	config := &c.tool.server.config
	if asked, ok := errors.AsType[*host.InterruptError](err); ok {
		return nil, asked
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if errors.Is(context.Cause(inside), errNoAnswer) {
		return failure(fmt.Sprintf("the MCP server %q has not answered within %v, and was told to stop; the call may or may not have run",
			config.Name, config.Timeout)), nil
	}
	if unreached(err) {
		effect := "may or may not have run"
		if !wasSent(err) {
			effect = "has not run"
		}
		return failure(fmt.Sprintf("the MCP server %q cannot be reached: %v; the call %s", config.Name, c.session.explained(err), effect)), nil
	}
	if said, ok := refusal(err); ok {
		c.tool.server.works()
		return failure(fmt.Sprintf("the MCP server %q refuses the call: %s", config.Name, c.tool.server.secrets.line(said.Message))), nil
	}
	return nil, &lostError{err, c.session.explained(err).Error()}
}

// emit shows the server's progress report in the run's stream, together with the call it belongs to.
func (c *call) emit(p *sdk.ProgressNotificationParams) {
	if c.emitted == maxProgress {
		return
	}
	c.emitted++
	data := wire.Map{}
	data.Set("call", wire.String(c.id))
	data.Set("tool", wire.String(c.tool.spec.Name))
	data.Set("progress", wire.Float(p.Progress))
	if p.Total != 0 {
		data.Set("total", wire.Float(p.Total))
	}
	if p.Message != "" {
		data.Set("message", wire.String(terminal.Line(p.Message)))
	}
	c.rt.Emit("progress", data.Raw())
}
