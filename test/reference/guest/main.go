// Command guest is the probe as a plugin: the scripts of test vectors, performed in WebAssembly.
//
// What a plugin may do at most it must say before it sees its configuration, and a probe's fields and jumps are its
// configuration. So whoever loads the module first writes that bound, a Description, over the place that bound.bin
// takes in it: its length in four bytes, the lowest first, then the document.
package main

import (
	_ "embed"
	"encoding/binary"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	sdk "github.com/agenthost/agenthost/sdk/go"
	"github.com/agenthost/agenthost/test/reference/probe"
)

//go:embed bound.bin
var bound []byte

type guest struct{}

// script is what this instance performs.
var script = &probe.Probe{}

func init() { //nolint:gochecknoinits // a reactor has no other place
	// It never is, but a compiler that runs init does not know, and leaves bound alone.
	if time.Now().UnixNano() == 1 { // the clock of the call
		bound[0]++
	}
	var d sdk.Description
	length := int(binary.LittleEndian.Uint32(bound))
	if length > len(bound)-4 { // the placeholder: this module was not made ready
		length = 0
	}
	_, _ = d.UnmarshalMsg(bound[4 : 4+length])
	sdk.Register(guest{}, d)
}

func main() {}

// Configure takes the script.
func (guest) Configure(config sdk.Map) (*sdk.Description, error) {
	p, description, err := probe.ReadPluginConfig(config)
	if err != nil {
		return nil, err
	}
	script = p
	return description, nil
}

func node(hook abi.Hook, c *sdk.Call) (*sdk.Update, error) {
	return script.Hook(hook).Node(call{c})
}

func (guest) BeforeAgent(c *sdk.Call) (*sdk.Update, error) { return node(abi.BeforeAgent, c) }
func (guest) BeforeModel(c *sdk.Call) (*sdk.Update, error) { return node(abi.BeforeModel, c) }
func (guest) AfterModel(c *sdk.Call) (*sdk.Update, error)  { return node(abi.AfterModel, c) }
func (guest) AfterAgent(c *sdk.Call) (*sdk.Update, error)  { return node(abi.AfterAgent, c) }

func (guest) WrapModelCall(c *sdk.ModelCall) (*sdk.ResponseChange, *sdk.Update, error) {
	return script.Hook(abi.WrapModelCall).Model(&modelCall{call{&c.Call}, c})
}

func (guest) WrapToolCall(c *sdk.ToolCall) (*sdk.Patch, *sdk.Update, error) {
	return script.Hook(abi.WrapToolCall).Tool(&toolCall{call{&c.Call}, c})
}

// executions counts, by tool. The count is that of this instance.
var executions = map[string]uint64{}

func (guest) CallTool(c *sdk.ToolCall) (*sdk.Patch, *sdk.Update, error) {
	made := c.ToolCall()
	for _, t := range script.Dynamic {
		if t.Spec.Name != made.Name {
			continue
		}
		executions[made.Name]++
		run := wire.Map{{Key: "args", Value: made.Args}, {Key: "id", Value: wire.String(made.ID)}, {Key: "name", Value: wire.String(made.Name)}}
		if err := c.Emit("tool_run", run.Raw()); err != nil {
			return nil, nil, err
		}
		text, update, err := t.Run(&execution{call{&c.Call}, made, executions[made.Name]})
		if err != nil {
			return nil, nil, err
		}
		answer := sdk.NewPatch("").SetContent(sdk.Text(text))
		return &answer, update, nil
	}
	return nil, nil, &sdk.Error{Type: probe.Mistake, Message: "there is no tool " + made.Name}
}
