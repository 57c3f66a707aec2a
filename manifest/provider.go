package manifest

import (
	"maps"
	"slices"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/anthropic"
	"github.com/agenthost/agenthost/host/model/azure"
	"github.com/agenthost/agenthost/host/model/bedrock"
	"github.com/agenthost/agenthost/host/model/gemini"
	"github.com/agenthost/agenthost/host/model/openai"
	"github.com/agenthost/agenthost/host/model/vertex"
)

// providers maps the names of a manifest to the providers that answer over the network.
var providers = withPresets(map[string]*providerKind{
	openai.Provider: {
		key: openai.APIKeyVariable,
		listed: Provider{Title: "OpenAI", BaseURLVariable: openai.BaseURLVariable, Features: Features{
			Streaming: FeatureYes, Tools: FeatureYes, StructuredOutput: FeatureYes, Images: FeatureYes, Files: FeatureYes, Audio: FeatureSome, Video: FeatureNo,
			Thinking: FeatureYes, Caching: FeatureYes, ProviderTools: FeatureYes,
		}},
		settings: map[string]settingType{
			"frequency_penalty": number, "include": texts, "logit_bias": mapping, "logprobs": boolean, "max_completion_tokens": positive,
			"max_output_tokens": positive, "max_tokens": positive, "max_tool_calls": positive, "metadata": mapping, "modalities": texts,
			"parallel_tool_calls": boolean, "prediction": mapping, "presence_penalty": number, "prompt_cache_key": words,
			"prompt_cache_retention": words, "reasoning": openaiReasoning, "reasoning_effort": words, "safety_identifier": words, "seed": integer,
			"service_tier": words, "stop": wordsOrTexts, "store": boolean, "stream_options": openaiStream, "temperature": number, "text": openaiText,
			"top_logprobs": integer, "top_p": number, "truncation": words, "user": words, "verbosity": words, "web_search_options": mapping,
		},
		build: func(e *providerEntry, lookup lookupFunc) model.Model {
			m := e.openaiModel(lookup)
			if e.api == decisionsAPI {
				return m
			}
			return &m.Model
		},
	},
	anthropic.Provider: {
		key: anthropic.APIKeyVariable,
		listed: Provider{Title: "Anthropic", BaseURLVariable: anthropic.BaseURLVariable, Features: Features{
			Streaming: FeatureYes, Tools: FeatureYes, StructuredOutput: FeatureYes, Images: FeatureYes, Files: FeatureYes, Audio: FeatureNo, Video: FeatureNo,
			Thinking: FeatureYes, Caching: FeatureYes, ProviderTools: FeatureYes,
		}},
		settings: map[string]settingType{
			"container": anything, "context_management": mapping, "inference_geo": words, "max_tokens": positive, "mcp_servers": list,
			"metadata": anthropicMetadata, "output_config": anthropicOutput, "service_tier": words, "stop_sequences": texts, "temperature": number,
			"thinking": anthropicThinking, "tool_choice": anthropicToolChoice, "tools": list, "top_k": integer, "top_p": number,
		},
		common: map[string]commonSetting{"stop": {texts, []string{"stop_sequences"}}},
		build: func(e *providerEntry, lookup lookupFunc) model.Model {
			return e.anthropicModel(lookup)
		},
	},
	gemini.Provider: {
		key: gemini.APIKeyVariable,
		listed: Provider{Title: "Gemini Developer API", KeyVariables: gemini.APIKeyVariables(), Features: Features{
			Streaming: FeatureYes, Tools: FeatureYes, StructuredOutput: FeatureYes, Images: FeatureYes, Files: FeatureYes, Audio: FeatureYes, Video: FeatureYes,
			Thinking: FeatureYes, Caching: FeatureYes, ProviderTools: FeatureYes,
		}},
		settings: map[string]settingType{
			"cachedContent": words, "generationConfig": geminiGeneration, "labels": mapping, "safetySettings": list, "serviceTier": words,
			"toolConfig": mapping, "tools": list,
		},
		common: map[string]commonSetting{
			"max_tokens": {positive, []string{"generationConfig", "maxOutputTokens"}}, "seed": {integer, []string{"generationConfig", "seed"}},
			"stop": {texts, []string{"generationConfig", "stopSequences"}}, "temperature": {number, []string{"generationConfig", "temperature"}},
			"top_k": {number, []string{"generationConfig", "topK"}}, "top_p": {number, []string{"generationConfig", "topP"}},
		},
		build: func(e *providerEntry, lookup lookupFunc) model.Model {
			return e.geminiModel(lookup)
		},
	},
	bedrock.Provider: bedrockKind, vertex.Provider: vertexKind, vertex.AnthropicProvider: anthropicVertexKind, azure.Provider: azureKind,
})

// providerKind holds the differences between providers.
type providerKind struct {
	key      string                   // the environment variable with the provider's own key, for messages
	settings map[string]settingType   // keys of a request that are allowed in addition to the keys of every model
	common   map[string]commonSetting // settings that providers name differently
	build    func(e *providerEntry, lookup lookupFunc) model.Model
	info     func(name string) model.Info // describes a model; nil: [model.Lookup] does
	alias    bool                         // the name that leads here is not the provider's first
	listed   Provider                     // what [Providers] says, without the name

	like  string   // the provider whose API and settings it has; "": its own
	cloud []string // the keys that only its models have: see cloudEntry
}

// providerNames returns the names of all providers.
func providerNames() []string {
	return slices.Sorted(slices.Values(append(slices.Collect(maps.Keys(providers)), "scripted")))
}
