package sdk_test

import (
	"fmt"
	"slices"
	"strings"

	sdk "github.com/agenthost/agenthost/sdk/go"
	"github.com/agenthost/agenthost/sdk/go/sdktest"
	"github.com/agenthost/agenthost/sdk/go/sha256"
)

// similar answers a question as it answered an earlier one with the same words, in any order and case.
type similar struct{}

func (similar) WrapModelCall(c *sdk.ModelCall) (*sdk.ResponseChange, *sdk.Update, error) {
	messages := c.Messages()
	if len(messages) == 0 || messages[0].Role != sdk.RoleHuman {
		return nil, nil, nil
	}
	words := strings.Fields(strings.ToLower(messages[0].Content.Text()))
	slices.Sort(words)
	kept := sdk.Entry[string]{Scope: sdk.ScopePlugin, Key: sha256.Hex(strings.Join(slices.Compact(words), " "))}
	if text, err := kept.Get(c); err != nil || text != "" {
		return sdk.Respond(sdk.AI(text)), nil, err
	}
	reply, err := c.Next(nil)
	if err == nil && reply.Text() != "" && len(reply.Answer().ToolCalls) == 0 {
		err = kept.Put(c, reply.Text())
	}
	return nil, nil, err
}

func describeSimilar() sdk.Description {
	const reason = "It keeps answers."
	return sdk.Description{
		Name: "similar", Version: "1.0.0",
		Capabilities: []sdk.Capability{{Op: sdk.OpKVGet, Reason: reason}, {Op: sdk.OpKVPut, Reason: reason}},
		Hooks:        sdk.HookSpecs{WrapModelCall: &sdk.HookSpec{Messages: sdk.ViewLast(1), PassesTokens: true}},
	}
}

// A plugin that keeps the model's answers.
func ExampleModelCall() {
	h := host(similar{}, describeSimilar())
	h.Replies = []sdktest.Reply{sdktest.Says(sdk.AI("At noon."))}
	for _, question := range []string{"When is high tide?", "when is HIGH tide?"} {
		h.Messages = nil
		h.Say(sdk.Human(question))
		out := h.WrapModelCall(sdk.ModelRequest{})
		fmt.Println(out.Response[0].Content.Text(), len(out.Requests))
	}
	// Output:
	// At noon. 1
	// At noon. 0
}
