package manifest

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/anthropic"
	"github.com/agenthost/agenthost/host/model/azure"
	"github.com/agenthost/agenthost/host/model/bedrock"
	"github.com/agenthost/agenthost/host/model/gemini"
	"github.com/agenthost/agenthost/host/model/openai"
	"github.com/agenthost/agenthost/host/model/vertex"
	"github.com/agenthost/agenthost/internal/lazyregexp"
	"github.com/agenthost/agenthost/internal/settingname"
	"github.com/agenthost/agenthost/internal/strictyaml"
	nearest "github.com/agenthost/agenthost/internal/text"
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

// providerEntry is a model of a provider.
type providerEntry struct {
	kind     *providerKind
	provider string // its name
	name     string
	baseURL  string
	keyFrom  string // the environment variable with the key; "": the provider's
	api      string
	headers  map[string]string
	profile  *model.Info
	settings wire.Map
	cutOff   cutOffEntry
	limits   model.Limits
	inFile   func(name string) bool // reports whether a variable is from env_file; nil: none is
	cloud    cloudEntry
	process  lookupFunc // looks up a variable of the process alone
	rate     rateLimitEntry
	network  model.Network // with paths as the manifest writes them

	tools        []providerTool
	continues    bool // requests go on with the last answer, which the provider stores
	background   bool // the provider answers in the background
	wholeAnswers bool // the model is not asked for streams
}

// profileEntry is a list of a model's abilities, for a model that agenthost does not know or describes wrongly.
type profileEntry struct {
	MaxInputTokens   tokenCount `yaml:"max_input_tokens"`  // the largest number of tokens of a request
	MaxOutputTokens  tokenCount `yaml:"max_output_tokens"` // the largest number of tokens of an answer
	StructuredOutput *bool      `yaml:"structured_output"` // the provider enforces schemas
	Reasoning        *bool      `yaml:"reasoning"`         // the model can reason before it answers
	Caching          *bool      `yaml:"caching"`           // the provider caches prompts
	Images           *bool      `yaml:"images"`            // the model takes images
	Audio            *bool      `yaml:"audio"`             // the model takes recordings of sound
	Video            *bool      `yaml:"video"`             // the model takes films
	Files            *bool      `yaml:"files"`             // the model takes documents
	ToolImages       *bool      `yaml:"tool_images"`       // the model takes images in results of tools
	ToolFiles        *bool      `yaml:"tool_files"`        // the model takes documents in results of tools
	Logprobs         *bool      `yaml:"logprobs"`          // the provider reports log probabilities of tokens
}

// ollamaTag matches what follows the colon in names of Ollama, such as 8b in qwen3:8b: people leave out the provider, as in 'ollama run'.
var ollamaTag = lazyregexp.New(`^(latest|e?\d+(\.\d+)?[bm](-.*)?)$`)

// parseModel reads PROVIDER:NAME.
func parseModel(n strictyaml.Node, text string) (*providerEntry, error) {
	provider, name, _ := strings.Cut(text, ":")
	kind := providers[provider]
	switch {
	case provider == "scripted":
		return nil, n.Errorf("a scripted model is a mapping, such as {provider: scripted, rules: rules.yaml}")
	case kind == nil && otherNames[provider] != "":
		return nil, n.Errorf("the provider %q is unknown; its name is %s here", provider, otherNames[provider])
	case kind == nil && ollamaTag().MatchString(name):
		return nil, n.Errorf("the provider %q is unknown; for a model of Ollama, write ollama:%s", provider, text)
	case kind == nil && name == "" && strings.Contains(text, "/"):
		return nil, n.Errorf("a model is PROVIDER:NAME, such as openrouter:%s for a model of OpenRouter", text)
	case kind == nil && name == "":
		return nil, n.Errorf("a model is PROVIDER:NAME, such as openai:gpt-5.2, or a mapping with the key \"provider\"")
	case kind == nil:
		if near, ok := nearest.Nearest(provider, providerNames()); ok {
			return nil, n.Errorf("the provider %q is unknown; did you mean %q?", provider, near)
		}
		return nil, n.Errorf("the provider %q is unknown; use one of %s; for a server with an OpenAI-compatible API, "+
			"use {provider: openai, name: …, base_url: …}", provider, strings.Join(slices.Sorted(maps.Keys(providers)), ", "))
	case name == "":
		return nil, n.Errorf("the name of the model is missing after %q", text)
	}
	if err := kind.checkBuild(); err != nil {
		return nil, n.Errorf("%w", err)
	}
	return (&providerEntry{kind: kind, provider: provider, name: name}).known(provider), nil
}

// known sets the profile of the model.
func (e *providerEntry) known(provider string) *providerEntry {
	var info model.Info
	if e.kind.info != nil {
		info = e.kind.info(e.name)
	} else {
		info = model.Lookup(provider, e.name)
	}
	e.profile = &info
	return e
}

// decodeProvider decodes a mapping.
func decodeProvider(n strictyaml.Node, provider string) (*providerEntry, error) {
	e := &providerEntry{kind: providers[provider], provider: provider}
	if err := e.kind.checkBuild(); err != nil {
		return nil, n.Errorf("%w", err)
	}
	var errs []error
	var profile profileEntry
	settings := newSettings()
	if api, ok := n.Get("api"); ok && e.kind.speaks() == providers[openai.Provider] { // it decides where settings go
		errs = append(errs, e.decodeAPI(api))
	}
	for _, key := range n.Keys() {
		value, _ := n.Get(key)
		var err error
		switch key {
		case "provider":
		case "name":
			if err = value.Decode(&e.name); err == nil && e.name == "" {
				err = value.Errorf("the name is empty; set it to the model's name, as the provider calls it")
			}
		case "base_url":
			err = e.decodeBaseURL(value)
		case keyEnv:
			err = e.decodeKeyFrom(value)
		case "headers":
			err = value.Decode(&e.headers)
		case "profile":
			err = value.Decode(&profile)
		case "settings":
			err = e.decodeSettings(value, settings)
		case "api":
			if e.kind.speaks() != providers[openai.Provider] {
				err = e.unknown(n, key)
			}
		case "use_previous_response_id", "background":
			err = e.decodeResponses(n, key, value)
		case "on_cut_off", "max_continuations":
			err = e.cutOff.decode(key, value)
		case "proxy", "ca_file", "client_cert", "client_key":
			err = e.decodeNetwork(key, value)
		case "provider_tools":
			err = value.Decode(&e.tools)
		case "rate_limit":
			err = value.Decode(&e.rate)
		case "stream":
			err = e.decodeStream(n, value)
		case "timeout", "first_token_timeout", "idle_timeout", "max_retries":
			err = decodeCallLimit(key, value, &e.limits)
		default:
			known := false
			if slices.Contains(e.kind.cloud, key) {
				known, err = e.cloud.decode(key, value)
			}
			if !known {
				err = e.decodeSetting(n, key, value, settings)
			}
		}
		errs = append(errs, err)
	}
	if !slices.Contains(n.Keys(), "name") {
		errs = append(errs, n.Errorf("the key \"name\" is missing; set it to the model's name, as the provider calls it"))
	}
	errs = append(errs, e.checkDecisions(n))
	e.known(provider)
	profile.apply(e.profile)
	var err error
	if e.settings, err = wire.MapOf(settings.fields); err != nil {
		errs = append(errs, n.Errorf("settings: %w", err))
	}
	return e, strictyaml.Join(errs...)
}

// checkDecisions refuses keys that have no effect on a model that does not chat.
func (e *providerEntry) checkDecisions(n strictyaml.Node) error {
	if e.api != decisionsAPI {
		return nil
	}
	for _, key := range []string{"stream", "rate_limit", "use_previous_response_id", "background", "provider_tools"} {
		if at, ok := n.Key(key); ok {
			return at.Errorf("%s has no effect with api: decisions; remove it", key)
		}
	}
	return nil
}

// decodeResponses decodes one of the keys that only the Responses API of OpenAI has.
func (e *providerEntry) decodeResponses(n strictyaml.Node, key string, value strictyaml.Node) error {
	if e.provider != openai.Provider {
		return e.unknown(n, key)
	}
	into := &e.background
	if key == "use_previous_response_id" {
		into = &e.continues
	}
	return value.Decode(into)
}

// decodeStream refuses limits that have no effect without a stream.
func (e *providerEntry) decodeStream(n, value strictyaml.Node) error {
	var stream bool
	if err := value.Decode(&stream); err != nil {
		return err
	}
	e.wholeAnswers = !stream
	for _, key := range []string{"first_token_timeout", "idle_timeout"} {
		if at, ok := n.Key(key); ok && e.wholeAnswers {
			return at.Errorf("%s has no effect with stream: false, which only timeout limits; remove one of the two", key)
		}
	}
	return nil
}

// environmentName is the form of the names of environment variables. A key of a provider usually has another one.
var environmentName = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)

// decodeKeyFrom refuses a key in place of the name of its variable, without showing it.
func (e *providerEntry) decodeKeyFrom(value strictyaml.Node) error {
	if err := value.Decode(&e.keyFrom); err != nil {
		return err
	}
	if !environmentName().MatchString(e.keyFrom) {
		e.keyFrom = ""
		example := cmp.Or(e.kind.key, openai.APIKeyVariable)
		return value.Errorf("api_key_env must be the name of an environment variable, such as %s, and not the key itself", example)
	}
	return nil
}

func (e *providerEntry) decodeBaseURL(value strictyaml.Node) error {
	if err := value.Decode(&e.baseURL); err != nil {
		return err
	}
	u, err := url.Parse(e.baseURL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return value.Errorf("base_url must be an address such as http://localhost:11434/v1")
	}
	return nil
}

// decisionsAPI is the name of the API whose models decide and do not chat.
const decisionsAPI = "decisions"

// decodeAPI decodes the name of one of OpenAI's APIs.
func (e *providerEntry) decodeAPI(value strictyaml.Node) error {
	if err := value.Decode(&e.api); err != nil {
		return err
	}
	apis := []string{string(openai.ChatCompletions), string(openai.Responses)}
	if e.kind.like == "" { // no cloud offers it
		apis = append(apis, decisionsAPI)
	}
	if !slices.Contains(apis, e.api) {
		return value.Unknown("api", apis)
	}
	return nil
}

// decodeSetting decodes a key that is a setting.
func (e *providerEntry) decodeSetting(n strictyaml.Node, key string, value strictyaml.Node, into *settings) error {
	of, path, ok := e.kind.setting(key)
	switch {
	case !ok && looksSecret(key):
		if e.kind.key == "" {
			return value.Errorf("a manifest cannot contain keys, such as %q; name the variable that holds the key with api_key_env", key)
		}
		return value.Errorf("a manifest cannot contain keys, such as %q; set %s in the environment or in env_file, "+
			"or name another variable with api_key_env", key, e.kind.key)
	case !ok:
		return e.unknown(n, key)
	}
	if len(path) == 1 {
		path = openai.API(e.api).Field(path[0]) // only models of OpenAI have an API
	}
	setting, err := of.value(value)
	if err != nil {
		return err
	}
	return into.put(path, setting, value)
}

// unknown returns the error for a key that the models of the provider do not have.
func (e *providerEntry) unknown(n strictyaml.Node, key string) error {
	at, _ := n.Key(key)
	has := func(setting string) bool { _, _, ok := e.kind.setting(setting); return ok }
	if advice, ok := settingname.Advice(e.provider, key, has); ok {
		return at.Errorf("unknown key %q; for %s, %s", key, e.provider, advice)
	}
	known := slices.Concat(e.kind.keys(), e.kind.settingNames())
	if e.provider == openai.Provider {
		known = append(known, "api", "use_previous_response_id", "background")
	}
	return at.Unknown("key", slices.Sorted(slices.Values(known)))
}

// modelKeys are the keys that every model of a provider may have.
var modelKeys = slices.Concat(
	[]string{
		"provider", "name", "base_url", keyEnv, "headers", "profile", "settings", "on_cut_off", "max_continuations", "stream", "rate_limit",
		"provider_tools",
	},
	callLimitKeys, networkKeys,
)

// decodeSettings decodes settings with any name.
func (e *providerEntry) decodeSettings(n strictyaml.Node, into *settings) error {
	var all map[string]any
	if err := n.Decode(&all); err != nil {
		return err
	}
	var errs []error
	for _, key := range n.Keys() {
		value, _ := n.Get(key)
		errs = append(errs, into.put(openai.API(e.api).Field(key), all[key], value))
	}
	return strictyaml.Join(errs...)
}

func (p *profileEntry) apply(info *model.Info) {
	if p.MaxInputTokens > 0 {
		info.MaxInputTokens = int(p.MaxInputTokens)
	}
	if p.MaxOutputTokens > 0 {
		info.MaxOutputTokens = int(p.MaxOutputTokens)
	}
	for _, flag := range []struct {
		said *bool
		of   *bool
	}{
		{p.StructuredOutput, &info.StructuredOutput},
		{p.Reasoning, &info.Reasoning},
		{p.Caching, &info.Caching},
	} {
		if flag.said != nil {
			*flag.of = *flag.said
		}
	}
	for _, flag := range []struct {
		said *bool
		of   *model.Support
	}{
		{p.Images, &info.Images},
		{p.Audio, &info.Audio},
		{p.Video, &info.Video},
		{p.Files, &info.Files},
		{p.ToolImages, &info.ToolImages},
		{p.ToolFiles, &info.ToolFiles},
		{p.Logprobs, &info.Logprobs},
	} {
		if flag.said != nil {
			*flag.of = model.SupportOf(*flag.said)
		}
	}
}

// lookupFunc looks up a variable.
type lookupFunc = func(name string) (string, bool)

// build makes the model, which looks up its key where a request needs it. A missing key is an error of its calls, so that a manifest can
// be inspected without the key.
func (e *providerEntry) build(m *Manifest) model.Model {
	of := *e
	of.inFile, of.process = m.inFile, m.process
	return e.kind.build(&of, m.lookup)
}
