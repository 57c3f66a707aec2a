package manifest

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/minisig"
	"github.com/agenthost/agenthost/registry/cache"
	"github.com/agenthost/agenthost/registry/lock"
	"github.com/agenthost/agenthost/registry/reference"
)

// Plugins returns the plugins that the manifest lists, as the agent would load them, except those of [Manifest.RemotePlugins] that
// cannot be used.
func (m *Manifest) Plugins() []plugin.Wasm {
	var plugins []plugin.Wasm
	for i := range m.Middleware {
		if w, ok := host.Unwrapped(m.Middleware[i].build(m)).(plugin.Wasm); ok {
			plugins = append(plugins, w)
		}
	}
	return plugins
}

// RemotePlugin is a plugin of the manifest that is not a file, but comes from a registry or a URL.
type RemotePlugin struct {
	Name     string // of the middleware
	Source   string // as in the lock file: a reference or a URL
	IsURL    bool
	SHA256   string   // the digest that the manifest demands; "": any that the lock file has
	Minisign []string // the public keys of which the manifest demands a signature; none: no signature is needed
	Err      error    // why a run could not use the plugin now; nil: it could
}

// RemotePlugins returns the plugins of the manifest and of its subagents that are not files. Of equal ones it returns the first.
func (m *Manifest) RemotePlugins() []RemotePlugin {
	var all []RemotePlugin
	for _, e := range m.allMiddleware() {
		s := &e.plugin.Plugin
		if s.source() == "" || slices.ContainsFunc(all, func(r RemotePlugin) bool {
			return r.Source == s.source() && strings.EqualFold(r.SHA256, string(s.SHA256)) && slices.Equal(r.Minisign, s.Minisign)
		}) {
			continue
		}
		w, err := e.plugin.build(m)
		all = append(all, RemotePlugin{
			Name: w.Name(), Source: s.source(), IsURL: s.HTTPS != "", SHA256: strings.ToLower(string(s.SHA256)), Minisign: s.Minisign, Err: err,
		})
	}
	return all
}

// Path returns the path of the manifest.
func (m *Manifest) Path() string { return m.file }

// LockPath returns the path of the manifest's lock file, which need not exist.
func (m *Manifest) LockPath() string { return lock.Path(m.file) }

// allMiddleware returns the entries of the agent's middleware and of that of its subagents.
func (m *Manifest) allMiddleware() (all []*middlewareEntry) {
	var add func(list []middlewareEntry)
	add = func(list []middlewareEntry) {
		for i := range list {
			all = append(all, &list[i])
			if sub := list[i].subagents; sub != nil {
				add(sub.defaults)
				for j := range sub.parts {
					add(sub.parts[j].middleware)
				}
			}
		}
	}
	add(m.Middleware)
	return all
}

// takeLocked completes a plugin that is not a file by what the lock file says about its source, with the module and the signature of the
// cache. It uses no network. The module itself is checked when it is loaded.
func (m *Manifest) takeLocked(s *pluginSource, w *plugin.Wasm) error {
	command := func(name string) string {
		if m.file == defaultFile {
			return "run 'agenthost plugin " + name + "'"
		}
		return fmt.Sprintf("run 'agenthost plugin %s -f %s'", name, m.file)
	}
	file, err := m.locked()
	if err != nil {
		return err
	}
	entry := file.Find(s.source())
	if entry == nil {
		return fmt.Errorf("%s is not in %s, which says what may be run; %s", s.source(), lock.Path(m.file), command("lock"))
	}
	signer, err := matches(s, entry)
	if err != nil {
		return fmt.Errorf("%s: %w; %s", lock.Path(m.file), err, command("lock"))
	}
	from := m.cache
	if from == nil {
		if from, err = cache.User(); err != nil {
			return fmt.Errorf("the cache of plugins: %w", err)
		}
	}
	if !from.Has(entry.SHA256) {
		return fmt.Errorf("the module of %s is not on this machine, and a run uses no network; %s", s.source(), command("pull"))
	}
	if len(signer) > 0 {
		if w.Signature, err = from.Signature(entry.SHA256, signer); err != nil || w.Signature == nil {
			return errors.Join(err, fmt.Errorf("the signature of %s is not on this machine, and a run uses no network; %s", s.source(), command("pull")))
		}
	}
	w.Path, w.SHA256, w.Asks = from.Path(entry.SHA256), entry.SHA256, new(plugin.Asks(entry.Asks))
	return nil
}

// defaultFile is the name of the manifest that commands use if they are given none.
const defaultFile = "agenthost.yaml"

// matches checks that the lock file has what the manifest demands, and returns the key of the signer, if the manifest demands one.
func matches(s *pluginSource, entry *lock.Plugin) ([]minisig.Key, error) {
	if s.OCI != "" {
		if ref, _ := reference.Parse(string(s.OCI)); ref.Digest != "" && ref.Digest != entry.Manifest {
			return nil, errors.New("it has another digest than the manifest demands")
		}
	}
	if s.SHA256 != "" && !strings.EqualFold(string(s.SHA256), entry.SHA256) {
		return nil, errors.New("it has another sha256 than the manifest demands")
	}
	if len(s.Minisign) == 0 {
		return nil, nil
	}
	keys, err := minisig.ParseKeys(s.Minisign)
	if err != nil {
		return nil, err
	}
	for _, key := range keys {
		if key.String() == entry.Signer {
			return []minisig.Key{key}, nil
		}
	}
	return nil, errors.New("it has no signer that the manifest trusts")
}

// withPullAdvice says how to repair a damaged cache, and what to do about a module that the lock file does not permit.
func withPullAdvice(err error, s *pluginSource) error {
	if errors.Is(err, plugin.ErrAsksMore) {
		return fmt.Errorf("%w; 'agenthost plugin lock' shows the difference and lets you accept it", err)
	}
	_, wrong := errors.AsType[*plugin.DigestError](err)
	if s.source() == "" || !wrong && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, plugin.ErrSignature) {
		return err
	}
	return fmt.Errorf("%w; 'agenthost plugin pull' fetches it again", err)
}
