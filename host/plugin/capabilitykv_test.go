package plugin_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/internal/guestkit"
	"github.com/agenthost/agenthost/host/plugin/kv"
	"github.com/agenthost/agenthost/host/store"
	storememory "github.com/agenthost/agenthost/host/store/memory"
)

var allOfKV = []string{abi.OpKVGet, abi.OpKVPut, abi.OpKVDelete, abi.OpKVList}

func put(scope abi.Scope, key string, value any) []byte {
	raw, err := wire.Of(value)
	if err != nil {
		panic(err)
	}
	return guestkit.Document(&abi.KVPut{Key: key, Scope: scope, Value: raw})
}

func get(scope abi.Scope, key string) []byte {
	return guestkit.Document(&abi.KVGet{Key: key, Scope: scope})
}

func TestKVCapabilityKeepsEntries(t *testing.T) {
	t.Parallel()
	zero, two := uint64(0), uint64(2)
	g := capable(allOfKV...)
	g.On("before_agent",
		g.HostCall(abi.OpKVPut, put(abi.ScopeRun, "a", map[string]any{"n": 1}), abi.StatusOK),
		g.HostCall(abi.OpKVPut, put(abi.ScopeRun, "b/1", "text"), abi.StatusOK),
		g.HostCall(abi.OpKVPut, put(abi.ScopeRun, "b/2", nil), abi.StatusOK),
		g.HostCall(abi.OpKVPut, guestkit.Document(&abi.KVPut{Key: "a", Scope: abi.ScopeRun, Value: wire.Int(7), IfVersion: &two}), abi.ECONFLICT),
		g.HostCall(abi.OpKVPut, guestkit.Document(&abi.KVPut{Key: "a", Scope: abi.ScopeRun, Value: wire.Int(7), IfVersion: &zero}), abi.ECONFLICT),
		g.HostCall(abi.OpKVDelete, guestkit.Document(&abi.KVDelete{Key: "b/1", Scope: abi.ScopeRun, IfVersion: &zero}), abi.ECONFLICT),
		g.HostCall(abi.OpKVDelete, guestkit.Document(&abi.KVDelete{Key: "b/1", Scope: abi.ScopeRun, IfVersion: &two}), abi.StatusOK),
		g.HostCall(abi.OpKVGet, get(abi.ScopeRun, "b/1"), abi.ENOENT),
		g.HostCall(abi.OpKVGet, get(abi.ScopePlugin, "a"), abi.ENOENT),
		show(g, abi.OpKVList, guestkit.Document(&abi.KVList{Scope: abi.ScopeRun})))
	_, events := grants(t, g, plugin.Grant{KV: &plugin.KVGrant{}})
	require.Equal(t, `[{"items":[{"key":"a","size":4,"version":1},{"key":"b/2","size":1,"version":3}]}]`, shown(t, events))

	g = capable(allOfKV...)
	g.On("before_agent",
		g.HostCall(abi.OpKVPut, put(abi.ScopeRun, "a", map[string]any{"n": 1}), abi.StatusOK),
		show(g, abi.OpKVGet, get(abi.ScopeRun, "a")))
	_, events = grants(t, g, plugin.Grant{KV: &plugin.KVGrant{}})
	require.Equal(t, `[{"value":{"n":1},"version":1}]`, shown(t, events))
}

func TestKVCapabilityHoldsQuotaAndScopes(t *testing.T) {
	t.Parallel()
	small := store.Quota{Bytes: 200, Entries: 2}
	g := capable(allOfKV...)
	g.On("before_agent",
		g.HostCall(abi.OpKVPut, put(abi.ScopeRun, "a", strings.Repeat("x", 200)), abi.ELIMIT),
		g.HostCall(abi.OpKVPut, put(abi.ScopeRun, "a", 1), abi.StatusOK),
		g.HostCall(abi.OpKVPut, put(abi.ScopeRun, "b", 1), abi.StatusOK),
		g.HostCall(abi.OpKVPut, put(abi.ScopeRun, "c", 1), abi.ELIMIT),
		g.HostCall(abi.OpKVPut, put(abi.ScopeThread, "c", 1), abi.ENOTSUP),
		g.HostCall(abi.OpKVPut, put(abi.ScopePlugin, "c", 1), abi.EDENIED),
		guestkit.Nothing)
	grants(t, g, plugin.Grant{KV: &plugin.KVGrant{Quota: small, Scopes: []abi.Scope{abi.ScopeRun, abi.ScopeThread}}})
}

// counting makes a guest that shows what it finds under a key in each scope, and then leaves something there. The first
// fails with ENOENT, which shows as nothing.
func counting(scope abi.Scope) *guestkit.Module {
	g := capable(allOfKV...)
	return g.On("before_agent",
		g.HostCall(abi.OpKVPut, put(scope, "seen", 1), abi.StatusOK),
		show(g, abi.OpKVPut, put(scope, "seen", 1)))
}

// The version of an entry tells how often it was written: what was dropped begins anew.
func TestKVCapabilityScopesLiveAsLongAsTheySay(t *testing.T) {
	t.Parallel()
	for scope, want := range map[abi.Scope][]string{
		abi.ScopeRun:    {"2", "2", "2"},
		abi.ScopeThread: {"2", "4", "2"},
		abi.ScopePlugin: {"2", "4", "6"},
	} {
		t.Run(string(scope), func(t *testing.T) {
			t.Parallel()
			seed := uint64(0)
			b := setup(t, plugin.Wasm{Bytes: counting(scope).Bytes(), Grant: plugin.Grant{KV: &plugin.KVGrant{}}}, func(c *host.Config) {
				c.Checkpointer, c.Seed = memory.New(), func() uint64 { seed++; return seed }
			})
			for i, thread := range []string{"one", "one", "two"} {
				result, err := b.agent.Run(t.Context(), host.Input{Thread: thread, Messages: []abi.Message{abi.Human("hi")}})
				require.NoError(t, err)
				require.Equal(t, `[{"version":`+want[i]+`}]`, result.State.Get("f").JSON())
			}
		})
	}
}

// Run entries are there when an interrupted run is resumed, and gone when it has ended.
func TestKVCapabilityOutlivesAnInterrupt(t *testing.T) {
	t.Parallel()
	kept := kv.New(storememory.New(), "")
	b := setup(t, plugin.Wasm{Bytes: counting(abi.ScopeRun).Bytes(), Grant: plugin.Grant{KV: &plugin.KVGrant{}}, KV: kept}, func(c *host.Config) {
		c.Checkpointer, c.InterruptBefore = memory.New(), []string{"tools"}
	})
	result, err := b.agent.Run(t.Context(), host.Input{Thread: "one", Messages: []abi.Message{abi.Human("hi")}})
	require.NoError(t, err)
	require.Equal(t, host.Interrupted, result.Status)
	ns := kv.Namespace{Plugin: "bad", Scope: abi.ScopeRun, ID: result.RunID}
	_, found, err := kept.Get(t.Context(), ns, "seen")
	require.NoError(t, err)
	require.True(t, found)
	result, err = b.agent.Run(t.Context(), host.Input{Thread: "one", Continue: true})
	require.NoError(t, err)
	require.Equal(t, host.Completed, result.Status)
	_, found, err = kept.Get(t.Context(), ns, "seen")
	require.NoError(t, err)
	require.False(t, found)
}

// A plugin keeps its entries in the store of its agent, apart from those of other agents there, and finds them again when it
// is loaded anew; what it was given explicitly comes first.
func TestKVCapabilityUsesTheAgentsStore(t *testing.T) {
	t.Parallel()
	kept := storememory.New()
	run := func(own *kv.Store, agent string, times int) string {
		w := plugin.Wasm{ID: "bad", Bytes: counting(abi.ScopePlugin).Bytes(), Engine: compiled, Grant: plugin.Grant{KV: &plugin.KVGrant{}}, KV: own}
		b := setup(t, w, func(c *host.Config) { c.Store, c.Name = kept, agent })
		shows := ""
		for range times {
			events, err := b.run(t)
			require.NoError(t, err)
			shows = shown(t, events)
			require.NoError(t, b.agent.Swap(t.Context(), "bad", w))
		}
		return shows
	}
	require.Equal(t, `[{"version":4}]`, run(nil, "one", 2))
	require.Equal(t, `[{"version":2}]`, run(nil, "two", 1))
	require.Equal(t, `[{"version":6}]`, run(nil, "one", 1))
	require.Equal(t, `[{"version":2}]`, run(kv.New(storememory.New(), "one"), "one", 1))
	page, err := kept.Namespaces(t.Context(), nil, nil, 0)
	require.NoError(t, err)
	require.Equal(t, []store.Namespace{{"plugins", "one", "plugin", "bad"}, {"plugins", "two", "plugin", "bad"}}, page.Items)
}

func TestKVCapabilityIsThePluginsOwn(t *testing.T) {
	t.Parallel()
	kept := kv.New(storememory.New(), "")
	other := capable(allOfKV...)
	other.On("before_agent", other.HostCall(abi.OpKVGet, get(abi.ScopePlugin, "seen"), abi.ENOENT), guestkit.Nothing)
	grant := plugin.Grant{KV: &plugin.KVGrant{}}
	b := setup(t, plugin.Wasm{Bytes: counting(abi.ScopePlugin).Bytes(), Grant: grant, KV: kept}, func(c *host.Config) {
		without := slices.Clone(other.Bytes())
		c.Middleware = append(c.Middleware, plugin.Wasm{
			ID: "other", Bytes: without, KV: kept, Engine: compiled,
			Grant: plugin.Grant{KV: grant.KV, Reads: []string{"f"}, Writes: []string{"f"}},
		})
		c.Middleware[0] = plugin.Wasm{
			ID: "bad", Bytes: counting(abi.ScopePlugin).Bytes(), KV: kept, Engine: compiled,
			Grant: plugin.Grant{KV: grant.KV, Reads: []string{"f"}, Writes: []string{"f"}},
		}
	})
	_, err := b.run(t)
	require.NoError(t, err)
}

func TestKVCapabilityOfABrokenStore(t *testing.T) {
	t.Parallel()
	g := capable(abi.OpKVGet)
	g.On("before_agent", show(g, abi.OpKVGet, get(abi.ScopeRun, "a")))
	b := setup(t, plugin.Wasm{Bytes: g.Bytes(), Grant: plugin.Grant{KV: &plugin.KVGrant{}}, KV: kv.New(brokenStore{}, "")})
	events, err := b.run(t)
	require.NoError(t, err)
	require.Equal(t, `[{"message":"the store failed","retryable":true,"type":"kv_store"}]`, shown(t, events))
	require.Equal(t, []string{
		"ERROR the store of the plugin failed", "ERROR what the plugin kept for a run stays in its store",
	}, b.logged.texts())
}

type brokenStore struct{ store.Store }

var errDisk = errors.New("/secret/path: disk full")

func (brokenStore) Get(context.Context, store.Namespace, string) (store.Entry, bool, error) {
	return store.Entry{}, false, errDisk
}

func (brokenStore) Drop(context.Context, store.Namespace) error { return errDisk }
