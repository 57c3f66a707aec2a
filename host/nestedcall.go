package host

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"strconv"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// The reasons why [Runtime.CallTool] did not begin a call. CallTool returns them unwrapped. If one of them is wrapped in
// another error, it comes from a tool that failed to call another tool.
var (
	ErrUnknownTool = errors.New("the agent has no such tool")
	ErrBusy        = errors.New("the tool call would have to wait for other calls; try later")
	ErrTooDeep     = errors.New("tool calls are nested too deeply; at most " + strconv.Itoa(MaxCallDepth) + " levels are allowed")
)

// MaxCallDepth is how deeply tool calls by hooks and tools may be nested.
const MaxCallDepth = 8

// CallTool calls a tool of the agent in the same way as the model does. All wrap_tool_call hooks enclose the call, including
// those that wrap only such calls (see WrapToolHook.Nested), and its arguments are checked. If the call is invalid, the answer
// is the text that the model would get. The answer is not added to the history. State changes of the tool and its hooks are
// applied before the update of the hook or tool that made the call.
//
// CallTool never waits for anything that another call holds, such as the instances of a plugin; it returns [ErrBusy] instead. It
// does so too while too many events of this and other calls wait for the turn of their calls.
// Other errors are [ErrUnknownTool], [ErrTooDeep], the tool's own error in a [*ToolError], and control flow: an interrupt or a
// cancellation propagates, whatever the caller returns. When the run is resumed, the caller runs again from its start, and the
// same call, identified by tool, arguments and order, finds the answers to its questions.
//
// Only one goroutine at a time may call CallTool.
func (rt *Runtime) CallTool(ctx context.Context, name string, args wire.Raw) (*abi.Message, error) {
	switch {
	case rt.closed != nil:
		return nil, rt.closed
	case rt.run.agent.tools.byName[name] == nil:
		return nil, ErrUnknownTool
	case rt.depth >= MaxCallDepth:
		return nil, ErrTooDeep
	case rt.emit.crowded():
		return nil, ErrBusy
	}
	if args.IsNil() {
		args = wire.Map(nil).Raw()
	}
	args = wire.Canonicalized(args)
	c, count := rt.nestedCall(name, args)
	if err := c.revise(ctx); err != nil {
		return nil, rt.outward(c, err)
	}
	req, chain := c.request()
	if !chain.try() {
		return nil, ErrBusy
	}
	count()
	c.alerts()
	c.began()
	start := rt.run.clock()
	ctx, span := c.trace(ctx)
	result := c.perform(ctx, req, chain)
	c.ended(span, start, &result)
	if result.err != nil {
		return nil, rt.outward(c, result.err)
	}
	rt.made.updates = append(rt.made.updates, result.updates...)
	return result.message, nil
}

// nestedCall makes a call whose id is derived from the caller, the tool and its arguments, and the number of equal calls before:
// a repeated call has the same id, and so finds its answers. Once count was called, no other call gets the id.
func (rt *Runtime) nestedCall(name string, args wire.Raw) (c *toolCall, count func()) {
	sum := sha256.New()
	_, _ = sum.Write(binary.BigEndian.AppendUint64(nil, rt.seed))
	_, _ = sum.Write(wire.AppendString(nil, name))
	_, _ = sum.Write(args)
	digest := sum.Sum(nil)
	id := "call-" + hex.EncodeToString(digest[:16])
	n := rt.calling().numbers[id] + 1
	numbered := id + "-" + strconv.Itoa(n)
	c = &toolCall{
		run: rt.run, by: rt, index: n, seed: binary.BigEndian.Uint64(digest[16:]), events: rt.emit,
		id: numbered, call: &abi.ToolCall{ID: numbered, Name: name, Args: args},
	}
	return c, func() {
		if rt.made.numbers == nil {
			rt.made.numbers = map[string]int{}
		}
		rt.made.numbers[id] = n
	}
}

// callsMade is what a hook or tool has called itself. Most never do, so their Runtime, of which each call has one, is small without it.
type callsMade struct {
	numbers map[string]int  // of equal calls of tools, by id
	updates []sourcedUpdate // of those calls
	ids     idSource        // for messages of models that answer while other calls run
}

// calling returns what the hook or tool has called, when it is about to call something.
func (rt *Runtime) calling() *callsMade {
	if rt.made == nil {
		rt.made = &callsMade{}
		rt.made.ids.seed = rt.seed
	}
	return rt.made
}

// outward closes the caller if err is control flow. It adds to an interrupt the step and the call that ask.
func (rt *Runtime) outward(c *toolCall, err error) error {
	if interrupt, ok := asInterrupt(err); ok {
		err = &InterruptError{
			Interrupts: interrupt.Interrupts, step: cmp.Or(interrupt.step, ToolsStep), nested: cmp.Or(interrupt.nested, c.call.ID),
		}
	}
	if IsControlFlow(err) || rt.run.journal.broke(err) {
		rt.closed = err
	}
	return err
}

// operationLimit counts the operations that guests ask the host for. Tool calls that hooks and tools make count together with their
// caller, so that nesting them does not multiply what the caller may ask for. Only one goroutine at a time uses it.
type operationLimit struct{ used, most int }

// StartOperations starts the count of operations anew, for a guest that is about to be called. It does nothing in a tool call that a
// hook or tool makes, which counts together with its caller.
func (rt *Runtime) StartOperations() {
	if rt.outer == nil {
		rt.limit = operationLimit{}
	}
}

// CountOperation counts an operation that a guest asks the host for in this call of a hook or tool, or in a tool call that the
// hook or tool makes with [Runtime.CallTool], directly or further inside. It returns false if that makes more operations than
// the limit; if the guests have different limits, the largest counts.
func (rt *Runtime) CountOperation(limit int) bool {
	l := &rt.outermost().limit
	l.most = max(l.most, limit)
	if l.used >= l.most {
		return false
	}
	l.used++
	return true
}

// OperationsLeft returns how many operations may still be counted.
func (rt *Runtime) OperationsLeft() int {
	l := &rt.outermost().limit
	return l.most - l.used
}

func (rt *Runtime) outermost() *Runtime {
	if rt.outer != nil {
		return rt.outer
	}
	return rt
}

// Nested reports whether this hook or tool runs for a call that a hook or a tool made by CallTool, directly or further inside.
func (rt *Runtime) Nested() bool { return rt.depth > 0 }
