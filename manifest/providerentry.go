package manifest

import (
	"maps"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/internal/lazyregexp"
	"github.com/agenthost/agenthost/internal/strictyaml"
	nearest "github.com/agenthost/agenthost/internal/text"
)

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

// lookupFunc looks up a variable.
type lookupFunc = func(name string) (string, bool)

// build makes the model, which looks up its key where a request needs it. A missing key is an error of its calls, so that a manifest can
// be inspected without the key.
func (e *providerEntry) build(m *Manifest) model.Model {
	of := *e
	of.inFile, of.process = m.inFile, m.process
	return e.kind.build(&of, m.lookup)
}
