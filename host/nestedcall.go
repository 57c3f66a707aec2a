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

// Why [Runtime.CallTool] did not begin a call. They are returned as they are: one inside of another error is what a tool
// said of a call of its own.
var (
	ErrUnknownTool = errors.New("the agent has no such tool")
	ErrBusy        = errors.New("nothing is free to run the tool call; try later")
	ErrTooDeep     = errors.New("tool calls are inside of each other too deep; " + strconv.Itoa(MaxCallDepth) + " are allowed")
)

// MaxCallDepth is how deep tool calls by hooks and tools may be inside of each other.
const MaxCallDepth = 8

// CallTool calls a tool of the agent, as the model does: inside of all wrap_tool_call hooks, those too that wrap nothing
// but such calls (see WrapToolHook.Nested), with arguments that are checked. What the model would be told of a call that
// it got wrong is the answer here too. The answer does not get into the history. What the tool and its wraps change in
// the state is applied with the update of the hook or tool that calls, before it.
//
// It never waits for what another call holds, such as the instances of a plugin: the error is [ErrBusy] then. Others are
// [ErrUnknownTool], [ErrTooDeep], the tool's own in a [*ToolError], and control flow: an interrupt or a cancellation goes
// outward, whatever the caller returns. When the run is resumed the caller runs again from its start, and the same call
// of it, by tool, arguments and order, finds the answers to what was asked in it.
//
// One goroutine at a time may use it.
func (rt *Runtime) CallTool(ctx context.Context, name string, args wire.Raw) (*abi.Message, error) {
	switch {
	case rt.closed != nil:
		return nil, rt.closed
	case rt.run.agent.tools.byName[name] == nil:
		return nil, ErrUnknownTool
	case rt.depth >= MaxCallDepth:
		return nil, ErrTooDeep
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
	result := c.perform(ctx, req, chain)
	c.ended(start, &result)
	if result.err != nil {
		return nil, rt.outward(c, result.err)
	}
	rt.updates = append(rt.updates, result.updates...)
	return result.message, nil
}

// nestedCall makes a call with an id that follows from who calls, what, and how often before: a call that is made again
// has the same one, and so finds its answers, and no other call has it once count was called.
func (rt *Runtime) nestedCall(name string, args wire.Raw) (c *toolCall, count func()) {
	sum := sha256.New()
	_, _ = sum.Write(binary.BigEndian.AppendUint64(nil, rt.seed))
	_, _ = sum.Write(wire.AppendString(nil, name))
	_, _ = sum.Write(args)
	digest := sum.Sum(nil)
	id := "call-" + hex.EncodeToString(digest[:16])
	n := rt.calls[id] + 1
	numbered := id + "-" + strconv.Itoa(n)
	c = &toolCall{
		run: rt.run, by: rt, index: n, seed: binary.BigEndian.Uint64(digest[16:]), events: rt.emit,
		id: numbered, call: &abi.ToolCall{ID: numbered, Name: name, Args: args},
	}
	return c, func() {
		if rt.calls == nil {
			rt.calls = map[string]int{}
		}
		rt.calls[id] = n
	}
}

// outward closes the caller's frame if err is control flow. An interrupt gets the names of who asks.
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

// Nested reports whether the call of this hook or tool is, or is inside of, one that a hook or a tool made by CallTool.
func (rt *Runtime) Nested() bool { return rt.depth > 0 }
