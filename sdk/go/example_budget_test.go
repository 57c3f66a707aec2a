package sdk_test

import (
	"fmt"
	"time"

	"github.com/agenthost/agenthost/abi"
	sdk "github.com/agenthost/agenthost/sdk/go"
	"github.com/agenthost/agenthost/sdk/go/sdktest"
)

// budget limits the tokens of each tenant and day, over all threads. The caller of a run names the tenant in its context.
type budget struct{ tokens uint64 }

func (b budget) WrapModelCall(c *sdk.ModelCall) (*sdk.ResponseChange, *sdk.Update, error) {
	tenant, ok := c.Context("tenant").AsString()
	if !ok {
		return nil, nil, &sdk.Error{Type: "tenant", Message: "the run has no tenant in its context"}
	}
	spent := sdk.Entry[uint64]{Scope: sdk.ScopePlugin, Key: tenant + "/" + c.Now().Format(time.DateOnly)}
	if used, err := spent.Get(c); err != nil || used >= b.tokens {
		return sdk.Respond(sdk.AI("The budget of tokens for today is used up. Please try again tomorrow.")), nil, err
	}
	reply, err := c.Next(nil)
	if err != nil {
		return nil, nil, err
	}
	_, err = spent.Update(c, func(used uint64) (uint64, error) { return used + reply.Usage().TotalTokens, nil })
	return nil, nil, err
}

func describeBudget() sdk.Description {
	const reason = "It keeps what each tenant has used."
	return sdk.Description{
		Name: "tenant-budget", Version: "1.0.0", Guards: true, Context: []string{"tenant"},
		Capabilities: []sdk.Capability{{Op: sdk.OpKVGet, Reason: reason, Required: true}, {Op: sdk.OpKVPut, Reason: reason, Required: true}},
		Hooks:        sdk.HookSpecs{WrapModelCall: &sdk.HookSpec{PassesTokens: true}},
	}
}

// A plugin that counts in its store, for all threads of a tenant.
func ExampleEntry() {
	h := host(budget{tokens: 1000}, describeBudget())
	h.Context = sdk.Map{{Key: "tenant", Value: sdk.String("acme")}}
	answer := sdk.AI("High at noon.")
	answer.Usage = &abi.Usage{TotalTokens: 700}
	h.Replies = []sdktest.Reply{sdktest.Says(answer), sdktest.Says(answer)}
	for range 3 {
		out := h.WrapModelCall(sdk.ModelRequest{})
		fmt.Println(out.Response[0].Content.Text(), h.Stored(sdk.ScopePlugin, "acme/2026-01-01").JSON())
	}
	// Output:
	// High at noon. 700
	// High at noon. 1400
	// The budget of tokens for today is used up. Please try again tomorrow. 1400
}
