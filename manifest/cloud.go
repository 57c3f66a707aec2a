package manifest

import (
	"slices"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/anthropic"
	"github.com/agenthost/agenthost/host/model/azure"
	"github.com/agenthost/agenthost/host/model/bedrock"
	"github.com/agenthost/agenthost/host/model/gemini"
	"github.com/agenthost/agenthost/host/model/openai"
	"github.com/agenthost/agenthost/host/model/vertex"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

// cloudEntry holds the keys of models on clouds. A provider has those that its kind lists.
type cloudEntry struct {
	region, project, location, apiVersion string
	trust                                 bool
}

const keyTrust = "trust_base_url"

// decode decodes a key of models on clouds. It returns false for any other key.
func (e *cloudEntry) decode(key string, value strictyaml.Node) (known bool, err error) {
	into := map[string]*string{"region": &e.region, "project": &e.project, "location": &e.location, "api_version": &e.apiVersion}[key]
	switch {
	case key == keyTrust:
		return true, value.Decode(&e.trust)
	case into == nil:
		return false, nil
	}
	if err := value.Decode(into); err != nil {
		return true, err
	}
	if *into == "" {
		return true, value.Errorf("%s is empty; leave it out to use the environment's", key)
	}
	return true, nil
}

// cloudClaude are the features of Anthropic's models on any cloud.
var cloudClaude = Features{
	Streaming: FeatureYes, Tools: FeatureYes, StructuredOutput: FeatureYes, Images: FeatureYes, Files: FeatureYes, Audio: FeatureNo, Video: FeatureNo,
	Thinking: FeatureYes, Caching: FeatureYes, ProviderTools: FeatureSome,
}

// These are the kinds of models on clouds. Each has the settings of the provider whose API its models speak.
var (
	bedrockKind = &providerKind{
		key: bedrock.KeyVariable, like: anthropic.Provider, cloud: []string{"region", keyTrust},
		listed: Provider{Title: "Anthropic's models on Amazon Bedrock", Features: cloudClaude},
		build: func(e *providerEntry, lookup lookupFunc) model.Model {
			out := e.anthropicModel(lookup)
			e.onBedrock(out)
			return out
		},
	}
	vertexKind = &providerKind{
		key: vertex.TokenVariable, like: gemini.Provider, cloud: []string{"project", "location", keyTrust},
		listed: Provider{Title: "Google's models on Vertex AI", Features: Features{
			Streaming: FeatureYes, Tools: FeatureYes, StructuredOutput: FeatureYes, Images: FeatureYes, Files: FeatureYes, Audio: FeatureYes, Video: FeatureYes,
			Thinking: FeatureYes, Caching: FeatureYes, ProviderTools: FeatureYes,
		}},
		build: func(e *providerEntry, lookup lookupFunc) model.Model {
			out := e.geminiModel(lookup)
			e.geminiOnVertex(out)
			return out
		},
	}
	anthropicVertexKind = &providerKind{
		key: vertex.TokenVariable, like: anthropic.Provider, cloud: []string{"project", "location", keyTrust},
		listed: Provider{Title: "Anthropic's models on Vertex AI", Features: cloudClaude},
		build: func(e *providerEntry, lookup lookupFunc) model.Model {
			out := e.anthropicModel(lookup)
			e.anthropicOnVertex(out)
			return out
		},
	}
	azureKind = &providerKind{
		key: azure.KeyVariable, like: openai.Provider, cloud: []string{"api_version", keyTrust},
		listed: Provider{
			Title: "OpenAI's models on Azure", BaseURLVariable: azure.EndpointVariable, BaseURLNeeded: true, Features: Features{
				Streaming: FeatureYes, Tools: FeatureYes, StructuredOutput: FeatureYes, Images: FeatureYes, Files: FeatureYes,
				Audio: FeatureSome, Video: FeatureNo,
				Thinking: FeatureYes, Caching: FeatureYes, ProviderTools: FeatureSome,
			},
		},
		build: func(e *providerEntry, lookup lookupFunc) model.Model {
			out := &e.openaiModel(lookup).Model
			e.onAzure(out)
			return out
		},
	}
)

// otherNames maps names that other programs give to clouds to our providers.
var otherNames = map[string]string{
	"anthropic_bedrock": bedrock.Provider, "bedrock_converse": bedrock.Provider, "aws": bedrock.Provider, "amazon_bedrock": bedrock.Provider,
	"vertex": vertex.Provider, "vertexai": vertex.Provider, "vertex_ai": vertex.Provider, "google_vertex": vertex.Provider,
	"anthropic_vertex": vertex.AnthropicProvider, "azure": azure.Provider, "azureopenai": azure.Provider, "azure_ai": azure.Provider,
}

// speaks returns the kind of the provider whose API models of this kind speak.
func (k *providerKind) speaks() *providerKind {
	if k.like == "" {
		return k
	}
	return providers[k.like]
}

// keys returns the keys that a model of this kind may have besides its settings.
func (k *providerKind) keys() []string { return slices.Concat(modelKeys, k.cloud) }
