package catalog_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/builtin"
)

// publicNames are the names that the reference's packages export: __all__ of langchain.agents, langchain.agents.middleware and
// langchain.tools 1.5.0, deepagents, its middleware, backends and profiles 0.7.32, langchain_anthropic.middleware 1.7.10,
// langchain_openai.middleware 1.7.4 and langchain_core.decisions 1.8.2; and the classes of langchain.agents.structured_output.
const publicNames = `
AgentState create_agent AgentMiddleware AutoModeMiddleware ClearToolUsesEdit CodexSandboxExecutionPolicy ContextEditingMiddleware
DockerExecutionPolicy ExtendedModelResponse FilesystemFileSearchMiddleware HostExecutionPolicy HumanInTheLoopMiddleware InputAgentState
InterruptOnConfig LLMToolEmulator LLMToolSelectorMiddleware ModelCallLimitMiddleware ModelCallResult ModelChoice ModelFallbackMiddleware
ModelRefusalMiddleware ModelRequest ModelResponse ModelRetryMiddleware ModelRouterMiddleware OutputAgentState PIIDetectionError PIIMatch
PIIMiddleware ProviderToolSearchMiddleware RedactionRule Runtime ShellToolMiddleware SummarizationMiddleware TodoListMiddleware
ToolCallLimitMiddleware ToolCallRequest ToolErrorMiddleware ToolRetryMiddleware TracePolicy TriggerClause after_agent after_model
before_agent before_model configure_trace_policy dynamic_prompt hook_config omit_payload wrap_model_call wrap_tool_call
StructuredOutputError MultipleStructuredOutputsError StructuredOutputValidationError ToolStrategy ProviderStrategy OutputToolBinding
ProviderStrategyBinding AutoStrategy
BaseTool InjectedState InjectedStore InjectedToolArg InjectedToolCallId ToolException ToolRuntime tool
AnthropicPromptCachingMiddleware ClaudeBashToolMiddleware FilesystemClaudeMemoryMiddleware FilesystemClaudeTextEditorMiddleware
StateClaudeMemoryMiddleware StateClaudeTextEditorMiddleware StateFileSearchMiddleware
ModelRoute OpenAIAutoModeMiddleware OpenAIModelRouterMiddleware OpenAIModerationError OpenAIModerationMiddleware
AsyncSubAgent AsyncSubAgentMiddleware CompiledSubAgent DeepAgentState FilesystemMiddleware FilesystemPermission FsToolName
GeneralPurposeSubagentProfile HarnessProfile HarnessProfileConfig MemoryMiddleware ProviderProfile RubricMiddleware SubAgent
SubAgentMiddleware create_deep_agent register_harness_profile register_provider_profile
DEEPAGENTS_DEFAULT_SUMMARY_PROMPT GRADER_SYSTEM_PROMPT RUBRIC_GRADER_MESSAGE_SOURCE CriterionEval CriterionFail CriterionPass
GraderResponse GraderVerdict RubricEvaluation RubricResult RubricState SkillMetadata SkillToolResolver SkillsMiddleware SkillsState
SummarizationToolMiddleware TaskEvent UnsupportedContentMiddleware create_summarization_tool_middleware
DEFAULT_EXECUTE_TIMEOUT BackendProtocol CompositeBackend ContextHubBackend FilesystemBackend LangSmithSandbox LocalShellBackend
NamespaceFactory StateBackend StoreBackend
Answer BaseDecisionModel Box BoxAnswer BoxCoordinates Choice ChoiceAnswer ClassifierRequest ClassifierResponse Content Noul NoulAnswer
NoulCriteria Question Score ScoreAnswer State`

// The table lists every public name of the reference, with its place here or the reason for its absence, and every middleware of
// this project.
func TestEveryClassHasItsPlace(t *testing.T) {
	t.Parallel()
	document, err := os.ReadFile("classes.md")
	require.NoError(t, err)
	theirs, ours := map[string]bool{}, ""
	for line := range strings.Lines(string(document)) {
		cells := strings.Split(line, "|")
		if len(cells) != 4 {
			continue
		}
		require.NotEmpty(t, strings.TrimSpace(cells[2]), line)
		require.NotEqual(t, "none", strings.TrimSpace(cells[2]), "a reason is missing: %s", line)
		for i, name := range strings.Split(cells[1], "`") {
			if i%2 == 1 {
				require.False(t, theirs[name], "%s appears twice", name)
				theirs[name] = true
			}
		}
		ours += cells[2]
	}
	all := strings.Fields(publicNames)
	for _, name := range all {
		require.True(t, theirs[name], "%s is missing", name)
	}
	for name := range theirs {
		require.True(t, slices.Contains(all, name), "%s is not a public name", name)
	}
	for _, entry := range builtin.Registry() {
		require.Contains(t, ours, "(#"+entry.Name+")")
	}
}
