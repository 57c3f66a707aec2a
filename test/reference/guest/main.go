// Command guest is the probe as a plugin. It performs the scripts of test vectors in WebAssembly.
//
// A plugin must declare the bound of what it may do before it sees its configuration, but a probe's fields and
// jumps are in its configuration. The loader therefore first writes the bound, a Description, into the module, over
// the bytes of bound.bin: the length in four bytes, lowest byte first, and then the document.
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

// script is the script that this instance performs.
var script = &probe.Probe{}

func init() { //nolint:gochecknoinits // a reactor has no other place for it
	// The condition is never true, but a compiler that runs init does not know that, and so does not fold bound.
	if time.Now().UnixNano() == 1 { // the clock of the call
		bound[0]++
	}
	var d sdk.Description
	length := int(binary.LittleEndian.Uint32(bound))
	if length > len(bound)-4 { // this is the placeholder: nobody wrote a bound into this module
		length = 0
	}
	_, _ = d.UnmarshalMsg(bound[4 : 4+length])
	sdk.Register(guest{}, d)
}

func main() {}

// Configure reads the script.
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

// executions counts the executions in this instance, by tool.
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
