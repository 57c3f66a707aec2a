package openai

import (
	"slices"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/internal/provider"
)

// Preset describes a service with OpenAI's Chat Completions API, and how it differs from OpenAI. [Model.Provider] names it. All of them
// stream, and take tools and a system prompt with the role "system".
type Preset struct {
	Name    string   // of the provider in a manifest, as LangChain's init_chat_model has it
	Aliases []string // other names for it
	Title   string   // its name for people

	BaseURL         string // of the service, or the usual one of a local server; "": it must be configured
	BaseURLVariable string // the environment variable with another address; "": there is none
	KeyVariable     string // the environment variable with the key; "": the server needs none
	KeyOptional     bool   // the server may have no key

	Start string // the command that starts the server, if people run it themselves, with MODEL for the name of the model; "": they do not
	Load  string // the command that loads a model into the server, with MODEL for its name; "": there is none

	MaxTokens         string   // the field for the limit of output tokens; "": as the setting says
	ToolChoiceAny     string   // the tool choice that requires a call; "": "required", as at OpenAI
	JSONSchema        bool     // it takes a response_format of the type json_schema, at least with some models
	StreamUsage       bool     // it takes stream_options, and without them sends no token counts in a stream
	ParallelToolCalls bool     // it takes the setting parallel_tool_calls
	UserNames         bool     // it takes the name of a user's message
	ShortCallIDs      bool     // it only takes ids of calls with 9 letters and digits
	Reasoning         string   // the field in which it sends a model's reasoning
	Without           []string // settings of OpenAI that it refuses or ignores

	// What it takes, where that does not depend on the model.
	Images, ToolImages, Files, Audio model.Support

	Logprobs      model.Support // it reports log probabilities of tokens
	Caching       model.Support // it caches prompts by itself
	ProviderTools model.Support // it runs tools of its own, which the setting "tools" or another one asks for

	readBaseURL func(value string) string // turns the value of BaseURLVariable into a URL; nil: it is one
}

// Presets returns all presets, OpenAI first and then by name. The facts are from the services' documentation of November 2026, where a
// comment names no other source.
func Presets() []Preset { return slices.Clone(presets) }

// PresetNamed returns the preset with a name or an alias; false if there is none.
func PresetNamed(name string) (Preset, bool) {
	if p := findPreset(name); p != nil {
		return *p, true
	}
	return Preset{}, false
}

// findPreset returns the entry of the table with a name or an alias; nil if there is none.
func findPreset(name string) *Preset {
	for i := range presets {
		if presets[i].Name == name || slices.Contains(presets[i].Aliases, name) {
			return &presets[i]
		}
	}
	return nil
}

// Info describes a model of the service.
func (p *Preset) Info(name string) model.Info {
	info := model.Lookup(p.Name, name)
	if p.Name == Provider {
		return info
	}
	info.Images, info.ToolImages, info.Files, info.Audio = p.Images, p.ToolImages, p.Files, p.Audio
	info.Logprobs = p.Logprobs
	info.Video = model.SupportNo // the API has a part for it at few services, and agenthost sends none
	return info
}

// service returns how the service authenticates.
func (p *Preset) service() *provider.Service {
	s := provider.Service{
		BaseURL: p.BaseURL, Regions: p.Name == Provider, KeyHeader: "Authorization", BaseURLVariable: p.BaseURLVariable, ReadBaseURL: p.readBaseURL,
		Start: p.Start, Load: p.Load, LiteLLM: p.Name == "litellm",
	}
	if p.KeyVariable != "" {
		s.Variables = []string{p.KeyVariable}
	}
	return &s
}

const (
	maxTokens           = "max_tokens"
	maxCompletionTokens = "max_completion_tokens"
)

var presets = []Preset{
	{
		Name: Provider, Title: "OpenAI", BaseURL: ownBaseURL, BaseURLVariable: BaseURLVariable, KeyVariable: APIKeyVariable,
		JSONSchema: true, StreamUsage: true, ParallelToolCalls: true, UserNames: true, // MaxTokens: see official
		Caching: model.SupportYes, ProviderTools: model.SupportYes,
	},
	{
		// https://api-docs.deepseek.com: response_format is text or json_object, and messages are texts.
		Name: "deepseek", Title: "DeepSeek", BaseURL: "https://api.deepseek.com", KeyVariable: "DEEPSEEK_API_KEY",
		MaxTokens: maxTokens, StreamUsage: true, UserNames: true, Reasoning: keyReasoningContent,
		Without: []string{"logit_bias", "parallel_tool_calls", "reasoning_effort", "seed", "user"},
		Images:  model.SupportNo, Files: model.SupportNo, Audio: model.SupportNo,
		Caching: model.SupportYes, ProviderTools: model.SupportNo,
	},
	{
		Name: "fireworks", Title: "Fireworks AI", BaseURL: "https://api.fireworks.ai/inference/v1", KeyVariable: "FIREWORKS_API_KEY",
		MaxTokens: maxTokens, JSONSchema: true, StreamUsage: true, ParallelToolCalls: true, UserNames: true, Reasoning: keyReasoningContent,
		Files:   model.SupportNo,
		Caching: model.SupportYes, ProviderTools: model.SupportNo,
	},
	{
		// https://console.groq.com/docs/openai lists what it answers with the status 400.
		Name: "groq", Title: "Groq", BaseURL: "https://api.groq.com/openai/v1", KeyVariable: "GROQ_API_KEY",
		MaxTokens: maxCompletionTokens, JSONSchema: true, StreamUsage: true, ParallelToolCalls: true, Reasoning: keyReasoning,
		Without: []string{"logit_bias", "logprobs", "top_logprobs"},
		Files:   model.SupportNo, Audio: model.SupportNo,
		Logprobs: model.SupportNo,
	},
	{
		// The variables are those of LiteLLM's own client: https://docs.litellm.ai/docs/providers/litellm_proxy.
		Name: "litellm", Aliases: []string{"litellm_proxy"}, Title: "LiteLLM proxy",
		BaseURLVariable: "LITELLM_PROXY_API_BASE", KeyVariable: "LITELLM_PROXY_API_KEY", KeyOptional: true,
		Start:     "litellm --config FILE",
		MaxTokens: maxTokens, JSONSchema: true, StreamUsage: true, ParallelToolCalls: true, UserNames: true, Reasoning: keyReasoningContent,
	},
	{
		Name: "lmstudio", Title: "LM Studio", BaseURL: "http://127.0.0.1:1234/v1",
		Start: "lms server start", Load: "lms get MODEL",
		MaxTokens: maxTokens, JSONSchema: true, StreamUsage: true, UserNames: true, Reasoning: keyReasoningContent,
		Without: []string{"logprobs", "parallel_tool_calls", "top_logprobs", "user"},
		Files:   model.SupportNo, Audio: model.SupportNo,
		Logprobs:      model.SupportNo,
		ProviderTools: model.SupportNo,
	},
	{
		// It refuses fields that it does not know. Names of users and the form of ids: LiteLLM and LangChain, which send none and rewrite
		// them. A stream has token counts without being asked. No message of a user may follow the answer of a tool.
		Name: "mistralai", Aliases: []string{"mistral"}, Title: "Mistral AI", BaseURL: "https://api.mistral.ai/v1", KeyVariable: "MISTRAL_API_KEY",
		MaxTokens: maxTokens, ToolChoiceAny: "any", JSONSchema: true, ParallelToolCalls: true, ShortCallIDs: true, Reasoning: keyThinking,
		Without:    []string{"logit_bias", "logprobs", "stream_options", "top_logprobs", "user"},
		ToolImages: model.SupportNo, Files: model.SupportNo, Audio: model.SupportNo, // it has other parts for documents and sound
		Logprobs:      model.SupportNo,
		ProviderTools: model.SupportNo,
	},
	{
		// https://docs.ollama.com/api/openai-compatibility
		Name: "ollama", Title: "Ollama", BaseURL: "http://127.0.0.1:11434/v1", BaseURLVariable: "OLLAMA_HOST", readBaseURL: ollamaURL,
		Start: "ollama serve", Load: "ollama pull MODEL",
		MaxTokens: maxTokens, JSONSchema: true, StreamUsage: true, UserNames: true, Reasoning: keyReasoning,
		Without: []string{"logit_bias", "parallel_tool_calls", "user"},
		Files:   model.SupportNo, Audio: model.SupportNo,
		ProviderTools: model.SupportNo,
	},
	{
		// It extracts the text of a PDF for models that take none: https://openrouter.ai/docs/features/multimodal/pdfs.
		Name: "openrouter", Title: "OpenRouter", BaseURL: "https://openrouter.ai/api/v1", KeyVariable: "OPENROUTER_API_KEY",
		MaxTokens: maxTokens, JSONSchema: true, StreamUsage: true, ParallelToolCalls: true, UserNames: true, Reasoning: keyReasoningDetails,
		Files:         model.SupportYes,
		ProviderTools: model.SupportYes,
	},
	{
		Name: "together", Title: "Together AI", BaseURL: "https://api.together.xyz/v1", KeyVariable: "TOGETHER_API_KEY",
		MaxTokens: maxTokens, JSONSchema: true, StreamUsage: true, UserNames: true, Reasoning: keyReasoning,
		Without:       []string{"parallel_tool_calls", "user"},
		Files:         model.SupportNo,
		ProviderTools: model.SupportNo,
	},
	{
		Name: "vllm", Title: "vLLM", BaseURL: "http://127.0.0.1:8000/v1", BaseURLVariable: "VLLM_BASE_URL", KeyVariable: "VLLM_API_KEY", KeyOptional: true,
		Start:     "vllm serve MODEL",
		MaxTokens: maxTokens, JSONSchema: true, StreamUsage: true, ParallelToolCalls: true, UserNames: true, Reasoning: keyReasoningContent,
		Files:    model.SupportNo,
		Logprobs: model.SupportYes,
		Caching:  model.SupportYes, ProviderTools: model.SupportNo,
	},
	{
		// PDF goes through an API of its own. https://docs.x.ai/docs/api-reference: max_tokens is deprecated.
		Name: "xai", Title: "xAI", BaseURL: "https://api.x.ai/v1", KeyVariable: "XAI_API_KEY",
		MaxTokens: maxCompletionTokens, JSONSchema: true, StreamUsage: true, ParallelToolCalls: true, UserNames: true, Reasoning: keyReasoningContent,
		Without: []string{"logit_bias"},
		Files:   model.SupportNo, Audio: model.SupportNo,
		Caching: model.SupportYes, ProviderTools: model.SupportNo,
	},
}
