package manifest

import (
	"cmp"
	"maps"
	"slices"

	"github.com/agenthost/agenthost/host/model/anthropic"
	"github.com/agenthost/agenthost/host/model/gemini"
	"github.com/agenthost/agenthost/host/model/openai"
)

// Provider is a provider that a manifest can name.
type Provider struct {
	Name            string   // the key "provider" of a model, and the first part of its short form
	Aliases         []string // other names for it
	Title           string   // its name for people
	KeyVariables    []string // the environment variables that may hold its key; the first one that is set counts; none: it needs no key
	KeyOptional     bool     // its servers may need no key
	Cloud           bool     // besides a key, the credentials of a cloud authorize requests, such as those of a profile or a role
	BaseURLVariable string   // the environment variable that may hold another address; "": there is none
	BaseURLNeeded   bool     // it has no address of its own
	Features        Features
}

// Features are the abilities of a provider, as far as agenthost can use them.
type Features struct {
	Streaming        Feature
	Tools            Feature // models call the agent's tools
	StructuredOutput Feature // the provider enforces a JSON Schema
	Images           Feature
	Files            Feature // documents, at least PDF
	Audio            Feature
	Video            Feature
	Thinking         Feature // the model's reasoning is shown, and sent back where the provider wants it
	Caching          Feature // the provider reads what it has read before from a cache
	ProviderTools    Feature // tools that run on the provider's servers
}

// Feature says whether a provider has a feature.
type Feature string

// These are the values of a feature.
const (
	FeatureYes  Feature = "yes"
	FeatureNo   Feature = "no"
	FeatureSome Feature = "some" // it depends on the model or the server
)

// Providers returns the providers of models other than scripted ones: those with an API of their own, and then the others by name.
func Providers() []Provider {
	out := make([]Provider, 0, len(providers))
	for _, name := range slices.Sorted(maps.Keys(providers)) {
		kind := providers[name]
		if kind.alias {
			continue
		}
		p := kind.listed
		p.Name, p.Title, p.Cloud = name, cmp.Or(p.Title, name), kind.cloud != nil
		if len(p.KeyVariables) == 0 && kind.key != "" {
			p.KeyVariables = []string{kind.key}
		}
		out = append(out, p)
	}
	first := []string{openai.Provider, anthropic.Provider, gemini.Provider}
	place := func(p Provider) int {
		if i := slices.Index(first, p.Name); i >= 0 {
			return i
		}
		return len(first)
	}
	slices.SortStableFunc(out, func(a, b Provider) int { return place(a) - place(b) })
	return out
}
