package model

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/internal/lazyregexp"
)

// Lookup describes a model of the provider "openai", "anthropic" or "gemini", or of a platform that serves these models, from a table
// that is built into agenthost. For a
// model that is not in the table it sets only Name and Provider; the caller may fill in the rest. The name may include a
// version, such as "gpt-5.2-2025-12-11" or "gemini-2.5-flash-001", and for Gemini may begin with "models/".
func Lookup(provider, name string) Info {
	info := Info{Name: name, Provider: provider}
	provider, name = made(provider, name)
	if provider == "gemini" {
		name = strings.TrimPrefix(name, "models/")
	}
	row, ok := findProfile(provider, name)
	if !ok {
		row, ok = findProfile(provider, version().ReplaceAllString(name, ""))
	}
	if !ok {
		return info
	}
	info.MaxInputTokens, info.MaxOutputTokens = row.input, row.output
	info.StructuredOutput = row.does&structured != 0
	info.Images, info.Files = SupportOf(row.does&images != 0), SupportOf(row.does&files != 0)
	info.Audio, info.Video = SupportOf(row.does&audio != 0), SupportOf(row.does&video != 0)
	info.Logprobs = SupportOf(row.does&logprobs != 0)
	info.Reasoning, info.Caching = row.does&reasoning != 0, row.does&caching != 0
	return info
}

// version matches the suffix that names a version of a model. Any other suffix names a different model: gpt-5-mini is not a
// version of gpt-5. No version suffix ends with another one, so there is only one way to cut it off.
var version = lazyregexp.New(`[-@:](20\d\d-\d\d-\d\d|20\d{6}|latest|preview(-\d\d-20\d\d)?|\d{3})$`)

// made returns the maker of a platform's model, and the maker's own name for the model.
func made(provider, name string) (maker, of string) {
	switch provider {
	case "bedrock":
		return "anthropic", bedrockVersion().ReplaceAllString(bedrockVendor().ReplaceAllString(name, ""), "")
	case "google_anthropic_vertex":
		return "anthropic", name
	case "google_vertexai":
		return "gemini", name
	case "azure_openai":
		return "openai", name // of the deployment, which often is the model's
	default:
		return provider, name
	}
}

// On Bedrock, eu.anthropic.claude-sonnet-4-5-20250929-v1:0 is Anthropic's claude-sonnet-4-5-20250929.
var (
	bedrockVendor  = lazyregexp.New(`^(arn:.*/)?([a-z-]+\.)?anthropic\.`)
	bedrockVersion = lazyregexp.New(`-v[0-9]+(:[0-9]+)?(:[0-9]+k)?$`)
)

func findProfile(provider, name string) (profile, bool) {
	i, ok := slices.BinarySearchFunc(profiles, profile{provider: provider, name: name}, profile.compare)
	if !ok {
		return profile{}, false
	}
	return profiles[i], true
}

type profile struct {
	provider, name string
	input, output  int // tokens
	does           abilities
}

func (p profile) compare(other profile) int {
	return cmp.Or(cmp.Compare(p.provider, other.provider), cmp.Compare(p.name, other.name))
}

type abilities uint8

const (
	images abilities = 1 << iota
	files
	audio
	video
	structured
	reasoning
	caching
	logprobs
)

// profiles is sorted by provider and name. The facts come from the public model profiles in LangChain's packages
// langchain-openai 1.7.4, langchain-anthropic 1.7.10 and langchain-google-genai 4.4.2 (read on 2026-11-22; they are
// generated from models.dev), and from earlier versions of these packages for models that they no longer list. The table
// deviates where models.dev of 2026-07-02 or the provider's documentation shows that they are wrong:
//   - OpenAI's models with 400,000 and 1,050,000 tokens, and gpt-5.3-codex-spark, reserve a part of the window for the output.
//     The table lists what remains for the input; for gpt-5.6 and later that is the difference.
//   - The gpt-5.N-chat-latest models have a smaller window of their own.
//   - Models that accept images also accept files, except gpt-4-turbo and Gemma.
//   - gpt-4o-2024-05-13 does not enforce schemas, and gpt-4-turbo-preview is a different model from gpt-4-turbo.
//   - Only Anthropic's models cache prompts on request, except claude-3-sonnet, which does not.
//   - OpenAI reports log probabilities only for models that do not reason. Those of other providers are not read.
var profiles = []profile{
	{"anthropic", "claude-3-5-haiku", 200_000, 8_192, images | files | caching},
	{"anthropic", "claude-3-5-sonnet", 200_000, 8_192, images | files | caching},
	{"anthropic", "claude-3-7-sonnet", 200_000, 64_000, images | files | reasoning | caching},
	{"anthropic", "claude-3-haiku", 200_000, 4_096, images | files | caching},
	{"anthropic", "claude-3-opus", 200_000, 4_096, images | files | caching},
	{"anthropic", "claude-3-sonnet", 200_000, 4_096, images | files},
	{"anthropic", "claude-fable-5", 1_000_000, 128_000, images | files | structured | reasoning | caching},
	{"anthropic", "claude-fable-5-1", 1_000_000, 128_000, images | files | structured | reasoning | caching},
	{"anthropic", "claude-haiku-4-5", 200_000, 64_000, images | files | structured | reasoning | caching},
	{"anthropic", "claude-haiku-5-5", 1_000_000, 128_000, images | files | reasoning | caching},
	{"anthropic", "claude-opus-4", 200_000, 32_000, images | files | reasoning | caching},
	{"anthropic", "claude-opus-4-0", 200_000, 32_000, images | files | reasoning | caching},
	{"anthropic", "claude-opus-4-1", 200_000, 32_000, images | files | structured | reasoning | caching},
	{"anthropic", "claude-opus-4-5", 200_000, 64_000, images | files | structured | reasoning | caching},
	{"anthropic", "claude-opus-4-6", 1_000_000, 128_000, images | files | structured | reasoning | caching},
	{"anthropic", "claude-opus-4-7", 1_000_000, 128_000, images | files | structured | reasoning | caching},
	{"anthropic", "claude-opus-4-8", 1_000_000, 128_000, images | files | structured | reasoning | caching},
	{"anthropic", "claude-opus-5", 1_000_000, 128_000, images | files | structured | reasoning | caching},
	{"anthropic", "claude-opus-5-5", 1_000_000, 128_000, images | files | structured | reasoning | caching},
	{"anthropic", "claude-sonnet-4", 200_000, 64_000, images | files | reasoning | caching},
	{"anthropic", "claude-sonnet-4-0", 200_000, 64_000, images | files | reasoning | caching},
	{"anthropic", "claude-sonnet-4-5", 200_000, 64_000, images | files | structured | reasoning | caching},
	{"anthropic", "claude-sonnet-4-6", 1_000_000, 128_000, images | files | structured | reasoning | caching},
	{"anthropic", "claude-sonnet-5", 1_000_000, 128_000, images | files | structured | reasoning | caching},
	{"anthropic", "claude-sonnet-5-5", 1_000_000, 128_000, images | files | structured | reasoning | caching},
	{"gemini", "gemini-2.0-flash", 1_048_576, 8_192, images | files | audio | video | structured},
	{"gemini", "gemini-2.0-flash-lite", 1_048_576, 8_192, images | files | audio | video | structured},
	{"gemini", "gemini-2.5-computer-use-preview-10-2025", 128_000, 64_000, images | files | reasoning},
	{"gemini", "gemini-2.5-flash", 1_048_576, 65_536, images | files | audio | video | structured | reasoning},
	{"gemini", "gemini-2.5-flash-lite", 1_048_576, 65_536, images | files | audio | video | structured | reasoning},
	{"gemini", "gemini-2.5-pro", 1_048_576, 65_536, images | files | audio | video | structured | reasoning},
	{"gemini", "gemini-3-flash-preview", 1_048_576, 65_536, images | files | audio | video | structured | reasoning},
	{"gemini", "gemini-3-pro-preview", 1_048_576, 65_536, images | files | audio | video | structured | reasoning},
	{"gemini", "gemini-3.1-flash-lite", 1_048_576, 65_536, images | files | audio | video | structured | reasoning},
	{"gemini", "gemini-3.1-pro-preview", 1_048_576, 65_536, images | files | audio | video | structured | reasoning},
	{"gemini", "gemini-3.1-pro-preview-customtools", 1_048_576, 65_536, images | files | audio | video | structured | reasoning},
	{"gemini", "gemini-3.5-flash", 1_048_576, 65_536, images | files | audio | video | structured | reasoning},
	{"gemini", "gemini-3.5-flash-lite", 1_048_576, 65_536, images | files | audio | video | structured | reasoning},
	{"gemini", "gemini-3.6-flash", 1_048_576, 65_536, images | files | audio | video | structured | reasoning},
	{"gemini", "gemini-3.7-flash", 1_048_576, 65_536, images | files | audio | video | structured | reasoning},
	{"gemini", "gemini-3.8-flash", 1_048_576, 65_536, images | files | audio | video | structured | reasoning},
	{"gemini", "gemini-4-argon", 1_048_576, 65_536, images | files | audio | video | structured | reasoning},
	{"gemini", "gemini-flash-latest", 1_048_576, 65_536, images | files | audio | video | structured | reasoning},
	{"gemini", "gemini-flash-lite-latest", 1_048_576, 65_536, images | files | audio | video | structured | reasoning},
	{"gemini", "gemini-robotics-er-1.6-preview", 131_072, 65_536, images | files | audio | video | structured | reasoning},
	{"gemini", "gemma-4-26b-a4b-it", 262_144, 32_768, images | structured | reasoning},
	{"gemini", "gemma-4-31b-it", 262_144, 32_768, images | structured | reasoning},
	{"openai", "codex-mini-latest", 200_000, 100_000, reasoning},
	{"openai", "gpt-3.5-turbo", 16_385, 4_096, logprobs},
	{"openai", "gpt-4", 8_192, 8_192, logprobs},
	{"openai", "gpt-4-turbo", 128_000, 4_096, images | logprobs},
	{"openai", "gpt-4-turbo-preview", 128_000, 4_096, logprobs},
	{"openai", "gpt-4.1", 1_047_576, 32_768, images | files | structured | logprobs},
	{"openai", "gpt-4.1-mini", 1_047_576, 32_768, images | files | structured | logprobs},
	{"openai", "gpt-4.1-nano", 1_047_576, 32_768, images | files | structured | logprobs},
	{"openai", "gpt-4o", 128_000, 16_384, images | files | structured | logprobs},
	{"openai", "gpt-4o-2024-05-13", 128_000, 4_096, images | files | logprobs},
	{"openai", "gpt-4o-mini", 128_000, 16_384, images | files | structured | logprobs},
	{"openai", "gpt-5", 272_000, 128_000, images | files | structured | reasoning},
	{"openai", "gpt-5-codex", 272_000, 128_000, images | files | structured | reasoning},
	{"openai", "gpt-5-mini", 272_000, 128_000, images | files | structured | reasoning},
	{"openai", "gpt-5-nano", 272_000, 128_000, images | files | structured | reasoning},
	{"openai", "gpt-5-pro", 272_000, 272_000, images | files | structured | reasoning},
	{"openai", "gpt-5.1", 272_000, 128_000, images | files | structured | reasoning},
	{"openai", "gpt-5.1-chat-latest", 128_000, 16_384, images | files | structured | reasoning},
	{"openai", "gpt-5.1-codex", 272_000, 128_000, images | files | structured | reasoning},
	{"openai", "gpt-5.1-codex-max", 272_000, 128_000, images | files | structured | reasoning},
	{"openai", "gpt-5.1-codex-mini", 272_000, 128_000, images | files | structured | reasoning},
	{"openai", "gpt-5.2", 272_000, 128_000, images | files | structured | reasoning},
	{"openai", "gpt-5.2-chat-latest", 128_000, 16_384, images | files | structured | reasoning},
	{"openai", "gpt-5.2-codex", 272_000, 128_000, images | files | structured | reasoning},
	{"openai", "gpt-5.2-pro", 272_000, 128_000, images | files | reasoning},
	{"openai", "gpt-5.3-chat-latest", 128_000, 16_384, images | files | structured},
	{"openai", "gpt-5.3-codex", 272_000, 128_000, images | files | structured | reasoning},
	{"openai", "gpt-5.3-codex-spark", 100_000, 32_000, images | files | structured | reasoning},
	{"openai", "gpt-5.4", 922_000, 128_000, images | files | structured | reasoning},
	{"openai", "gpt-5.4-mini", 272_000, 128_000, images | files | structured | reasoning},
	{"openai", "gpt-5.4-nano", 272_000, 128_000, images | files | structured | reasoning},
	{"openai", "gpt-5.4-pro", 922_000, 128_000, images | files | reasoning},
	{"openai", "gpt-5.5", 922_000, 128_000, images | files | structured | reasoning},
	{"openai", "gpt-5.5-pro", 922_000, 128_000, images | files | structured | reasoning},
	{"openai", "gpt-5.6", 922_000, 128_000, images | files | structured | reasoning},
	{"openai", "gpt-5.6-luna", 922_000, 128_000, images | files | structured | reasoning},
	{"openai", "gpt-5.6-sol", 922_000, 128_000, images | files | structured | reasoning},
	{"openai", "gpt-5.6-terra", 922_000, 128_000, images | files | structured | reasoning},
	{"openai", "gpt-6-astra", 922_000, 128_000, images | files | structured | reasoning},
	{"openai", "gpt-6-luna", 922_000, 128_000, images | files | structured | reasoning},
	{"openai", "gpt-6-sol", 922_000, 128_000, images | files | structured | reasoning},
	{"openai", "gpt-6.1-sol", 922_000, 128_000, images | files | structured | reasoning},
	{"openai", "gpt-6.1-terra", 922_000, 128_000, images | files | structured | reasoning},
	{"openai", "gpt-daybreak-blue-latest", 922_000, 128_000, images | files | structured | reasoning},
	{"openai", "gpt-daybreak-red-latest", 272_000, 128_000, images | files | structured | reasoning},
	{"openai", "o1", 200_000, 100_000, images | files | structured | reasoning},
	{"openai", "o1-preview", 128_000, 32_768, reasoning},
	{"openai", "o1-pro", 200_000, 100_000, images | files | structured | reasoning},
	{"openai", "o3", 200_000, 100_000, images | files | structured | reasoning},
	{"openai", "o3-deep-research", 200_000, 100_000, images | files | reasoning},
	{"openai", "o3-mini", 200_000, 100_000, structured | reasoning},
	{"openai", "o3-pro", 200_000, 100_000, images | files | structured | reasoning},
	{"openai", "o4-mini", 200_000, 100_000, images | files | structured | reasoning},
	{"openai", "o4-mini-deep-research", 200_000, 100_000, images | files | reasoning},
}
