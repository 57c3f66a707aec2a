package builtin_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
)

// A human changes the receiver of one mail and stops another.
func ExampleHumanInTheLoop() {
	type mail struct {
		To string `json:"to"`
	}
	agent, err := host.New(host.Config{
		Model: scripted.NewTurns(
			scripted.CallTools(
				abi.Call("1", "send_mail", map[string]any{"to": "all"}), abi.Call("2", "send_mail", map[string]any{"to": "boss"}),
			),
			scripted.Say("I have written to Ann."),
		),
		Tools: []host.Tool{tool.Func("send_mail", "", func(_ context.Context, m mail) (string, error) { return "sent to " + m.To, nil })},
		Middleware: []host.Middleware{builtin.HumanInTheLoop{
			InterruptOn: map[string]builtin.ReviewPolicy{"send_mail": builtin.AnyDecision()}, EditNotice: new("Edited by a human."),
		}},
		Checkpointer: memory.New(),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer agent.Close()
	ctx := context.Background()
	result, err := agent.Run(ctx, host.Input{Thread: "t", Messages: []abi.Message{abi.Human("Tell them.")}})
	if err != nil {
		fmt.Println(err)
		return
	}
	var request builtin.ReviewRequest
	if err := host.Decode(result.Interrupts[0].Value, &request); err != nil {
		fmt.Println(err)
		return
	}
	for _, action := range request.ActionRequests {
		fmt.Println(action.Name, action.Args)
	}

	result, err = agent.Run(ctx, host.Input{Thread: "t", Resume: []host.Answer{{Value: builtin.Decisions{Decisions: []builtin.Decision{
		{Type: builtin.Edit, EditedAction: &builtin.Action{Name: "send_mail", Args: map[string]any{"to": "ann"}}},
		{Type: builtin.Reject, Message: "not today"},
	}}}}})
	for _, m := range result.Messages.All() {
		fmt.Printf("%s: %q\n", m.Role, m.Content.Text())
	}
	fmt.Println(err)
	// Output:
	// send_mail map[to:all]
	// send_mail map[to:boss]
	// human: "Tell them."
	// ai: ""
	// tool: "User rejected the tool call for `send_mail` with reason: not today"
	// tool: "Edited by a human. Executed instead: send_mail with arguments {\"to\":\"ann\"}.\n\nTool response:\nsent to ann"
	// ai: "I have written to Ann."
	// <nil>
}

func ExampleModelCallLimit() {
	runLimit := 3
	agent, err := host.New(host.Config{
		Model: &scripted.Turns{
			Script: []scripted.Turn{scripted.CallTools(abi.Call("1", "search", nil))}, AfterEnd: scripted.EndRepeat,
		},
		Tools:      []host.Tool{tool.Func("search", "", func(context.Context, struct{}) (string, error) { return "nothing", nil })},
		Middleware: []host.Middleware{builtin.ModelCallLimit{RunLimit: &runLimit}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer agent.Close()
	result, err := agent.Run(context.Background(), host.Input{Messages: []abi.Message{abi.Human("Search for ever.")}})
	fmt.Println(result.Text(), err)
	// Output: Model call limits exceeded: run limit (3/3) <nil>
}

func ExampleToolCallLimit() {
	agent, err := host.New(host.Config{
		Model: scripted.NewTurns(
			scripted.CallTools(abi.Call("1", "search", nil), abi.Call("2", "search", nil)), scripted.Say("I found something."),
		),
		Tools:      []host.Tool{tool.Func("search", "", func(context.Context, struct{}) (string, error) { return "something", nil })},
		Middleware: []host.Middleware{builtin.ToolCallLimit{ToolName: "search", RunLimit: new(1)}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer agent.Close()
	result, err := agent.Run(context.Background(), host.Input{})
	for _, m := range result.Messages.All() {
		fmt.Printf("%s: %q\n", m.Role, m.Content.Text())
	}
	fmt.Println(err)
	// Output:
	// ai: ""
	// tool: "Tool call limit exceeded. Do not call 'search' again."
	// tool: "something"
	// ai: "I found something."
	// <nil>
}

func ExamplePatchToolCalls() {
	agent, err := host.New(host.Config{
		Model:      scripted.NewTurns(scripted.Say("Fine.")),
		Middleware: []host.Middleware{builtin.PatchToolCalls{Content: "{tool} was cancelled."}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer agent.Close()
	result, err := agent.Run(context.Background(), host.Input{Messages: []abi.Message{
		abi.Human("Write to Ann."), abi.AI("", abi.Call("1", "mail", nil)), abi.Human("Never mind."),
	}})
	for _, m := range result.Messages.All() {
		fmt.Printf("%s: %q\n", m.Role, m.Content.Text())
	}
	fmt.Println(err)
	// Output:
	// human: "Write to Ann."
	// ai: ""
	// tool: "mail was cancelled."
	// human: "Never mind."
	// ai: "Fine."
	// <nil>
}

func ExampleToolError() {
	agent, err := host.New(host.Config{
		Model: scripted.NewTurns(scripted.CallTools(abi.Call("1", "search", nil)), scripted.Say("I cannot search now.")),
		Tools: []host.Tool{tool.Func("search", "", func(context.Context, struct{}) (string, error) {
			return "", errors.New("no connection")
		})},
		Middleware: []host.Middleware{builtin.ToolError{OnError: builtin.ToolErrorAnswer{Format: "{tool} failed: {message}"}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer agent.Close()
	result, err := agent.Run(context.Background(), host.Input{})
	for _, m := range result.Messages.All() {
		fmt.Printf("%s: %q\n", m.Role, m.Content.Text())
	}
	fmt.Println(err)
	// Output:
	// ai: ""
	// tool: "search failed: no connection"
	// ai: "I cannot search now."
	// <nil>
}
