package builtin_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
)

// Pairs that are known to belong the other way round are told of, with the reason; the right way is not.
func TestAdviceOnOrder(t *testing.T) {
	t.Parallel()
	summary := builtin.Summarization{Model: "small", Trigger: builtin.ContextTriggers{{Messages: new(50)}}}
	caching := builtin.AnthropicPromptCaching{UnsupportedModelBehavior: "ignore"}
	for name, test := range map[string]struct {
		inner, outer host.Middleware // as they should stand: outer first
		says         string
	}{
		"summarization and caching": {
			caching, summary, `middleware "summarization" should stand outside of "anthropic_prompt_caching": middleware that changes the conversation invalidates the cache`,
		},
		"context editing and caching": {
			caching, builtin.ContextEditing{}, `middleware "context_editing" should stand outside of "anthropic_prompt_caching": middleware that changes the conversation invalidates the cache`,
		},
		"limit and retry of models": {
			builtin.ModelRetry{},
			builtin.ModelCallLimit{RunLimit: new(3)},
			`middleware "model_call_limit" should stand outside of "model_retry": inside of a retry it looks as if it counted attempts`,
		},
		"limit and retry of tools": {
			builtin.ToolRetry{},
			builtin.ToolCallLimit{ToolName: "work", RunLimit: new(3)},
			`middleware "tool_call_limit[work]" should stand outside of "tool_retry": inside of a retry`,
		},
		"retry and errors of tools": {
			builtin.ToolRetry{},
			builtin.ToolError{OnError: builtin.ToolErrorAnswer{Format: "{message}"}},
			`middleware "tool_retry" should stand inside of "tool_error"`,
		},
		"redaction and summaries": {
			summary, builtin.PII{PIIType: "email"}, `middleware "summarization" should stand inside of "pii[email]"`,
		},
		"an editor and profiles": {
			builtin.ClaudeTextEditor{},
			builtin.HarnessProfile{Profiles: map[string]builtin.ModelProfile{"anthropic": {}}},
			`middleware "claude_text_editor" should stand inside of "harness_profile": otherwise its tool is already one of the provider's`,
		},
		"a memory and skills": {
			builtin.ClaudeMemory{}, builtin.Skills{Sources: skillSources("/skills")}, `middleware "claude_memory" should stand inside of "skills"`,
		},
		"an editor and a selection of tools": {
			builtin.ClaudeTextEditor{}, builtin.LLMToolSelector{}, `middleware "claude_text_editor" should stand inside of "llm_tool_selector"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			advice := func(list ...host.Middleware) []string {
				agent, err := host.New(host.Config{
					Model: &scripted.Echo{}, Models: map[string]model.Model{"small": &scripted.Echo{}}, Middleware: list,
					Tools: []host.Tool{tool.Func("work", "", func(context.Context, struct{}) (string, error) { return "", nil })},
				})
				require.NoError(t, err)
				defer func() { require.NoError(t, agent.Close()) }()
				return agent.Layout().Advice
			}
			require.Empty(t, advice(test.outer, test.inner))
			wrong := advice(test.inner, test.outer)
			require.Len(t, wrong, 1)
			require.Contains(t, wrong[0], test.says)
		})
	}
}
