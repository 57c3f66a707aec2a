package anthropic

import (
	"net/http"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/internal/provider"
)

var _ model.ProviderToolUser = (*Model)(nil)

// providerTools are Anthropic's server tools: https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview.
var providerTools = provider.Tools{
	Named: map[string]object{
		model.WebSearch:     {"type": "web_search_20250305", "name": "web_search"},
		model.CodeExecution: {"type": "code_execution_20250825", "name": "code_execution"},
		model.ToolSearch:    {"type": "tool_search_tool_bm25_20251119", "name": "tool_search_tool_bm25"},
	},
	Local: func(definition object) bool {
		return definition["type"] == nil || provider.TypeHasPrefix(definition, "custom", "bash_", "computer_", "memory_", "text_editor_")
	},
	Names: provider.TypeAndName,
	Other: "; write any other tool as the provider defines it, such as {type: web_fetch_20250910, name: web_fetch}",
}

// betaHeader is the header that allows what is not generally available.
const betaHeader = "Anthropic-Beta"

// betaOf holds the value of betaHeader that a type of tool needs, as in langchain-anthropic 1.7.10.
var betaOf = map[string]string{
	"code_execution_20250522": "code-execution-2025-05-22", "code_execution_20250825": "code-execution-2025-08-25",
	"computer_20250124": "computer-use-2025-01-24", "computer_20251124": "computer-use-2025-11-24", "mcp_toolset": "mcp-client-2025-11-20",
	"memory_20250818": "context-management-2025-06-27", "tool_search_tool_bm25_20251119": "advanced-tool-use-2025-11-20",
	"tool_search_tool_regex_20251119": "advanced-tool-use-2025-11-20", "web_fetch_20250910": "web-fetch-2025-09-10",
}

// ProviderToolNames returns the names of the tools that Anthropic runs itself.
func (m *Model) ProviderToolNames() []string {
	return providerTools.AllNames(m.ProviderTools, m.Settings)
}

// betas returns the header of a request with these tools; nil if they need none but what the operator has set.
func (m *Model) betas(tools any) http.Header {
	all, _ := tools.([]object)
	var given []string
	for name, value := range m.Headers {
		if strings.EqualFold(name, betaHeader) {
			given = append(given, value)
		}
	}
	set := len(given)
	for _, tool := range all {
		beta := betaOf[typeOf(tool)]
		if beta != "" && !slices.ContainsFunc(given, func(value string) bool { return strings.Contains(value, beta) }) {
			given = append(given, beta)
		}
	}
	if len(given) == set {
		return nil
	}
	return http.Header{betaHeader: {strings.Join(given, ",")}}
}
