package model

import "github.com/agenthost/agenthost/abi/wire"

// ProviderTool is a tool that the provider runs itself, such as its web search. Exactly one field is set.
type ProviderTool struct {
	Name       string   // [WebSearch] or [CodeExecution]; the model sends the provider's own definition of it
	Definition wire.Map // the provider's own definition, which is sent as it is
}

// The names of tools that several providers have.
const (
	WebSearch     = "web_search"     // searches the web
	CodeExecution = "code_execution" // runs code in a sandbox of the provider
	ToolSearch    = "tool_search"    // finds tools of the request whose extras have defer_loading
)

// ProviderToolUser is a model whose provider may run tools during a call. Nothing in the agent sees such a call before it happens, so no
// middleware can review or stop it.
type ProviderToolUser interface {
	Model
	// ProviderToolNames returns the names of these tools: those in the configuration, and those that the provider uses.
	ProviderToolNames() []string
}
