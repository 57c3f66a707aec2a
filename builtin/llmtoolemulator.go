package builtin

import (
	"context"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model"
)

// LLMToolEmulator has a model make up the results of tools instead of running them. So you can try an agent before its
// tools exist, or without their effects. Tools that the agent does not have are emulated too.
//
// Arguments are not checked against the tool's parameters, and inner middleware never sees an emulated call. The tokens of
// the model count as the run's.
//
// Behaviour and prompt are those of LangChain's LLMToolEmulator, with the arguments as JSON. Without the key model it asks the
// agent's model, while LangChain asks a model of Anthropic.
type LLMToolEmulator struct {
	// Tools are the names of the tools to emulate. Not given: all. An empty list: none.
	Tools []string `yaml:"tools" strict:"optional"`
	// Model is the name of the agent's model that makes up the results; "": the agent's own. A model with a high temperature
	// varies more.
	Model string `yaml:"model"`
}

var llmToolEmulatorEntry = Entry{
	Name:    "llm_tool_emulator",
	Summary: "has a model make up the results of tools, in place of running them",
	Example: `- llm_tool_emulator:
    tools: [send_mail]
    model: small
`,
	Needs: needsSmallModel + "tools:\n" + needsMail,
	New:   func() host.Middleware { return &LLMToolEmulator{} },
}

const emulatorPrompt = `You are emulating a tool call for testing purposes.

Tool: %s
Description: %s
Arguments: %s

Generate a realistic response that this tool would return given these arguments.
Return ONLY the tool's output, no explanation or preamble. Introduce variation into your responses.`

// Name returns "llm_tool_emulator".
func (e LLMToolEmulator) Name() string { return "llm_tool_emulator" }

// Hooks finds the model.
func (e LLMToolEmulator) Hooks(_ context.Context, env host.Env) (*host.Hooks, error) {
	m := env.Model
	if e.Model != "" {
		var err error
		if m, err = modelOf(&env, "model", e.Model); err != nil {
			return nil, err
		}
	}
	if e.Tools != nil && len(e.Tools) == 0 {
		return &host.Hooks{}, nil
	}
	return &host.Hooks{WrapToolCall: host.WrapToolHook{Func: emulate(m), Tools: e.Tools}}, nil
}

// emulate returns the hook that asks a model for the result of a tool.
func emulate(m model.Model) host.WrapToolFunc {
	return func(
		ctx context.Context, rt *host.Runtime, req *host.ToolRequest, _ host.ToolHandler,
	) (*abi.Message, *host.Update, error) {
		description, args := "", "{}"
		if req.Known() {
			description = req.Tool.Spec().Description
		}
		if description == "" {
			description = "No description available"
		}
		if !req.Call.Args.IsNil() {
			args = req.Call.Args.JSON()
		}
		prompt := fmt.Sprintf(emulatorPrompt, req.Call.Name, description, args)
		resp, err := rt.Generate(ctx, m, &model.Request{Model: m, Messages: history.Of(abi.Human(prompt))})
		if err != nil {
			return nil, nil, err
		}
		answer := abi.ToolResult(req.Call, resp.AI().Content.Text())
		return &answer, nil, nil
	}
}
