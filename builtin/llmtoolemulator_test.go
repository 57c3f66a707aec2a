package builtin_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

func TestLLMToolEmulatorIsDecoded(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]builtin.LLMToolEmulator{
		"{}":                            {},
		"{tools: null}":                 {},
		"{tools: []}":                   {Tools: []string{}},
		"{tools: [search], model: big}": {Tools: []string{"search"}, Model: "big"},
	} {
		var emulator builtin.LLMToolEmulator
		require.NoError(t, strictyaml.Decode("agenthost.yaml", []byte(text), &emulator), text)
		require.Equal(t, want, emulator, text)
	}
}

// emulating is an agent whose model calls tools once. The tools are real, which runs, and strict, which needs a number; the
// model "small" makes up results.
func emulating(t *testing.T, small model.Model, middleware []host.Middleware, calls ...abi.ToolCall) *host.Agent {
	t.Helper()
	type number struct {
		N int `json:"n"`
	}
	agent, err := host.New(host.Config{
		Model: scripted.NewTurns(scripted.CallTools(calls...), scripted.Say("done")), Models: map[string]model.Model{"small": small},
		Middleware: middleware, Checkpointer: memory.New(), ToolCalls: host.ToolCallConfig{Parallel: 4},
		Tools: []host.Tool{
			tool.Func("real", "does it", func(context.Context, struct{}) (string, error) { return "really", nil }),
			tool.Func("strict", "", func(context.Context, number) (string, error) { return "strictly", nil }),
		},
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, agent.Close()) })
	return agent
}

func TestLLMToolEmulatorAnswers(t *testing.T) {
	t.Parallel()
	calls := []abi.ToolCall{
		abi.Call("1", "real", nil), abi.Call("2", "strict", map[string]any{"n": "no number"}), abi.Call("3", "ghost", nil),
	}
	for name, test := range map[string]struct {
		tools    []string
		emulated int
		want     []string
	}{
		"all":            {nil, 3, []string{"tool 1 made up", "tool 2 made up", "tool 3 made up"}},
		"none":           {[]string{}, 0, []string{"tool 1 really", "", ""}},
		"some":           {[]string{"strict"}, 1, []string{"tool 1 really", "tool 2 made up", ""}},
		"an unknown one": {[]string{"ghost", "nobody"}, 1, []string{"tool 1 really", "", "tool 3 made up"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			small := answering("made up")
			agent := emulating(t, small, []host.Middleware{builtin.LLMToolEmulator{Model: "small", Tools: test.tools}}, calls...)
			result, err := askOnce(t, agent)
			require.NoError(t, err)
			got := lines(result.Messages)
			require.Len(t, got, 6)
			for i, want := range test.want {
				if want != "" {
					require.Equal(t, want, got[2+i])
				} else {
					require.True(t, result.Messages.Entry(2+i).Message().Failed(), "not emulated, and cannot run")
				}
			}
			require.Len(t, small.requests, test.emulated)
		})
	}
}

func TestLLMToolEmulatorPrompt(t *testing.T) {
	t.Parallel()
	small := answering("made up")
	agent := emulating(t, small, []host.Middleware{builtin.LLMToolEmulator{Model: "small"}},
		abi.Call("1", "real", map[string]any{"b": 1, "a": "<x>"}), abi.ToolCall{ID: "2", Name: "strict"})
	_, err := askOnce(t, agent)
	require.NoError(t, err)
	prompts := []string{small.requests[0].Messages.At(0).Content.Text(), small.requests[1].Messages.At(0).Content.Text()}
	slices.Sort(prompts) // they run at once
	const end = "\n\nGenerate a realistic response that this tool would return given these arguments.\n" +
		"Return ONLY the tool's output, no explanation or preamble. Introduce variation into your responses."
	require.Equal(t, []string{
		"You are emulating a tool call for testing purposes.\n\nTool: real\nDescription: does it\nArguments: {\"a\":\"<x>\",\"b\":1}" + end,
		"You are emulating a tool call for testing purposes.\n\nTool: strict\nDescription: No description available\nArguments: {}" + end,
	}, prompts)
	require.Equal(t, 1, small.requests[0].Messages.Len())
	require.Empty(t, small.requests[0].Tools)
}

func TestLLMToolEmulatorErrors(t *testing.T) {
	t.Parallel()
	_, err := host.New(host.Config{Model: &scripted.Echo{}, Middleware: []host.Middleware{builtin.LLMToolEmulator{Model: "tiny"}}})
	require.ErrorContains(t, err, `model: there is no model "tiny"`)

	agent := emulating(t, &askedModel{err: errors.New("busy")}, []host.Middleware{builtin.LLMToolEmulator{Model: "small"}}, abi.Call("1", "real", nil))
	_, err = askOnce(t, agent)
	require.ErrorContains(t, err, "busy")
	var failed *host.ModelError
	require.ErrorAs(t, err, &failed)
}

// Without a model of its own it asks the agent's.
func TestLLMToolEmulatorAsksTheAgentsModel(t *testing.T) {
	t.Parallel()
	agent, err := host.New(host.Config{
		Model:      scripted.NewTurns(scripted.CallTools(abi.Call("1", "ghost", nil)), scripted.Say("made up"), scripted.Say("done")),
		Middleware: []host.Middleware{builtin.LLMToolEmulator{}},
	})
	require.NoError(t, err)
	closing(t, agent)
	result, err := agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("go")}})
	require.NoError(t, err)
	require.Equal(t, []string{"human go", "ai ghost:1", "tool 1 made up", "ai done"}, lines(result.Messages))
}

// A review and an error handler around it: what a human approves is emulated after the resume, and a model that fails is
// answered.
func TestLLMToolEmulatorWithOthersOverAnInterrupt(t *testing.T) {
	t.Parallel()
	small := answering("made up for ann@example.com")
	agent := emulating(t, small, []host.Middleware{
		builtin.ToolError{OnError: builtin.ToolErrorAnswer{Format: "{tool} failed: {message}"}},
		builtin.HumanInTheLoop{InterruptOn: map[string]builtin.ReviewPolicy{"real": builtin.AnyDecision()}},
		builtin.PII{PIIType: "email", ApplyToToolResults: true},
		builtin.LLMToolEmulator{Model: "small", Tools: []string{"real"}},
	}, abi.Call("1", "real", nil), abi.Call("2", "strict", map[string]any{"n": 1}), abi.Call("3", "real", nil))
	result, err := askOnce(t, agent)
	require.NoError(t, err)
	require.Equal(t, host.Interrupted, result.Status)
	require.Empty(t, small.requests)
	result, err = agent.Run(t.Context(), host.Input{Thread: "t", Resume: []host.Answer{{Value: builtin.Decisions{
		Decisions: []builtin.Decision{{Type: builtin.Approve}, {Type: builtin.Reject}},
	}}}})
	require.NoError(t, err)
	require.Len(t, small.requests, 1)
	got := lines(result.Messages)
	require.Contains(t, got, "tool 1 made up for [REDACTED_EMAIL]")
	require.Contains(t, got, "tool 2 strictly")
	require.Equal(t, "ai done", got[len(got)-1])

	failing := emulating(t, &askedModel{err: errors.New("busy")}, []host.Middleware{
		builtin.ToolError{OnError: builtin.ToolErrorAnswer{Format: "{tool} failed: {message}"}}, builtin.LLMToolEmulator{Model: "small"},
	}, abi.Call("1", "real", nil))
	result, err = askOnce(t, failing)
	require.NoError(t, err)
	require.Contains(t, result.Messages.At(2).Content.Text(), "real failed: ")
	require.True(t, result.Messages.Entry(2).Message().Failed())
}
