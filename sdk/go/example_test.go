package sdk_test

import (
	"fmt"
	"strings"

	"github.com/agenthost/agenthost/abi"
	sdk "github.com/agenthost/agenthost/sdk/go"
)

// shout is the plugin of the package's documentation.
type shout struct{}

func (shout) WrapToolCall(c *sdk.ToolCall) (*sdk.Patch, *sdk.Update, error) {
	answer, err := c.Next(nil)
	if err != nil {
		return nil, nil, err
	}
	p := sdk.NewPatch("").SetContent(sdk.Text(strings.ToUpper(answer.Message().Content.Text())))
	return &p, nil, nil
}

// answers is a host for tests: it answers next with one message.
type answers struct{ message sdk.Message }

func (a answers) Next([]byte) (abi.Status, []byte) {
	reply, _ := (&abi.ToolReply{ToolMessage: a.message}).MarshalMsg(nil)
	return abi.StatusOK, reply
}

func (answers) HostCall(string, []byte) (abi.Status, []byte) { return abi.ENOENT, nil }
func (answers) Log(abi.LogLevel, string)                     {}

// A plugin registers itself in an init function. In a test, Invoke calls its hooks as a host would.
func Example() {
	sdk.Register(shout{}, sdk.Description{Name: "shout", Version: "1.0.0"})

	call := abi.Call("call-1", "search", map[string]any{"q": "tides"})
	input, _ := (&abi.HookInput{Call: &call, Known: true, Step: "shout.wrap_tool_call"}).MarshalMsg(nil)
	output, code := sdk.Invoke("wrap_tool_call", input, answers{abi.ToolResult(call, "high at noon")})

	var result abi.Result
	if _, err := result.UnmarshalMsg(output); err != nil {
		fmt.Println(err)
	}
	fmt.Println(code, result.ToolMessage.Keys().Raw().JSON())
	// Output: 1 {"content":"HIGH AT NOON"}
}

// turns counts the model calls of a run, and asks before the third.
type turns struct{}

func (turns) BeforeModel(c *sdk.Call) (*sdk.Update, error) {
	if calls, _ := c.State("calls").AsInt(); calls == 2 {
		if _, err := c.Interrupt("continue", sdk.String("two calls so far; go on?")); err != nil {
			return nil, err
		}
	}
	update := &sdk.Update{}
	update.State.Set("calls", sdk.Int(1)) // the reducer adds it
	return update, nil
}

// A hook that asks returns the error of Interrupt; it runs again when there is an answer.
func ExampleCall_Interrupt() {
	sdk.Register(turns{}, sdk.Description{
		Name: "turns", Version: "1.0.0",
		Fields: []sdk.FieldSpec{{Name: "calls", Lifetime: "run", Reducer: "add"}},
		Hooks:  sdk.HookSpecs{BeforeModel: &sdk.HookSpec{Reads: []string{"calls"}}},
	})
	in := abi.HookInput{State: sdk.Map{{Key: "calls", Value: sdk.Int(2)}}}
	for _, answers := range []sdk.Map{nil, {{Key: "continue", Value: sdk.Bool(true)}}} {
		in.Answers = answers
		input, _ := in.MarshalMsg(nil)
		output, _ := sdk.Invoke("before_model", input, nil)
		fmt.Println(sdk.Raw(output).JSON())
	}
	// Output:
	// {"interrupts":[{"key":"continue","value":"two calls so far; go on?"}]}
	// {"state":{"calls":1}}
}
