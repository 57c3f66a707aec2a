package manifest

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/internal/strictyaml"
	"github.com/agenthost/agenthost/manifest/threadstore"
)

// checkpointEntry names the store that keeps threads: memory, sqlite:PATH or a postgres URL.
type checkpointEntry struct {
	address threadstore.Address
	node    strictyaml.Node
}

// UnmarshalStrict checks the address.
func (e *checkpointEntry) UnmarshalStrict(n strictyaml.Node) error {
	e.node = n
	var text string
	if err := n.Decode(&text); err != nil {
		return err
	}
	var err error
	switch e.address, err = threadstore.Parse(text); {
	case errors.Is(err, threadstore.ErrUnknown):
		return n.Unknown("checkpoint store", threadstore.Forms)
	case err != nil:
		return n.Errorf("%w", err)
	default:
		return nil
	}
}

// open opens the store, sets config to use it, and returns what closes it. Without a store, threads are not kept. Values that outlive threads are then kept as
// long as the agent lives, also when a plugin is loaded again.
func (e *checkpointEntry) open(ctx context.Context, m *Manifest, config *host.Config) (closing func() error, err error) {
	if m.threads != nil {
		config.Checkpointer, config.Store = m.threads, m.threads.Values
		return func() error { return nil }, nil
	}
	if e.address.IsZero() || m.inMemory || m.memoryStore {
		opened := threadstore.InMemory()
		config.Store = opened.Values
		if !e.address.IsZero() {
			config.Checkpointer = opened
		}
		return opened.Close, nil
	}
	opened, err := e.address.In(m.dir).WithLease(m.Lease).Open(ctx)
	if err != nil {
		return nil, located(e.node, err)
	}
	config.Checkpointer, config.Store = opened, opened.Values
	return opened.Close, nil
}

// needsCheckpoint reports a key that is about the store of threads if there is none.
func (m *Manifest) needsCheckpoint(key string) error {
	node, ok := m.root.Get(key)
	if !ok || m.threads != nil || !m.Checkpoint.address.IsZero() {
		return nil
	}
	return node.Errorf("there is no checkpoint store to save threads in; add the key checkpoint, such as checkpoint: sqlite:agent.db")
}

// ReadCheckpoint reads only the store that the manifest names, so that you can look at threads although plugins, models or
// variables are missing. If the manifest names no store, ReadCheckpoint returns the zero Address. The options LookupEnv and
// Set apply.
func ReadCheckpoint(path string, options Options) (threadstore.Address, error) {
	data, err := readFile(path, "a manifest")
	if err != nil {
		return threadstore.Address{}, err
	}
	root, err := strictyaml.Parse(path, data, strictyaml.WithSet(options.Set), strictyaml.WithMaxBytes(MaxSize))
	if err != nil {
		return threadstore.Address{}, err
	}
	node, ok := root.Get("checkpoint")
	if !ok {
		return threadstore.Address{}, nil
	}
	lookup := options.LookupEnv
	if lookup == nil {
		lookup = os.LookupEnv
	}
	dir := &Manifest{dir: filepath.Dir(path)}
	expanded, err := node.Expand(lookup)
	if err != nil { // env_file is read only if a variable is missing, so a missing file is not an error before
		if lookup, _, err = environment(root, lookup, dir.path, options.EnvFile); err == nil {
			expanded, err = node.Expand(lookup)
		}
	}
	if err != nil {
		return threadstore.Address{}, err
	}
	var entry checkpointEntry
	if err := expanded.Decode(&entry); err != nil {
		return threadstore.Address{}, err
	}
	return entry.address.In(dir.dir), nil
}
