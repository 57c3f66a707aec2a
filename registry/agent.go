package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/agenthost/agenthost/host/plugin/minisig"
	"github.com/agenthost/agenthost/internal/lazyregexp"
	"github.com/agenthost/agenthost/internal/regularfile"
	"github.com/agenthost/agenthost/internal/rootdir"
	"github.com/agenthost/agenthost/internal/text"
	"github.com/agenthost/agenthost/registry/reference"
)

// Limits of an agent.
const (
	MaxAgentFiles = 1000
	MaxAgentFile  = 32 << 20  // bytes
	MaxAgentSize  = 256 << 20 // bytes of all files
)

// AgentFile is a file of an agent.
type AgentFile struct {
	Name    string // its path relative to the agent's directory, with slashes; see [CheckName]
	Content []byte
}

// Agent is an agent to be pushed.
type Agent struct {
	Manifest string // the name of the file that is the manifest
	Name     string // the agent's name, for people who look into the registry; may be empty
	Files    []AgentFile
	Key      *minisig.PrivateKey // signs the agent; nil: it is not signed
}

// agentConfig is the configuration of an agent's artifact.
type agentConfig struct {
	Manifest string `json:"manifest"`
}

// CheckName checks the name of a file in an agent: a relative path with slashes, of which no part begins with a dot or is otherwise
// special.
func CheckName(name string) error {
	if name == "" || len(name) > 1024 {
		return errors.New("it has no name, or a name that is too long")
	}
	if clean, err := rootdir.Name(name); err != nil || clean != name || clean == "." || !filepath.IsLocal(filepath.FromSlash(name)) {
		return fmt.Errorf("%q is not a relative path below the agent's directory", cleaned(name))
	}
	for part := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(part, ".") || strings.ContainsAny(part, `\:`) || strings.ContainsFunc(part, text.Steers) {
			return fmt.Errorf("%q has a part that begins with a dot, or a special character", cleaned(name))
		}
	}
	return nil
}

// manifestName matches the name of a manifest. A person will type it, so it is safe in a shell.
var manifestName = lazyregexp.New(`^[A-Za-z0-9_][A-Za-z0-9_.-]*\.ya?ml$`)

// checkManifest checks the name of the file that is the manifest.
func checkManifest(name string) error {
	if !manifestName().MatchString(name) {
		return fmt.Errorf("the manifest has the name %q; use letters, digits, '_', '.' and '-', and the extension .yaml", cleaned(name))
	}
	return nil
}

// names collects the names of an agent's files, and of the directories that they need. It refuses names that cannot be there together,
// also where upper and lower case are the same.
type names map[string]bool // whether it is a directory

func (n names) add(name string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	folded := strings.ToLower(name)
	if _, there := n[folded]; there {
		return fmt.Errorf("%q is there twice", cleaned(name))
	}
	n[folded] = false
	for dir := path.Dir(folded); dir != "."; dir = path.Dir(dir) {
		if isDir, there := n[dir]; there && !isDir {
			return fmt.Errorf("%q is below another file", cleaned(name))
		}
		n[dir] = true
	}
	return nil
}

// PushAgent pushes an agent, its signature, and then the tag.
func (c *Client) PushAgent(ctx context.Context, ref reference.Reference, a *Agent) (Pushed, error) {
	r := c.repository(ref)
	seen, size := names{}, int64(0)
	layers := make([]blob, 0, len(a.Files))
	hasManifest := false
	for i := range a.Files {
		f := &a.Files[i]
		if err := seen.add(f.Name); err != nil {
			return Pushed{}, r.explain(err)
		}
		if int64(len(f.Content)) > MaxAgentFile {
			return Pushed{}, r.explain(tooLarge(f.Name, int64(len(f.Content)), MaxAgentFile))
		}
		size += int64(len(f.Content))
		hasManifest = hasManifest || f.Name == a.Manifest
		layer := newBlob(agentFileType, f.Content)
		layer.Annotations = map[string]string{ocispec.AnnotationTitle: f.Name}
		layers = append(layers, layer)
	}
	if err := checkManifest(a.Manifest); err != nil {
		return Pushed{}, r.explain(err)
	}
	switch {
	case !hasManifest:
		return Pushed{}, r.explain(fmt.Errorf("the manifest %q is not among the files", a.Manifest))
	case len(layers) > MaxAgentFiles:
		return Pushed{}, r.explain(fmt.Errorf("%w: it has %d files, the limit is %d", ErrTooLarge, len(layers), MaxAgentFiles))
	case size > MaxAgentSize:
		return Pushed{}, r.explain(tooLarge("the agent", size, MaxAgentSize))
	}
	described, err := json.Marshal(agentConfig{a.Manifest})
	if err != nil {
		return Pushed{}, r.explain(err)
	}
	config := newBlob(agentConfigType, described)
	manifest, err := newManifest(AgentType, config, layers, map[string]string{ocispec.AnnotationTitle: a.Name, ocispec.AnnotationVersion: ref.Tag}, nil)
	if err != nil {
		return Pushed{}, r.explain(err)
	}
	var signatures [][]byte
	if a.Key != nil {
		signature, err := a.Key.Sign(manifest.content, Comment(ref, a.Name, ref.Tag))
		if err != nil {
			return Pushed{}, r.explain(err)
		}
		signatures = append(signatures, signature)
	}
	return r.push(ctx, manifest, slices.Concat(layers, []blob{config}), signatures)
}

// PulledAgent is an agent that was pulled.
type PulledAgent struct {
	Digest    string     // of the manifest in the registry
	Manifest  string     // the name of the file that is the agent's manifest
	Files     []string   // the names of all files
	Signature *Signature // nil: no signature was wanted
}

// PullAgent pulls an agent into a directory that does not exist yet or is empty. If there are keys, one of them must have signed it. A
// pull that fails leaves nothing behind.
func (c *Client) PullAgent(ctx context.Context, ref reference.Reference, dir string, keys ...minisig.Key) (_ *PulledAgent, err error) {
	r := c.repository(ref)
	if err := vacant(dir); err != nil {
		return nil, err
	}
	desc, m, raw, err := r.manifest(ctx)
	if err != nil {
		return nil, err
	}
	a, err := r.agent(ctx, m)
	if err != nil {
		return nil, err
	}
	a.Digest = desc.Digest.String()
	if len(keys) > 0 { // the signature covers the digests of all files
		if a.Signature, err = r.signature(ctx, desc, raw, keys); err != nil {
			return nil, err
		}
	}
	parent := filepath.Dir(filepath.Clean(dir))
	if err := os.MkdirAll(parent, 0o755); err != nil { //nolint:gosec // like a directory that the user makes
		return nil, err
	}
	partial, err := os.MkdirTemp(parent, ".agenthost-pull-*")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(partial))
		}
	}()
	if err := r.files(ctx, m, a.Files, partial); err != nil {
		return nil, err
	}
	if err := os.Chmod(partial, 0o755); err != nil { //nolint:gosec // like a directory that the user makes
		return nil, err
	}
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return a, os.Rename(partial, dir)
}

// vacant refuses a path that is neither free nor an empty directory.
func vacant(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		err = regularfile.Unreadable(dir, "directory", err)
	case len(entries) > 0:
		err = fmt.Errorf("%s is not empty", dir)
	default:
		return nil
	}
	return &Error{Kind: ErrDirectory, Err: err, Advice: "name another directory with -o DIR"}
}

// agent reads what the manifest of an artifact says about an agent, and checks it.
func (r *repository) agent(ctx context.Context, m *ocispec.Manifest) (*PulledAgent, error) {
	switch {
	case m.ArtifactType == PluginType:
		return nil, r.explain(&Error{Kind: ErrLayout, Advice: "it is a plugin: use 'agenthost plugin pull'"})
	case m.ArtifactType != AgentType || m.Config.MediaType != agentConfigType:
		return nil, r.explain(layoutError("it has the type %q; that of an agent is %s", m.ArtifactType, AgentType))
	case len(m.Layers) > MaxAgentFiles:
		return nil, r.explain(layoutError("it has %d files, the limit is %d", len(m.Layers), MaxAgentFiles))
	}
	described, err := r.blob(ctx, "the configuration", m.Config, maxConfig)
	if err != nil {
		return nil, err
	}
	var config agentConfig
	if err := json.Unmarshal(described, &config); err != nil {
		return nil, r.explain(layoutError("its configuration is not valid JSON: %w", err))
	}
	if err := checkManifest(config.Manifest); err != nil {
		return nil, r.explain(layoutError("%w", err))
	}
	a := &PulledAgent{Manifest: config.Manifest}
	seen, size, hasManifest := names{}, int64(0), false
	for i := range m.Layers {
		layer := &m.Layers[i]
		name := layer.Annotations[ocispec.AnnotationTitle]
		if layer.MediaType != agentFileType {
			return nil, r.explain(layoutError("a layer has the type %q; that of a file is %s", layer.MediaType, agentFileType))
		}
		if err := seen.add(name); err != nil {
			return nil, r.explain(layoutError("a file: %w", err))
		}
		if err := checkDescriptor(name, *layer, MaxAgentFile); err != nil {
			return nil, r.explain(err)
		}
		size += layer.Size
		hasManifest = hasManifest || name == config.Manifest
		a.Files = append(a.Files, name)
	}
	switch {
	case size > MaxAgentSize:
		return nil, r.explain(tooLarge("the agent", size, MaxAgentSize))
	case !hasManifest:
		return nil, r.explain(layoutError("its manifest %q is not among its files", config.Manifest))
	}
	return a, nil
}

// files fetches the files of an agent, and writes them below a directory.
func (r *repository) files(ctx context.Context, m *ocispec.Manifest, named []string, into string) error {
	dir, err := rootdir.Open(into, rootdir.RefuseLinks)
	if err != nil {
		return err
	}
	for i, name := range named {
		content, err := r.blob(ctx, name, m.Layers[i], MaxAgentFile)
		if err == nil {
			if _, writing := dir.Write(name, content); writing != nil { // such as a file where another one needs a directory
				err = r.explain(fmt.Errorf("%s: %w", path.Clean(name), writing))
			}
		}
		if err != nil {
			return errors.Join(err, dir.Close())
		}
	}
	return dir.Close()
}
