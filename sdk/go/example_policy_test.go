package sdk_test

import (
	"fmt"
	"strings"

	sdk "github.com/agenthost/agenthost/sdk/go"
	"github.com/agenthost/agenthost/sdk/go/sdktest"
)

// policy lets nobody delete files outside /tmp, and asks a person before it deletes one there or pays more than 100.
type policy struct{}

func (policy) WrapToolCall(c *sdk.ToolCall) (*sdk.Patch, *sdk.Update, error) {
	path, _ := c.Arg("path").AsString()
	sum, _ := c.Arg("sum").AsFloat()
	switch {
	case c.Name() == "delete" && !strings.HasPrefix(path, "/tmp/"):
		return sdk.Failure("Only files in /tmp may be deleted."), nil, nil
	case c.Name() == "delete":
		return sdk.Approval{Description: "Deletes a file."}.Wrap(c)
	case sum > 100:
		allowed := []sdk.DecisionType{sdk.DecisionApprove, sdk.DecisionReject}
		return sdk.Approval{Description: "Pays more than 100.", Allowed: allowed}.Wrap(c)
	}
	return nil, nil, nil
}

func describePolicy() sdk.Description {
	return sdk.Description{
		Name: "tool-policy", Version: "1.0.0", Guards: true,
		Hooks: sdk.HookSpecs{WrapToolCall: &sdk.HookSpec{Tools: []string{"delete", "pay"}}},
	}
}

// A plugin that refuses some calls of tools, and asks a person about others.
func ExampleApproval() {
	h := host(policy{}, describePolicy())
	fmt.Println(h.WrapToolCall(sdktest.Call("delete", map[string]any{"path": "/etc/passwd"})).Answer.Content.Text())

	pay := sdktest.Call("pay", map[string]any{"sum": 250})
	question := h.WrapToolCall(pay).Interrupts[0]
	fmt.Println(question.Value.JSON())
	h.Answers.Set(question.Key, sdk.Schema(map[string]any{"type": "reject", "message": "too much"}))
	fmt.Println(h.WrapToolCall(pay).Answer.Content.Text())
	// Output:
	// Only files in /tmp may be deleted.
	// {"allowed_decisions":["approve","reject"],"args":{"sum":250},"description":"Pays more than 100.","name":"pay","tool_call_id":"call-1","type":"tool_approval"}
	// User rejected the tool call for `pay` with reason: too much
}
