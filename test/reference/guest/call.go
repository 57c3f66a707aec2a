package main

import (
	"math"
	"slices"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	sdk "github.com/agenthost/agenthost/sdk/go"
)

// call shows a call of a hook to its script.
type call struct{ c *sdk.Call }

func (c call) N() uint64 { return c.c.Input().N }

func (c call) State(field string) wire.Raw {
	if slices.Contains(c.c.Input().Large, field) {
		fields, _ := c.c.ReadFields(field)
		return fields.Get(field)
	}
	return c.c.State(field)
}

func (c call) Messages() (count int, last abi.Message) {
	view := c.c.Input().Messages
	if view == nil { // wrap_model_call sees the messages of the request, not those of the state
		all, _ := c.c.ReadMessages(0, math.MaxInt64)
		view = &abi.View{Items: all, Total: uint64(len(all))}
	}
	if len(view.Items) > 0 {
		last = view.Items[len(view.Items)-1]
	}
	return int(view.Total), last
}

func (c call) Log(line string) { _ = c.c.Emit("log", wire.String(line)) }

func (c call) Interrupt(key string, value wire.Raw) (wire.Raw, error) {
	return c.c.Interrupt(key, value)
}

func (c call) Failure(err error) (*abi.Error, bool) {
	e, ok := err.(*sdk.Error) //nolint:errorlint // the SDK returns it unwrapped
	return e, ok
}

// modelCall is a call of wrap_model_call.
type modelCall struct {
	call
	c *sdk.ModelCall
}

func (m *modelCall) Request() *abi.ModelRequest { return m.c.Request() }

func (m *modelCall) Next(change *abi.RequestChange) (*abi.ModelResponse, error) {
	reply, err := m.c.Next(change)
	if err != nil {
		return nil, err
	}
	return reply.Response(), nil
}

// toolCall is a call of wrap_tool_call.
type toolCall struct {
	call
	c *sdk.ToolCall
}

func (t *toolCall) ToolCall() *abi.ToolCall { return t.c.ToolCall() }
func (t *toolCall) Known() bool             { return t.c.Known() }

func (t *toolCall) Next(change *abi.CallChange) (*abi.Message, error) {
	reply, err := t.c.Next(change)
	if err != nil {
		return nil, err
	}
	return reply.Message(), nil
}

// execution is one execution of a tool of the probe.
type execution struct {
	call
	made *abi.ToolCall
	n    uint64
}

func (e *execution) Execution() uint64       { return e.n }
func (e *execution) ToolCall() *abi.ToolCall { return e.made }

func (e *execution) Sleep(milliseconds int) error {
	time.Sleep(time.Duration(milliseconds) * time.Millisecond) // on the clock of the call, the only clock of a guest
	return nil
}
