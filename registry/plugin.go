package registry

import (
	"context"
	"encoding/json"
	"slices"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/minisig"
	"github.com/agenthost/agenthost/registry/reference"
)

// Module is a plugin's module.
type Module struct {
	Bytes   []byte
	Name    string // the plugin's name, for people who look into the registry
	Version string // the plugin's version, for the same
}

// Pulled is a plugin that was pulled. Its bytes have the digests that the registry and the caller name, and are signed by one of the
// wanted keys. They were not loaded: they may be no plugin at all.
type Pulled struct {
	Manifest  string // digest of the manifest in the registry; "": the plugin has none
	Bytes     []byte
	Signature *Signature // nil: no signature was wanted
}

// PushPlugin pushes a module, its signatures, and then the tag.
func (c *Client) PushPlugin(ctx context.Context, ref reference.Reference, m *Module, signatures ...[]byte) (Pushed, error) {
	r := c.repository(ref)
	if len(m.Bytes) > plugin.MaxModuleSize {
		return Pushed{}, r.explain(tooLarge("the module", int64(len(m.Bytes)), plugin.MaxModuleSize))
	}
	layer := newBlob(wasmLayerType, m.Bytes)
	layer.Annotations = map[string]string{ocispec.AnnotationTitle: ref.Base() + ".wasm"}
	described, err := json.Marshal(wasmConfig{Architecture: "wasm", OS: "wasip1", LayerDigests: []string{layer.Digest.String()}})
	if err != nil {
		return Pushed{}, r.explain(err)
	}
	config := newBlob(wasmConfigType, described)
	manifest, err := newManifest(PluginType, config, []blob{layer},
		map[string]string{ocispec.AnnotationTitle: m.Name, ocispec.AnnotationVersion: m.Version}, nil)
	if err != nil {
		return Pushed{}, r.explain(err)
	}
	return r.push(ctx, manifest, []blob{config, layer}, signatures)
}

// PullPlugin pulls a module. If there are keys, one of them must have signed it.
func (c *Client) PullPlugin(ctx context.Context, ref reference.Reference, keys ...minisig.Key) (*Pulled, error) {
	r := c.repository(ref)
	desc, m, _, err := r.manifest(ctx)
	if err != nil {
		return nil, err
	}
	layer, err := moduleOf(m)
	if err != nil {
		return nil, r.explain(err)
	}
	p := &Pulled{Manifest: desc.Digest.String()}
	if p.Bytes, err = r.blob(ctx, "the module", layer, plugin.MaxModuleSize); err != nil {
		return nil, err
	}
	if len(keys) > 0 {
		if p.Signature, err = r.signature(ctx, desc, p.Bytes, keys); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// Resolve returns the digest of the manifest that a reference names now.
func (c *Client) Resolve(ctx context.Context, ref reference.Reference) (digest string, err error) {
	desc, _, _, err := c.repository(ref).manifest(ctx)
	return desc.Digest.String(), err
}

// moduleOf returns the layer of a plugin's manifest that is the module.
func moduleOf(m *ocispec.Manifest) (ocispec.Descriptor, error) {
	switch {
	case m.ArtifactType == AgentType:
		return ocispec.Descriptor{}, &Error{Kind: ErrLayout, Advice: "it is an agent: use 'agenthost agent pull'"}
	case len(m.Layers) != 1:
		return ocispec.Descriptor{}, layoutError("it has %d layers; a plugin has one, its module", len(m.Layers))
	case !slices.Contains(wasmLayerTypes, m.Layers[0].MediaType):
		return ocispec.Descriptor{}, layoutError("its layer has the type %q; that of a module is %s", m.Layers[0].MediaType, wasmLayerType)
	default:
		return m.Layers[0], nil
	}
}
