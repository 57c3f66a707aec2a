package registry

import (
	"encoding/json"
	"maps"

	"github.com/opencontainers/go-digest"
	"github.com/opencontainers/image-spec/specs-go"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
)

// The types of what agenthost keeps in registries.
const (
	PluginType    = "application/vnd.agenthost.plugin.v1"
	AgentType     = "application/vnd.agenthost.agent.v1"
	SignatureType = "application/vnd.agenthost.minisign.v1"

	agentConfigType = "application/vnd.agenthost.agent.config.v1+json"
	agentFileType   = "application/vnd.agenthost.agent.file.v1"
)

// The types of the layout for Wasm artifacts: https://tag-runtime.cncf.io/wgs/wasm/deliverables/wasm-oci-artifact/
const (
	wasmConfigType = "application/vnd.wasm.config.v0+json"
	wasmLayerType  = "application/wasm"
)

// wasmLayerTypes are the types of layers that are modules: that of the layout, and those of older tools, which are only pulled.
var wasmLayerTypes = []string{wasmLayerType, "application/vnd.wasm.content.layer.v1+wasm", "application/vnd.module.wasm.content.layer.v1+wasm"}

// wasmConfig is the configuration of a Wasm artifact.
type wasmConfig struct {
	Architecture string   `json:"architecture"` // wasm
	OS           string   `json:"os"`           // wasip1: a module and not a component
	LayerDigests []string `json:"layerDigests"`
}

// blob is a content with its descriptor.
type blob struct {
	ocispec.Descriptor

	content []byte
}

func newBlob(mediaType string, content []byte) blob {
	return blob{ocispec.Descriptor{MediaType: mediaType, Digest: digest.FromBytes(content), Size: int64(len(content))}, content}
}

// newManifest returns a manifest without a time, so that equal contents have equal digests.
func newManifest(artifact string, config blob, layers []blob, annotations map[string]string, subject *ocispec.Descriptor) (blob, error) {
	annotations = maps.Clone(annotations)
	maps.DeleteFunc(annotations, func(_, value string) bool { return value == "" })
	m := ocispec.Manifest{
		Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: ocispec.MediaTypeImageManifest, ArtifactType: artifact,
		Config: config.Descriptor, Subject: subject, Annotations: annotations,
	}
	for _, layer := range layers {
		m.Layers = append(m.Layers, layer.Descriptor)
	}
	raw, err := json.Marshal(m)
	if err != nil {
		return blob{}, err
	}
	return newBlob(ocispec.MediaTypeImageManifest, raw), nil
}
