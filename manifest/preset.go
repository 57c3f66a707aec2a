package manifest

import (
	"slices"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/openai"
)

// chatSettings are the settings of the Chat Completions API that most services have.
var chatSettings = map[string]settingType{
	"frequency_penalty": number, "logit_bias": mapping, "logprobs": boolean, "max_completion_tokens": positive, "max_tokens": positive,
	"parallel_tool_calls": boolean, "presence_penalty": number, "reasoning_effort": words, "seed": integer, "stop": wordsOrTexts,
	"stream_options": openaiStream, "temperature": number, "top_logprobs": integer, "top_p": number, "user": words,
}

// presetSettings are the settings that a service has in addition, or names differently.
var presetSettings = map[string]map[string]commonSetting{
	"mistralai":  {"seed": {integer, []string{"random_seed"}}},
	"openrouter": {"reasoning": {openrouterReasoning, []string{"reasoning"}}},
}

// withPresets adds the services with OpenAI's API to the providers.
func withPresets(kinds map[string]*providerKind) map[string]*providerKind {
	for _, preset := range openai.Presets() {
		if preset.Name == openai.Provider {
			continue
		}
		kinds[preset.Name] = presetKind(&preset)
		for _, alias := range preset.Aliases {
			kind := presetKind(&preset)
			kind.alias = true
			kinds[alias] = kind
		}
	}
	return kinds
}

func presetKind(p *openai.Preset) *providerKind {
	name := p.Name
	kind := &providerKind{key: p.KeyVariable, settings: map[string]settingType{}, common: presetSettings[name], info: p.Info, listed: listedPreset(p)}
	for setting, of := range chatSettings {
		if _, other := kind.common[setting]; !other && !slices.Contains(p.Without, setting) {
			kind.settings[setting] = of
		}
	}
	kind.build = func(e *providerEntry, lookup lookupFunc) model.Model {
		out := &e.openaiModel(lookup).Model
		out.Provider = name
		return out
	}
	return kind
}

// listedPreset says about a service what [Providers] does.
func listedPreset(p *openai.Preset) Provider {
	out := Provider{
		Title: p.Title, Aliases: p.Aliases, KeyOptional: p.KeyOptional || p.KeyVariable == "", BaseURLVariable: p.BaseURLVariable,
		BaseURLNeeded: p.BaseURL == "", Features: Features{
			Streaming: FeatureYes, Tools: FeatureYes, StructuredOutput: FeatureNo,
			Images: featureOf(p.Images), Files: featureOf(p.Files), Audio: featureOf(p.Audio),
			Video: FeatureNo, Thinking: FeatureSome, Caching: featureOf(p.Caching), ProviderTools: featureOf(p.ProviderTools),
		},
	}
	if p.JSONSchema {
		out.Features.StructuredOutput = FeatureSome
	}
	return out
}

func featureOf(s model.Support) Feature {
	return map[model.Support]Feature{model.SupportYes: FeatureYes, model.SupportNo: FeatureNo, model.SupportUnknown: FeatureSome}[s]
}
