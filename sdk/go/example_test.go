package sdk_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agenthost/agenthost/abi/wire"
	sdk "github.com/agenthost/agenthost/sdk/go"
	"github.com/agenthost/agenthost/sdk/go/sdktest"
)

// A plugin registers itself in an init function, and its tests run natively with package sdktest. The examples do both.

// host registers a plugin and returns a host for it.
func host(p any, d sdk.Description) *sdktest.Host {
	if d.Name == "" {
		d.Name, d.Version = "example", "1.0.0"
	}
	sdk.Register(p, d)
	return sdktest.New(&testing.T{})
}

// shout is the plugin of the package's documentation.
type shout struct{}

func (shout) WrapToolCall(c *sdk.ToolCall) (*sdk.Patch, *sdk.Update, error) {
	answer, err := c.Next(nil)
	if err != nil {
		return nil, nil, err
	}
	return sdk.Answer(strings.ToUpper(answer.Text())), nil, nil
}

func Example() {
	h := host(shout{}, sdk.Description{})
	h.Replies = []sdktest.Reply{sdktest.Answers("high at noon")}
	out := h.WrapToolCall(sdktest.Call("search", map[string]any{"q": "tides"}))
	fmt.Println(out.Answer.Content.Text())
	// Output: HIGH AT NOON
}

// greeter adds a message with the run's id before a run begins.
type greeter struct{}

func (greeter) BeforeAgent(c *sdk.Call) (*sdk.Update, error) {
	return &sdk.Update{Messages: []sdk.Message{sdk.System("It is the run " + c.Run() + ".")}}, nil
}

func ExampleBeforeAgentHook() {
	h := host(greeter{}, sdk.Description{})
	h.BeforeAgent()
	fmt.Println(h.Messages[0].Content.Text())
	// Output: It is the run run-1.
}

// calls counts the model calls of a run.
var calls = sdk.Field[int]{Name: "calls", Lifetime: sdk.LifetimeRun, Reducer: sdk.ReduceAdd}

// limit ends a run after three model calls.
type limit struct{}

func (limit) BeforeModel(c *sdk.Call) (*sdk.Update, error) {
	n, err := calls.Get(c)
	if err != nil {
		return nil, err
	}
	if n == 3 {
		return &sdk.Update{Messages: []sdk.Message{sdk.AI("Enough.")}, JumpTo: sdk.JumpEnd}, nil
	}
	update := &sdk.Update{}
	calls.Set(update, 1) // the reducer adds it
	return update, nil
}

func ExampleBeforeModelHook() {
	h := host(limit{}, sdk.Description{
		Fields: []sdk.FieldSpec{calls.Spec()},
		Hooks:  sdk.HookSpecs{BeforeModel: &sdk.HookSpec{Reads: []string{calls.Name}, CanJumpTo: []string{"end"}}},
	})
	for range 4 {
		fmt.Println(h.BeforeModel().JumpTo, h.State.Get("calls").JSON())
	}
	// Output:
	//  1
	//  2
	//  3
	// end 3
}

// confirm asks before a run goes on.
type confirm struct{}

func (confirm) BeforeModel(c *sdk.Call) (*sdk.Update, error) {
	answer, err := c.Interrupt("go on", sdk.String("Shall I go on?"))
	if err != nil {
		return nil, err
	}
	c.Log(sdk.LogInfo, "answered", "answer", answer)
	return nil, nil
}

// A hook that asks a question returns the error of Interrupt. It runs again when there is an answer.
func ExampleCall_Interrupt() {
	h := host(confirm{}, sdk.Description{})
	fmt.Println(h.BeforeModel().Interrupts[0].Value.JSON())
	h.Answers = sdk.Map{{Key: "go on", Value: sdk.Bool(true)}}
	fmt.Println(h.BeforeModel().Log)
	// Output:
	// "Shall I go on?"
	// [info answered answer=true]
}

// brief tells the model to be brief, and shortens its answer.
type brief struct{}

func (brief) WrapModelCall(c *sdk.ModelCall) (*sdk.ResponseChange, *sdk.Update, error) {
	change := new(sdk.RequestChange).WithAppendedSystem("Be brief.").WithSetting("temperature", sdk.Float(0))
	reply, err := c.Next(change)
	if err != nil {
		return nil, nil, err
	}
	if len(reply.Text()) <= 10 {
		return nil, nil, nil
	}
	return reply.Edit(sdk.NewPatch(reply.Answer().ID).SetContent(sdk.Text(reply.Text()[:10] + "…"))), nil, nil
}

func ExampleWrapModelCallHook() {
	h := host(brief{}, sdk.Description{})
	h.Replies = []sdktest.Reply{sdktest.Says(sdk.AI("The tide is high at noon."))}
	out := h.WrapModelCall(sdk.ModelRequest{Model: "main"})
	fmt.Println(out.Requests[0].AppendSystem.Text(), out.Requests[0].Settings.Raw().JSON())
	fmt.Println(out.Response[0].Content.Text())
	// Output:
	// Be brief. {"temperature":0.0}
	// The tide i…
}

// words counts the words of the whole history.
var words = sdk.Accumulator[int]{
	Field: sdk.Field[int]{Name: "words"},
	Fold:  func(sum int, m *sdk.Message) int { return sum + len(strings.Fields(m.Content.Text())) },
}

type counter struct{}

func (counter) AfterModel(c *sdk.Call) (*sdk.Update, error) {
	update := &sdk.Update{}
	_, err := words.Advance(c, update)
	return update, err
}

func ExampleAfterModelHook() {
	h := host(counter{}, sdk.Description{
		Fields: []sdk.FieldSpec{words.Spec()},
		Hooks:  sdk.HookSpecs{AfterModel: &sdk.HookSpec{Messages: sdk.ViewNew(), Reads: []string{words.Name}}},
	})
	h.Say(sdk.Human("when is the tide high"))
	h.AfterModel()
	h.Say(sdk.AI("at noon")) // the next call sees only this message
	h.AfterModel()
	fmt.Println(h.State.Get("words").JSON())
	// Output: 7
}

// guard prevents the deletion of files outside /tmp.
type guard struct{}

func (guard) WrapToolCall(c *sdk.ToolCall) (*sdk.Patch, *sdk.Update, error) {
	path, _ := c.Arg("path").AsString()
	if !strings.HasPrefix(path, "/tmp/") {
		return sdk.Failure("Only files in /tmp may be deleted."), nil, nil
	}
	_, err := c.Next(new(sdk.CallChange).WithArg("dry_run", sdk.Bool(true)))
	return nil, nil, err
}

func ExampleWrapToolCallHook() {
	h := host(guard{}, sdk.Description{Hooks: sdk.HookSpecs{WrapToolCall: &sdk.HookSpec{Tools: []string{"delete"}}}})
	out := h.WrapToolCall(sdktest.Call("delete", map[string]any{"path": "/etc/passwd"}))
	fmt.Println(out.Answer.Status, out.Answer.Content.Text())

	h.Replies = []sdktest.Reply{sdktest.Answers("deleted")}
	out = h.WrapToolCall(sdktest.Call("delete", map[string]any{"path": "/tmp/x"}))
	fmt.Println(out.Calls[0].SetArgs.Raw().JSON(), out.Answer.Content.Text())
	// Output:
	// error Only files in /tmp may be deleted.
	// {"dry_run":true} deleted
}

// report emits an event when a run is over.
type report struct{}

func (report) AfterAgent(c *sdk.Call) (*sdk.Update, error) {
	return nil, c.Emit("done", sdk.Map{{Key: "run", Value: sdk.String(c.Run())}}.Raw())
}

func ExampleAfterAgentHook() {
	h := host(report{}, sdk.Description{})
	out := h.AfterAgent()
	fmt.Println(out.Events[0].Name, out.Events[0].Data.JSON())
	// Output: done {"run":"run-1"}
}

// Note holds the arguments that the model passes to the tool "note". In a plugin, sdk/go/gen writes its methods.
type Note struct{ Text string }

func (n *Note) MarshalMsg(b []byte) ([]byte, error) {
	return wire.AppendString(wire.AppendString(wire.AppendMapHeader(b, 1), "text"), n.Text), nil
}

func (n *Note) UnmarshalMsg(b []byte) ([]byte, error) {
	var m sdk.Map
	rest, err := m.UnmarshalMsg(b)
	if err != nil {
		return b, err
	}
	return rest, sdk.DecodeString(&n.Text, "text", m.Get("text"))
}

func (*Note) JSONSchema() sdk.Raw {
	return sdk.Schema(map[string]any{
		"type": "object", "properties": map[string]any{"text": map[string]any{"type": "string"}}, "required": []any{"text"},
	})
}

// notes is a plugin whose tool stores notes.
type notes struct{ sdk.Tools }

func writeNote(c *sdk.ToolCall, note *Note) (string, error) {
	version, err := c.Store(sdk.ScopeThread).Put("note", sdk.String(note.Text))
	return fmt.Sprint("noted, version ", version), err
}

func ExampleTools() {
	tools := sdk.Tools{sdk.NewTool("note", "Writes a note.", writeNote)}
	h := host(notes{tools}, sdk.Description{
		Tools:        tools.Specs(),
		Capabilities: []sdk.Capability{{Op: sdk.OpKVPut, Reason: "to keep the notes of a conversation"}},
	})
	fmt.Println(h.Description().Tools[0].Parameters.JSON())
	out := h.Tool(sdktest.Call("note", map[string]any{"text": "buy milk"}))
	fmt.Println(out.Answer.Content.Text(), h.Stored(sdk.ScopeThread, "note").JSON())
	// Output:
	// {"properties":{"text":{"type":"string"}},"required":["text"],"type":"object"}
	// noted, version 1 "buy milk"
}
