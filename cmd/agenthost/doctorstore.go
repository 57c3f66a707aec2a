package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/store"
	"github.com/agenthost/agenthost/manifest"
	"github.com/agenthost/agenthost/manifest/threadstore"
)

// store checks the store of threads.
func (d *doctor) store(ctx context.Context) {
	const subject = "checkpoint"
	address, err := manifest.ReadCheckpoint(d.file, d.watch.watching(manifest.Options{Set: d.set}))
	switch {
	case err != nil:
		if _, missing := errors.AsType[*manifest.NotFoundError](err); !missing {
			d.failed(subject, err.Error(), "")
		}
		return
	case address.IsZero():
		d.note(subject, "the manifest keeps no threads", "checkpoint: sqlite:agent.db keeps them in a file")
		return
	case address.InMemory():
		d.note(subject, "threads are kept in memory and end with the command", "checkpoint: sqlite:agent.db keeps them in a file")
		return
	}
	d.database(ctx, subject, address)
}

// database checks a database. It reports whether it is there and can be used.
func (d *doctor) database(ctx context.Context, subject string, address threadstore.Address) bool {
	if file, ok := strings.CutPrefix(address.String(), "sqlite:"); ok {
		if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
			if err := writable(filepath.Dir(file)); err != nil {
				d.failed(subject, fmt.Sprintf("%s cannot be created: %v", address, err), "create the directory, or name another place")
				return false
			}
			d.okf(subject, "%s does not exist yet; the first run creates it", address)
			return false
		}
		for _, suffix := range databaseFiles {
			d.access(file + suffix)
		}
	}
	if err := probe(ctx, address); err != nil {
		if ctx.Err() == nil {
			d.failed(subject, err.Error(), "docs/threads.md describes what stores need")
		}
		return false
	}
	d.okf(subject, "%s opens, is writable, and has the tables of this version", address)
	return true
}

// probe opens a store, which brings its tables to this version, and writes to it.
func probe(ctx context.Context, address threadstore.Address) (err error) {
	opened, err := address.OpenExisting(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	place, key := store.Namespace{"agenthost", "doctor"}, "probe"
	if _, err := store.Put(ctx, opened.Values, place, key, "", store.PutOptions{}); err != nil {
		return err
	}
	return opened.Values.Delete(ctx, place, key, nil)
}

// writable returns an error if no file can be created in the directory.
func writable(dir string) error {
	f, err := os.CreateTemp(dir, ".agenthost-doctor-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// cache checks the cache of compiled plugins.
func (d *doctor) cache(context.Context) {
	const subject, remedy = "cache", "without a cache every start compiles all plugins; let XDG_CACHE_HOME or HOME name a directory that you can write to"
	dir, err := os.UserCacheDir()
	if err != nil {
		d.note(subject, err.Error(), remedy)
		return
	}
	dir = filepath.Join(dir, "agenthost", "wasm")
	engine, err := plugin.NewEngine(plugin.EngineConfig{Dir: dir})
	if err == nil {
		err = errors.Join(writable(dir), engine.Close())
	}
	if err != nil {
		d.note(subject, err.Error(), remedy)
		return
	}
	d.okf(subject, "%s keeps compiled plugins", dir)
}
