package builtin_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
)

func profiledConfig(m model.Model, profiles map[string]builtin.ModelProfile) host.Config {
	ran := func(context.Context, struct{}) (string, error) { return "ran", nil }
	return host.Config{
		Model: m, SystemPrompt: abi.Text("Base"), Tools: []host.Tool{tool.Func("search", "Searches.", ran), tool.Func("calc", "Adds.", ran)},
		Middleware: []host.Middleware{builtin.HarnessProfile{Profiles: profiles}},
	}
}

var someProfiles = map[string]builtin.ModelProfile{
	"anthropic": {
		BaseSystemPrompt: "Of all.", SystemPromptSuffix: "Be quick.", ToolDescriptionOverrides: map[string]string{"search": "Looks.", "calc": "Sums."},
		ExcludedTools: []string{"search"},
	},
	"Anthropic:small":   {SystemPromptSuffix: "Be brief.", ToolDescriptionOverrides: map[string]string{"calc": "Counts."}},
	"google-genai:tiny": {ExcludedTools: []string{"search", "calc"}},
}

func TestHarnessProfile(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		info   model.Info
		system []string
		tools  map[string]string
	}{
		"a provider":       {model.Info{Provider: "anthropic", Name: "big"}, []string{"Base", "\n\nOf all.", "\n\nBe quick."}, map[string]string{"calc": "Sums."}},
		"a model":          {model.Info{Provider: "anthropic", Name: "small"}, []string{"Base", "\n\nOf all.", "\n\nBe brief."}, map[string]string{"calc": "Counts."}},
		"no tools":         {model.Info{Provider: "google_genai", Name: "tiny"}, []string{"Base"}, map[string]string{}},
		"another model":    {model.Info{Provider: "google_genai", Name: "large"}, []string{"Base"}, map[string]string{"search": "Searches.", "calc": "Adds."}},
		"another provider": {model.Info{Provider: "openai", Name: "small"}, []string{"Base"}, map[string]string{"search": "Searches.", "calc": "Adds."}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := &sighted{Model: scripted.NewTurns(scripted.Say("done")), info: test.info}
			_, err := try(t.Context(), t, profiledConfig(m, someProfiles))
			require.NoError(t, err)
			var system []string
			for _, block := range m.last.System.Blocks() {
				system = append(system, block.Text())
			}
			require.Equal(t, test.system, system)
			tools := map[string]string{}
			for _, spec := range m.last.Tools {
				tools[spec.Name] = spec.Description
			}
			require.Equal(t, test.tools, tools)
		})
	}
}

// A model that calls a tool which it was not offered gets an error, and one that was offered it gets its result.
func TestHarnessProfileAnswersCallsOfExcludedTools(t *testing.T) {
	t.Parallel()
	for provider, want := range map[string]string{"anthropic": "Error: search is not available.", "openai": "ran"} {
		m := &sighted{
			Model: scripted.NewTurns(scripted.CallTools(abi.Call("1", "search", nil), abi.Call("2", "calc", nil)), scripted.Say("done")),
			info:  model.Info{Provider: provider, Name: "m"},
		}
		out, err := try(t.Context(), t, profiledConfig(m, someProfiles))
		require.NoError(t, err)
		answer := out.result.Messages.At(2)
		require.Equal(t, want, answer.Content.Text())
		require.Equal(t, want != "ran", answer.Failed())
		require.Equal(t, "ran", out.result.Messages.At(3).Content.Text())
	}
}

func TestHarnessProfileRefuses(t *testing.T) {
	t.Parallel()
	for want, profiles := range map[string]map[string]builtin.ModelProfile{
		"profiles is missing":                           nil,
		`":x" is neither a provider nor PROVIDER:MODEL`: {":x": {}},
		`"x:" is neither a provider nor PROVIDER:MODEL`: {"x:": {}},
		"is the same as another key":                    {"google-genai": {}, "google_genai": {}},
		"serch":                                         {"openai": {ExcludedTools: []string{"serch"}}},
		"kalk":                                          {"openai": {ToolDescriptionOverrides: map[string]string{"kalk": "x"}}},
	} {
		_, err := host.New(profiledConfig(&scripted.Echo{}, profiles))
		require.ErrorContains(t, err, want)
	}
}

// A misspelt profile would silently do nothing.
func TestHarnessProfileWarnsOfMisspeltModels(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	config := profiledConfig(&sighted{Model: scripted.NewTurns(), info: model.Info{Provider: "anthropic", Name: "claude-haiku-4-5"}}, map[string]builtin.ModelProfile{
		"antrhopic": {}, "anthropic:claude-haiku-45": {}, "Anthropic:Claude-Haiku-4-5": {}, "anthropic": {}, "Google-GenAI:tiny": {}, "openai": {},
	})
	config.Models = map[string]model.Model{"small": &sighted{Model: scripted.NewTurns(), info: model.Info{Provider: "google_genai", Name: "Tiny"}}}
	config.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))
	agent, err := host.New(config)
	require.NoError(t, err)
	require.NoError(t, agent.Close())
	require.Equal(t, 2, strings.Count(log.String(), "fits none of the agent's models"), log.String())
	require.Contains(t, log.String(), `the profile \"antrhopic\" fits none of the agent's models; did you mean \"anthropic\"?`)
	require.Contains(t, log.String(), `the profile \"anthropic:claude-haiku-45\" fits none of the agent's models; did you mean \"anthropic:claude-haiku-4-5\"?`)
}

// The names of models are compared without regard to case.
func TestHarnessProfileIgnoresCase(t *testing.T) {
	t.Parallel()
	m := &sighted{Model: scripted.NewTurns(scripted.Say("done")), info: model.Info{Provider: "anthropic", Name: "claude"}}
	_, err := try(t.Context(), t, profiledConfig(m, map[string]builtin.ModelProfile{"Anthropic:Claude": {SystemPromptSuffix: "Be quick."}}))
	require.NoError(t, err)
	require.Equal(t, "Base\n\nBe quick.", m.last.System.Text())
}
