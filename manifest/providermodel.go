package manifest

import (
	"github.com/agenthost/agenthost/host/model/anthropic"
	"github.com/agenthost/agenthost/host/model/gemini"
	"github.com/agenthost/agenthost/host/model/openai"
)

// openaiModel returns a model of OpenAI's APIs, without a platform; as one that decides, whose Model chats.
func (e *providerEntry) openaiModel(lookup lookupFunc) *openai.Decisions {
	out := &openai.Decisions{Model: openai.Model{
		Name: e.name, BaseURL: e.baseURL, APIKeyEnv: e.keyFrom, LookupEnv: lookup, InFile: e.inFile, Settings: e.settings, Headers: e.headers,
		Profile: e.profile, Limits: e.limits, Network: e.network, DisableStreaming: e.wholeAnswers, ProviderTools: providerTools(e.tools),
		UsePreviousResponseID: e.continues, Background: e.background,
	}}
	if e.api != decisionsAPI {
		out.API = openai.API(e.api)
	}
	return out
}

// anthropicModel returns a model of Anthropic's API, without a platform.
func (e *providerEntry) anthropicModel(lookup lookupFunc) *anthropic.Model {
	return &anthropic.Model{
		Name: e.name, BaseURL: e.baseURL, APIKeyEnv: e.keyFrom, LookupEnv: lookup, InFile: e.inFile, Settings: e.settings, Headers: e.headers,
		Profile: e.profile, Limits: e.limits, Network: e.network, DisableStreaming: e.wholeAnswers, ProviderTools: providerTools(e.tools),
	}
}

// geminiModel returns a model of Gemini's API, without a platform.
func (e *providerEntry) geminiModel(lookup lookupFunc) *gemini.Model {
	return &gemini.Model{
		Name: e.name, BaseURL: e.baseURL, APIKeyEnv: e.keyFrom, LookupEnv: lookup, Settings: e.settings, Headers: e.headers,
		Profile: e.profile, Limits: e.limits, Network: e.network, DisableStreaming: e.wholeAnswers, ProviderTools: providerTools(e.tools),
	}
}
