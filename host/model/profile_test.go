package model

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
)

func TestProfilesAreSortedWithoutDuplicates(t *testing.T) {
	t.Parallel()
	for i, row := range profiles[1:] {
		require.Negative(t, profiles[i].compare(row), "%s comes after %s", profiles[i].name, row.name)
	}
}

func TestProfilesArePlausible(t *testing.T) {
	t.Parallel()
	for _, row := range profiles {
		require.Contains(t, []string{"anthropic", "gemini", "openai"}, row.provider, row.name)
		require.NotContains(t, row.name, "/")
		require.GreaterOrEqual(t, row.input, 8_000, row.name)
		require.LessOrEqual(t, row.input, 2_000_000, row.name)
		require.GreaterOrEqual(t, row.output, 4_000, row.name)
		require.LessOrEqual(t, row.output, row.input, row.name)
		require.Less(t, int(row.does), int(logprobs)<<1, row.name)
		info := Lookup(row.provider, row.name)
		require.True(t, info.Files != SupportYes || info.Images == SupportYes, "%s takes files but no images", row.name)
		require.True(t, info.Logprobs != SupportYes || !info.Reasoning && row.provider == "openai", "%s gives log probabilities", row.name)
		require.True(t, !info.Caching || row.provider == "anthropic", "%s caches by itself", row.name)
	}
}

// A version of a model has the profile of the model, unless it has one of its own that says something else.
func TestProfilesHaveNoNeedlessRows(t *testing.T) {
	t.Parallel()
	for _, row := range profiles {
		if model, ok := findProfile(row.provider, version().ReplaceAllString(row.name, "")); ok && model.name != row.name {
			require.NotEqual(t, [3]int{model.input, model.output, int(model.does)},
				[3]int{row.input, row.output, int(row.does)}, row.name)
		}
	}
}

func TestLookup(t *testing.T) {
	t.Parallel()
	require.Equal(t, Info{
		Name: "gpt-5.2", Provider: "openai", MaxInputTokens: 272_000, MaxOutputTokens: 128_000,
		StructuredOutput: true, Reasoning: true, Images: SupportYes, Audio: SupportNo, Video: SupportNo, Files: SupportYes, Logprobs: SupportNo,
	}, Lookup("openai", "gpt-5.2"))
	require.Equal(t, Info{
		Name: "claude-3-5-haiku-latest", Provider: "anthropic", MaxInputTokens: 200_000, MaxOutputTokens: 8_192,
		Caching: true, Images: SupportYes, Audio: SupportNo, Video: SupportNo, Files: SupportYes, Logprobs: SupportNo,
	}, Lookup("anthropic", "claude-3-5-haiku-latest"))
	require.Equal(t, Info{
		Name: "gemma-4-31b-it", Provider: "gemini", MaxInputTokens: 262_144, MaxOutputTokens: 32_768,
		StructuredOutput: true, Reasoning: true, Images: SupportYes, Audio: SupportNo, Video: SupportNo, Files: SupportNo, Logprobs: SupportNo,
	}, Lookup("gemini", "gemma-4-31b-it"))
}

// A platform's model has the profile of its maker's model.
func TestLookupOfPlatforms(t *testing.T) {
	t.Parallel()
	for provider, names := range map[string][]string{
		"bedrock": {
			"anthropic.claude-sonnet-4-5-20250929-v1:0", "eu.anthropic.claude-sonnet-4-5-20250929-v1:0", "us-gov.anthropic.claude-sonnet-4-5-v1",
			"arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-sonnet-4-5-20250929-v1:0", "anthropic.claude-sonnet-4-5-v1:0:200k",
		},
		"google_anthropic_vertex": {"claude-sonnet-4-5", "claude-sonnet-4-5@20250929"},
		"google_vertexai":         {"gemini-2.5-flash", "gemini-2.5-flash-001"},
		"azure_openai":            {"gpt-4o"},
	} {
		for _, name := range names {
			got := Lookup(provider, name)
			require.Equal(t, provider, got.Provider)
			require.Equal(t, name, got.Name)
			require.Positive(t, got.MaxInputTokens, name)
		}
	}
	require.Zero(t, Lookup("bedrock", "arn:aws:bedrock:us-east-1:1:application-inference-profile/abc").MaxInputTokens)
}

func TestLookupFindsVersions(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ provider, name, row string }{
		{"anthropic", "claude-3-5-sonnet-latest", "claude-3-5-sonnet"},
		{"anthropic", "claude-fable-5-1", "claude-fable-5-1"},
		{"anthropic", "claude-haiku-4-5-20251001", "claude-haiku-4-5"},
		{"anthropic", "claude-opus-4-20250514", "claude-opus-4"},
		{"anthropic", "claude-opus-4-1-20250805", "claude-opus-4-1"},
		{"anthropic", "claude-sonnet-4-5@20250929", "claude-sonnet-4-5"},
		{"anthropic", "claude-sonnet-4-5:latest", "claude-sonnet-4-5"},
		{"gemini", "gemini-2.0-flash-001", "gemini-2.0-flash"},
		{"gemini", "gemini-2.5-flash-lite-preview-09-2025", "gemini-2.5-flash-lite"},
		{"gemini", "gemini-2.5-flash-preview-09-2025", "gemini-2.5-flash"},
		{"gemini", "gemini-3.1-flash-lite-preview", "gemini-3.1-flash-lite"},
		{"gemini", "gemini-flash-latest", "gemini-flash-latest"},
		{"gemini", "models/gemini-2.5-pro", "gemini-2.5-pro"},
		{"gemini", "models/gemini-2.5-pro-002", "gemini-2.5-pro"},
		{"openai", "gpt-4.1-2025-04-14", "gpt-4.1"},
		{"openai", "gpt-4o-2024-05-13", "gpt-4o-2024-05-13"},
		{"openai", "gpt-4o-2024-11-20", "gpt-4o"},
		{"openai", "gpt-5-2025-08-07", "gpt-5"},
		{"openai", "gpt-5-mini-2025-08-07", "gpt-5-mini"},
		{"openai", "gpt-5.2-2025-12-11", "gpt-5.2"},
		{"openai", "gpt-5.4-mini-2026-03-17", "gpt-5.4-mini"},
		{"openai", "o1-preview", "o1-preview"},
		{"openai", "o1-preview-2024-09-12", "o1-preview"},
	} {
		_, ok := findProfile(test.provider, test.row)
		require.True(t, ok, test.row)
		want := Lookup(test.provider, test.row)
		want.Name = test.name
		require.Equal(t, want, Lookup(test.provider, test.name))
	}
}

func TestLookupFindsNothingElse(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ provider, name string }{
		{"", ""},
		{"", "gpt-5"},
		{"anthropic", "claude"},
		{"anthropic", "claude-opus"},
		{"anthropic", "claude-opus-4-"},
		{"anthropic", "claude-opus-4-9"},
		{"anthropic", "gpt-5"},
		{"anthropic", "models/claude-opus-5"},
		{"gemini", "gemini-2.0-flash-live-001"},
		{"gemini", "gemini-2.5-flash-image"},
		{"gemini", "gemini-2.5-flash-preview-tts"},
		{"gemini", "gemini-2.5-pro-preview-tts"},
		{"gemini", "models/"},
		{"gemini", "models/models/gemini-2.5-pro"},
		{"mistral", "gpt-5"},
		{"openai", "-latest"},
		{"openai", "claude-opus-5"},
		{"openai", "gpt-4-0613"},
		{"openai", "gpt-4o-audio-preview"},
		{"openai", "gpt-4o-audio-preview-2024-12-17"},
		{"openai", "gpt-5-"},
		{"openai", "gpt-5-2025-08-07-2025-08-07"},
		{"openai", "gpt-5-2025-08-07-eu"},
		{"openai", "gpt-5-chat-latest"},
		{"openai", "gpt-5-whatever"},
		{"openai", "gpt-5.2.1"},
		{"openai", "models/gpt-5"},
		{"openai", "o1-mini"},
	} {
		require.Equal(t, Info{Name: test.name, Provider: test.provider}, Lookup(test.provider, test.name))
	}
}

func TestTakes(t *testing.T) {
	t.Parallel()
	info := Info{Images: SupportYes, ToolImages: SupportNo, Audio: SupportNo}
	require.Equal(t, SupportYes, info.Takes(abi.RoleHuman, abi.BlockImage))
	require.Equal(t, SupportNo, info.Takes(abi.RoleTool, abi.BlockImage))
	require.Equal(t, SupportNo, info.Takes(abi.RoleHuman, abi.BlockAudio))
	require.Equal(t, SupportUnknown, info.Takes(abi.RoleTool, abi.BlockFile))
	require.Equal(t, SupportUnknown, info.Takes(abi.RoleHuman, abi.BlockVideo))
	require.Equal(t, SupportYes, info.Takes(abi.RoleHuman, abi.BlockText))
	require.Equal(t, SupportNo, (&Info{Files: SupportNo}).Takes(abi.RoleTool, abi.BlockFile))
}
