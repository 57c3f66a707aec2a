package openai

import (
	"slices"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/internal/provider"
)

var _ model.ProviderToolUser = (*Model)(nil)

// responsesTools are the tools of the Responses API: https://platform.openai.com/docs/guides/tools.
var responsesTools = provider.Tools{
	Named: map[string]object{
		model.WebSearch:     {"type": "web_search"},
		model.CodeExecution: {"type": "code_interpreter", "container": object{"type": "auto"}},
		model.ToolSearch:    {"type": "tool_search"},
	},
	Local: isLocal, Names: provider.TypeAndName,
	Other: "; write any other tool as the provider defines it, such as {type: file_search, vector_store_ids: [ID]}",
}

// chatTools are the tools of Chat Completions: none but those of compatible servers.
var chatTools = provider.Tools{
	Local: isLocal, Names: provider.TypeAndName,
	Other: " in Chat Completions; use api: responses, or write the tool as the server defines it, such as {type: NAME}",
}

// isLocal reports whether the agent would have to run a tool.
func isLocal(definition object) bool {
	return definition["type"] == nil || provider.TypeHasPrefix(definition, "function", "custom", "computer", "local_shell", "apply_patch")
}

func (m *Model) providerTools() *provider.Tools {
	if m.API == Responses {
		return &responsesTools
	}
	return &chatTools
}

// ProviderToolNames returns the names of the tools that OpenAI, or the server, runs itself.
func (m *Model) ProviderToolNames() []string {
	return m.providerTools().AllNames(m.ProviderTools, m.Settings)
}

// addProviderTools adds the tools that the provider runs, those of the model and more, to those of the agent.
func (m *Model) addProviderTools(tools []object, more []model.ProviderTool) ([]object, error) {
	own, err := m.providerTools().Definitions(m.provider(), slices.Concat(m.ProviderTools, more))
	return append(tools, own...), err
}
