// Command cache is an agenthost plugin that keeps the model's replies and the results of tools for a while, and answers equal
// requests with them. See README.md.
package main

import (
	"github.com/agenthost/agenthost/abi"
	sdk "github.com/agenthost/agenthost/sdk/go"
)

// cache is the plugin. It keeps nothing between calls but its configuration: what it caches is in its store.
type cache struct {
	model, tool policy
}

func init() {
	sdk.Register(&cache{}, description(&config{Model: true}))
}

func main() {}

// What the run has saved.
var (
	hits   = sdk.Field[int64]{Name: "cache_hits", Lifetime: sdk.LifetimeRun, Reducer: sdk.ReduceAdd, HideInput: true}
	misses = sdk.Field[int64]{Name: "cache_misses", Lifetime: sdk.LifetimeRun, Reducer: sdk.ReduceAdd, HideInput: true}
)

// description is what the plugin does with a configuration: with that of the zero value and tools it does all that it can.
func description(c *config) sdk.Description {
	return sdk.Description{
		Name: "cache", Version: "1.0.0", ConfigSchema: c.JSONSchema(),
		Fields: []sdk.FieldSpec{hits.Spec(), misses.Spec()},
		Capabilities: []sdk.Capability{
			{Op: abi.OpKVGet, Reason: "to find replies and results that it kept"},
			{Op: abi.OpKVPut, Reason: "to keep replies of the model and results of the tools that its configuration lists"},
			{Op: abi.OpKVList, Reason: "to find out which entries are the oldest when the store is full"},
			{Op: abi.OpKVDelete, Reason: "to remove the oldest entries when the store is full"},
		},
		Hooks: sdk.HookSpecs{
			WrapModelCall: &sdk.HookSpec{Messages: sdk.ViewAll(), PassesTokens: true},
			WrapToolCall:  &sdk.HookSpec{Tools: c.Tools},
		},
	}
}

// Configure takes the configuration, and drops hooks that have nothing to do.
func (p *cache) Configure(m sdk.Map) (*sdk.Description, error) {
	var c config
	if err := sdk.Decode(m, &c); err != nil {
		return nil, err
	}
	var err error
	if p.model, p.tool, err = c.policies(); err != nil {
		return nil, err
	}
	d := description(&c)
	if !c.Model {
		d.Hooks.WrapModelCall = nil
	}
	if len(c.Tools) == 0 {
		d.Hooks.WrapToolCall = nil
	}
	return &d, nil
}
