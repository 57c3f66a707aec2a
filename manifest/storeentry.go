package manifest

import (
	"maps"
	"slices"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/openai"
	"github.com/agenthost/agenthost/host/store/semantic"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

// storeEntry configures the store of values that outlive threads. Its keys are those of "store" in a langgraph.json.
type storeEntry struct {
	Index *indexEntry `yaml:"index"` // the index for searches by meaning; default: none
}

// indexEntry is an index of the store.
type indexEntry struct {
	Embed embedEntry `yaml:"embed" strict:"required"` // the embedding model, such as openai:text-embedding-3-small
	// the number of dimensions of the model's vectors, such as 1536
	Dims int `yaml:"dims" strict:"required,min=1,max=16384"`
	// the paths of the texts in a value to embed, such as text, profile.name or messages[*].content; default: $, the whole value
	Fields []string `yaml:"fields"`

	node strictyaml.Node
}

// UnmarshalStrict keeps the place.
func (e *indexEntry) UnmarshalStrict(n strictyaml.Node) error {
	e.node = n
	type fields indexEntry
	return n.Decode((*fields)(e))
}

// wrap adds the index to the store of the agent.
func (e *storeEntry) wrap(m *Manifest, config *host.Config) error {
	if e.Index == nil {
		return nil
	}
	embedder, err := e.Index.Embed.make(m)
	if err != nil {
		return err
	}
	indexed, err := semantic.New(config.Store, semantic.Index{Embed: embedder, Dims: e.Index.Dims, Fields: e.Index.Fields})
	if err != nil {
		at := e.Index.node
		if fields, ok := at.Get("fields"); ok {
			at = fields
		}
		return at.Errorf("%w", err)
	}
	config.Store = indexed
	return nil
}

// embedEntry is an embedding model: PROVIDER:NAME, or a mapping like that of a chat model.
type embedEntry struct{ modelEntry }

// embedKeys are the keys of a model that have an effect on one that embeds.
var embedKeys = []string{
	"provider", "name", "base_url", "api_key_env", "headers", "settings", "timeout", "max_retries", "proxy", "ca_file", "client_cert", "client_key",
}

// UnmarshalStrict refuses models without OpenAI's Embeddings API, and keys that only concern chats.
func (e *embedEntry) UnmarshalStrict(n strictyaml.Node) error {
	if err := e.modelEntry.UnmarshalStrict(n); err != nil {
		return err
	}
	if e.provided == nil || e.provided.kind.cloud != nil || !e.speaksOpenAI() {
		return n.Errorf("embedding models are those of openai and of servers with its API, such as openai:text-embedding-3-small or ollama:nomic-embed-text")
	}
	for _, key := range n.Keys() {
		if at, ok := n.Key(key); ok && !slices.Contains(embedKeys, key) {
			return at.Errorf("%s has no effect on an embedding model; remove it, or put a field of requests into settings", key)
		}
	}
	return nil
}

// speaksOpenAI reports whether the provider has OpenAI's API.
func (e *embedEntry) speaksOpenAI() bool {
	_, ok := e.provided.kind.build(e.provided, nil).(*openai.Model)
	return ok
}

// EmbedderEntry is an embedding model of a manifest, see [Options].Embedder.
type EmbedderEntry struct {
	Manifest string                         // the path of the manifest
	Key      string                         // the key of the model in the manifest: store.index.embed
	Inner    bool                           // the manifest is that of an agent that another one uses
	Build    func() (model.Embedder, error) // makes the model that the manifest describes
}

// make makes the model, or what takes its place.
func (e *embedEntry) make(m *Manifest) (model.Embedder, error) {
	if m.makeEmbedder == nil {
		return e.build(m)
	}
	made, err := m.makeEmbedder(&EmbedderEntry{
		Manifest: m.file, Key: "store.index.embed", Inner: len(m.chain) > 1, Build: func() (model.Embedder, error) { return e.build(m) },
	})
	if err != nil {
		return nil, located(e.node, err)
	}
	return made, nil
}

// build makes the model, and refuses a configuration with which every call would fail.
func (e *embedEntry) build(m *Manifest) (model.Embedder, error) {
	made, ok := e.provided.in(m).build(m).(*openai.Model)
	if !ok {
		return nil, e.node.Errorf("%s has no embedding models that agenthost can use", e.provided.provider)
	}
	out := &openai.Embedder{Model: made}
	if err := out.Check(); err != nil {
		return nil, e.node.Errorf("%w", err)
	}
	return out, nil
}

// JSONSchema returns the schema of an embedding model.
func (embedEntry) JSONSchema() map[string]any {
	properties := modelProperties()
	maps.DeleteFunc(properties, func(key string, _ any) bool { return !slices.Contains(embedKeys, key) })
	return oneOf(
		map[string]any{"type": "string", "pattern": "^[a-z_]+:.|\\$\\{", "description": "PROVIDER:NAME"},
		map[string]any{
			"type": "object", "required": []string{"provider", "name"}, "properties": properties, "additionalProperties": false,
		},
	)
}
