package golden

import (
	"context"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/plugin/kv"
	"github.com/agenthost/agenthost/host/store"
	"github.com/agenthost/agenthost/host/store/memory"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

// storeEntry has the entries of the plugin's store when the hook is called: values by their keys, by scope.
type storeEntry struct{ values map[string]map[string]any }

// UnmarshalStrict decodes the scopes.
func (e *storeEntry) UnmarshalStrict(n strictyaml.Node) error {
	var given struct {
		Plugin map[string]any `yaml:"plugin" strict:"optional"`
		Thread map[string]any `yaml:"thread" strict:"optional"`
		Run    map[string]any `yaml:"run"    strict:"optional"`
	}
	if err := n.Decode(&given); err != nil {
		return err
	}
	e.values = map[string]map[string]any{
		string(abi.ScopePlugin): given.Plugin, string(abi.ScopeThread): given.Thread, string(abi.ScopeRun): given.Run,
	}
	return nil
}

// shelf is the store of a case.
type shelf struct {
	store  *kv.Store
	plugin string
	run    string // the id of the run in which the hook is called; "": it was not called
}

func newShelf(plugin string) *shelf {
	return &shelf{store: kv.New(memory.New(), "test"), plugin: plugin}
}

// spaces returns the places of entries, by scope.
func (s *shelf) spaces() []kv.Namespace {
	return []kv.Namespace{
		{Plugin: s.plugin, Scope: abi.ScopePlugin},
		{Plugin: s.plugin, Scope: abi.ScopeRun, ID: s.run},
		{Plugin: s.plugin, Scope: abi.ScopeThread, ID: thread},
	}
}

// fill puts the entries of the case into the store.
func (s *shelf) fill(ctx context.Context, rt *host.Runtime, given *storeEntry) error {
	s.run = rt.RunID()
	for _, space := range s.spaces() {
		for key, value := range given.values[string(space.Scope)] {
			raw, err := wire.Of(value)
			if err == nil {
				_, err = s.store.Put(ctx, space, key, raw, store.PutOptions{})
			}
			if err != nil {
				return fmt.Errorf("store.%s: %q: %w", space.Scope, key, err)
			}
		}
	}
	return nil
}

// content returns all entries, by scope. A scope without entries is left out.
func (s *shelf) content(ctx context.Context) (wire.Raw, error) {
	var scopes wire.Map
	if s.run == "" {
		return scopes.Raw(), nil
	}
	for _, space := range s.spaces() {
		var entries wire.Map
		for query := (store.Query{Values: true}); ; {
			page, err := s.store.List(ctx, space, query)
			if err != nil {
				return nil, fmt.Errorf("store: %w", err)
			}
			for i := range page.Items {
				value, err := asYAML(page.Items[i].Value)
				if err != nil {
					return nil, fmt.Errorf("store.%s: %q: %w", space.Scope, page.Items[i].Key, err)
				}
				entries.Set(page.Items[i].Key, value)
				query.After = page.Items[i].Key
			}
			if !page.More {
				break
			}
		}
		if len(entries) > 0 {
			scopes.Set(string(space.Scope), entries.Raw())
		}
	}
	return scopes.Raw(), nil
}
