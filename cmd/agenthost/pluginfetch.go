package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/author"
	"github.com/agenthost/agenthost/host/plugin/minisig"
	"github.com/agenthost/agenthost/manifest"
	"github.com/agenthost/agenthost/registry"
	"github.com/agenthost/agenthost/registry/cache"
	"github.com/agenthost/agenthost/registry/lock"
	"github.com/agenthost/agenthost/registry/reference"
)

// fetcher fetches the plugins of a manifest that are not files, and keeps them in the cache.
type fetcher struct {
	command  string // begins its errors
	manifest *manifest.Manifest
	locked   *lock.File // of the manifest
	client   registryClient
	cache    *cache.Cache
	engine   *plugin.Engine
}

// eachManifest performs do for the manifest, and then for those of the agents that it uses. Each has a lock file of its own.
func (a *app) eachManifest(command string, flags *registryFlags, do func(f *fetcher) error) error {
	f := &fetcher{command: command, client: flags.client(), engine: a.engine(a.logger())}
	defer func() {
		f.client.CloseIdleConnections()
		_ = f.engine.Close() // the process is about to end
	}()
	var err error
	if f.cache, err = cache.User(); err != nil {
		return &exitError{exitUsage, fmt.Errorf("%s: the cache of plugins: %w; let XDG_CACHE_HOME or HOME name a directory that you can write to",
			command, err)}
	}
	m, err := manifest.Load(a.file, manifest.Options{Set: a.set, Engine: f.engine, Cache: f.cache, InMemory: true})
	if err != nil {
		return &exitError{exitUsage, a.withManifestHint(err)}
	}
	all, err := m.Manifests()
	if err != nil {
		return &exitError{exitUsage, err}
	}
	for _, f.manifest = range all {
		if f.locked, err = lock.Read(f.manifest.LockPath()); err != nil {
			return &exitError{exitUsage, err}
		}
		if err := do(f); err != nil {
			return err
		}
	}
	return nil
}

// fetched is a plugin that was fetched and examined, and is not kept yet.
type fetched struct {
	*registry.Pulled

	entry lock.Plugin // what the lock file says once it is accepted
}

// fetch fetches the module of a source and examines it in the sandbox, without grants. The digest and the signature that the manifest
// demands are checked first. If locked is not nil, it fetches that module, with the signature of its signer.
func (f *fetcher) fetch(ctx context.Context, r *manifest.RemotePlugin, locked *lock.Plugin) (*fetched, error) {
	wanted, pinned := r.Minisign, ""
	if locked != nil {
		pinned = locked.Manifest
		if slices.Contains(wanted, locked.Signer) {
			wanted = []string{locked.Signer}
		}
	}
	keys, err := minisig.ParseKeys(wanted)
	if err != nil {
		return nil, &exitError{exitUsage, fmt.Errorf("%s: %w", f.command, err)}
	}
	var pulled *registry.Pulled
	if r.IsURL {
		pulled, err = f.client.Download(ctx, r.Source, r.SHA256, keys...)
	} else {
		var ref reference.Reference
		if ref, err = reference.Parse(r.Source); err != nil {
			return nil, &exitError{exitUsage, fmt.Errorf("%s: %w", f.command, err)}
		}
		if pinned != "" {
			ref = ref.At(pinned)
		}
		pulled, err = f.client.PullPlugin(ctx, ref, keys...)
	}
	if err != nil {
		return nil, registryError(ctx, f.command, err)
	}
	sum := sha256.Sum256(pulled.Bytes)
	digest := hex.EncodeToString(sum[:])
	if r.SHA256 != "" && r.SHA256 != digest {
		return nil, f.refused(r, &plugin.DigestError{Want: r.SHA256, Got: digest})
	}
	in := author.Inspect(ctx, plugin.Wasm{ID: r.Name, Bytes: pulled.Bytes, Engine: f.engine})
	switch {
	case ctx.Err() != nil:
		return nil, interrupted()
	case !in.OK:
		return nil, f.refused(r, fmt.Errorf("it does not load: %s: %s", in.Stage, in.Message))
	}
	entry := lock.Plugin{
		Source: r.Source, Manifest: pulled.Manifest, SHA256: digest, Name: in.Described.Name, Version: in.Described.Version,
		Asks: lock.Asks(plugin.AsksOf(in.Described)),
	}
	if pulled.Signature != nil {
		entry.Signer = pulled.Signature.By.String()
	}
	return &fetched{pulled, entry}, nil
}

// refused returns the error of a plugin that is not accepted.
func (f *fetcher) refused(r *manifest.RemotePlugin, err error) error {
	return &exitError{exitPlugin, fmt.Errorf("%s: %s: %w", f.command, r.Source, err)}
}

// keep puts a module and its signature into the cache.
func (f *fetcher) keep(p *fetched) error {
	digest, err := f.cache.Put(p.Bytes)
	if err == nil && p.Signature != nil {
		err = f.cache.PutSignature(digest, p.Signature.By, p.Signature.Bytes)
	}
	if err != nil {
		return &exitError{exitFailed, fmt.Errorf("%s: %w", f.command, err)}
	}
	return nil
}

// usable reports whether a run could use a plugin now: it is locked, and its module is in the cache and undamaged.
func (f *fetcher) usable(r *manifest.RemotePlugin) bool {
	if r.Err != nil {
		return false
	}
	_, err := f.cache.Get(f.locked.Find(r.Source).SHA256)
	return err == nil
}

// before returns what the lock file says about a source or, if it does not have it, about another version from the same repository.
func (f *fetcher) before(source string) *lock.Plugin {
	if entry := f.locked.Find(source); entry != nil {
		return entry
	}
	ref, err := reference.Parse(source)
	if err != nil {
		return nil
	}
	for i := range f.locked.Plugins {
		other, err := reference.Parse(f.locked.Plugins[i].Source)
		if err == nil && other.Name() == ref.Name() {
			return &f.locked.Plugins[i]
		}
	}
	return nil
}

// errMore is why a plugin is refused that asks for more than the lock file says.
var errMore = errors.New("it asks for more than the lock file says")

// checkAsks refuses a plugin that asks for more than the lock file says about it or an earlier version.
func (f *fetcher) checkAsks(r *manifest.RemotePlugin, p *fetched) error {
	before := f.before(r.Source)
	if before == nil {
		return nil
	}
	more := plugin.Asks(p.entry.Asks).Beyond(plugin.Asks(before.Asks))
	if more.IsZero() {
		return nil
	}
	return f.refused(r, fmt.Errorf("%w: %s; 'agenthost plugin lock' shows the difference and lets you accept it", errMore, more))
}
