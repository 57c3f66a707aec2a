package reference

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/test/reference/probe"
)

// fileTool is a tool that behaves as its file says and records its executions.
type fileTool struct {
	spec   *probe.Tool
	record *recorder
	runs   atomic.Uint64
}

func hostTools(specs []*probe.Tool, record *recorder) []host.Tool {
	tools := make([]host.Tool, len(specs))
	for i, spec := range specs {
		tools[i] = &fileTool{spec: spec, record: record}
	}
	return tools
}

// Spec describes the tool.
func (t *fileTool) Spec() abi.ToolSpec { return t.spec.Spec }

// Call runs the tool.
func (t *fileTool) Call(ctx context.Context, rt *host.Runtime, call *abi.ToolCall) (*host.ToolOutput, error) {
	turn := t.record.tool(t.spec.Spec.Name, rt, call)
	if t.spec.Sleeps() {
		t.record.working(turn, 1)
		defer t.record.working(turn, -1)
		if t.record.atOnce && batchSize(rt) > 1 {
			t.record.wait(ctx, turn)
		}
	}
	text, update, err := t.spec.Run(&toolExecution{nativeCall{rt}, ctx, call, t.runs.Add(1)})
	if err != nil {
		return nil, ofProvider(err)
	}
	content, ok := t.spec.Blocks()
	if !ok {
		content = abi.Text(text)
	}
	return &host.ToolOutput{Content: content, Update: update}, nil
}

// batchSize returns how many calls the model made together.
func batchSize(rt *host.Runtime) int {
	messages := rt.State().Messages()
	at := messages.LastAI()
	if at < 0 {
		return 0
	}
	return len(messages.Entry(at).Message().ToolCalls)
}

// toolExecution is one execution as the tool's script sees it.
type toolExecution struct {
	nativeCall
	ctx  context.Context //nolint:containedctx // of the one call
	call *abi.ToolCall
	n    uint64
}

func (e *toolExecution) Execution() uint64       { return e.n }
func (e *toolExecution) ToolCall() *abi.ToolCall { return e.call }

func (e *toolExecution) Sleep(milliseconds int) error {
	ctx, cancel := context.WithTimeout(e.ctx, time.Duration(milliseconds)*time.Millisecond)
	defer cancel()
	<-ctx.Done()
	if e.ctx.Err() != nil {
		return context.Cause(e.ctx)
	}
	return nil
}

// nativeCall shows a call of a native hook or tool to its script.
type nativeCall struct{ rt *host.Runtime }

// LogEvent is the name of the events that carry the lines of a script's log.
const LogEvent = "log"

func (c nativeCall) N() uint64                   { return c.rt.N() }
func (c nativeCall) State(field string) wire.Raw { return c.rt.State().Get(field) }
func (c nativeCall) Log(line string)             { c.rt.Emit(LogEvent, wire.String(line)) }

func (c nativeCall) Messages() (count int, last abi.Message) {
	messages := c.rt.State().Messages()
	last, _ = messages.Last()
	return messages.Len(), last
}

func (c nativeCall) Interrupt(key string, value wire.Raw) (wire.Raw, error) {
	return c.rt.Interrupt(key, value)
}

// Failure returns the failure in an error, unless the error is control flow.
func (c nativeCall) Failure(err error) (*abi.Error, bool) {
	if err == nil || host.IsControlFlow(err) {
		return nil, false
	}
	return host.ErrorDocument(err), true
}
