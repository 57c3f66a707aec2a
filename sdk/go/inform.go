package sdk

import "github.com/agenthost/agenthost/abi"

// What a hook or tool can learn about its run. All of this is new in version 1.1 of the ABI: with an older host, the error is [ErrNotFound], and there is no
// context.

// Context returns a value that the caller of the run gave it, such as the tenant. The Description lists the key in Context, and the operator grants it.
// It is a nil Raw if the caller gave none.
func (c *Call) Context(key string) Raw { return c.Input().Context.Get(key) }

// RunInfo returns which agent and run the hook belongs to, and the tokens that the run has used so far.
func (c *Call) RunInfo() (*RunInfo, error) { return ask[abi.RunInfo](c, abi.OpRunInfo, noQuery{}) }

// ModelInfo returns what the host knows about a configured model; "" means the request's model in WrapModelCall, and elsewhere the agent's.
// The error is [ErrNotFound] if there is no model of that name.
func (c *Call) ModelInfo(name string) (*ModelInfo, error) {
	return ask[abi.ModelInfo](c, abi.OpModelInfo, &abi.ModelQuery{Model: name})
}

// CountTokens counts the tokens of messages as the host's own limits do, for the model that ModelInfo("") describes.
func (c *Call) CountTokens(messages ...Message) (uint64, error) {
	count, err := ask[abi.TokenCount](c, abi.OpTokensCount, &abi.TokenQuery{Messages: messages})
	if err != nil {
		return 0, err
	}
	return count.Tokens, nil
}

// ToolSpecs returns the tools that the request offers, with their descriptions and parameters.
func (c *ModelCall) ToolSpecs() ([]ToolSpec, error) {
	list, err := ask[abi.ToolList](&c.Call, abi.OpToolsRead, noQuery{})
	if err != nil {
		return nil, err
	}
	return list.Tools, nil
}
