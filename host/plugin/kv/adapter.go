package kv

import (
	"context"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/store"
)

// root is the name in a store under which plugins' entries are kept. The agent's hooks and tools, which are trusted, leave
// it alone.
const root = "plugins"

// adapter keeps the entries of plugins in a store.
type adapter struct {
	store store.Store
	above store.Namespace // parent of all their namespaces
}

// In returns a store for the plugins of an agent. It uses a store of the host, which may hold other things and serve other
// agents too: agents with different names share nothing.
func In(s store.Store, agent string) Store {
	return &adapter{s, store.Namespace{root, nameOf(agent)}}
}

// path returns where the entries of a namespace are. All names in it come from the host and the operator: those of the
// agent, the scope, the run or thread, and the plugin. A guest writes only keys, which are not part of any path. Each name
// is one element, whatever it contains (see [nameOf]), and the scope is one of three. So two different namespaces have
// different paths, and neither is below the other.
func (a *adapter) path(ns Namespace) store.Namespace {
	if ns.Scope == abi.ScopePlugin {
		return slices.Concat(a.above, store.Namespace{string(ns.Scope), nameOf(ns.Plugin)})
	}
	return append(a.owner(ns.Scope, ns.ID), nameOf(ns.Plugin))
}

// owner returns the parent of the entries of all plugins that live as long as a run or a thread.
func (a *adapter) owner(scope abi.Scope, id string) store.Namespace {
	return slices.Concat(a.above, store.Namespace{string(scope), nameOf(id)})
}

// Get returns an entry, see [Store].
func (a *adapter) Get(ctx context.Context, ns Namespace, key string) (Entry, bool, error) {
	if err := ns.Check(); err != nil {
		return Entry{}, false, err
	}
	e, ok, err := a.store.Get(ctx, a.path(ns), key)
	return Entry{Value: e.Value, Version: e.Version}, ok, err
}

// Put writes an entry, see [Store].
func (a *adapter) Put(ctx context.Context, ns Namespace, key string, value []byte, o PutOptions) (uint64, error) {
	if err := checkPut(ns, value); err != nil {
		return 0, err
	}
	options := store.PutOptions{IfVersion: o.IfVersion, Quota: store.Quota(o.Quota.WithDefaults())}
	return a.store.Put(ctx, a.path(ns), key, value, options)
}

// Delete removes an entry, see [Store].
func (a *adapter) Delete(ctx context.Context, ns Namespace, key string, ifVersion *uint64) error {
	if err := ns.Check(); err != nil {
		return err
	}
	return a.store.Delete(ctx, a.path(ns), key, ifVersion)
}

// List returns entries, see [Store].
func (a *adapter) List(ctx context.Context, ns Namespace, q Query) (Page, error) {
	if err := ns.Check(); err != nil {
		return Page{}, err
	}
	found, err := a.store.List(ctx, a.path(ns), store.Query{Prefix: q.Prefix, After: q.After, Limit: q.Limit})
	page := Page{Items: slices.Grow([]Item(nil), len(found.Items)), More: found.More}
	for i := range found.Items {
		e := &found.Items[i]
		page.Items = append(page.Items, Item{Key: e.Key, Size: e.Size, Version: e.Version})
	}
	return page, err
}

// Drop removes what all plugins keep for a run or a thread, see [Store].
func (a *adapter) Drop(ctx context.Context, scope abi.Scope, id string) error {
	if err := checkOwner(scope, id); err != nil {
		return err
	}
	return a.store.Drop(ctx, a.owner(scope, id))
}
