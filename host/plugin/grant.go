package plugin

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/plugin/cassette"
	"github.com/agenthost/agenthost/host/plugin/fetch"
	"github.com/agenthost/agenthost/host/plugin/kv"
	"github.com/agenthost/agenthost/host/store"
)

// Grant is what the operator allows a plugin beyond what every plugin may do. A plugin gets the capabilities that it asks
// for in its Description and that are granted.
type Grant struct {
	Reads         []string      // state fields of other middleware that its hooks may read
	Writes        []string      // state fields of other middleware that its hooks may write
	Context       []string      // keys of the run's context that it is shown
	KV            *KVGrant      // kv.get, kv.put, kv.delete and kv.list
	HTTPFetch     *fetch.Policy // http.fetch
	ModelGenerate *ModelGrant   // model.generate
	ToolCall      []string      // tool.call: the agent's tools that it may call
	ClockNow      bool          // clock.now
	ClockSleep    bool          // clock.sleep
	RandomBytes   bool          // random.bytes
}

// KVGrant grants the plugin a store of its own.
type KVGrant struct {
	Quota  store.Quota // quota of each run, each thread, and the plugin itself; see [kv.WithDefaults]
	Scopes []abi.Scope // empty: all
}

// ModelGrant grants the plugin a model to call.
type ModelGrant struct {
	Model string // the name of one of the agent's named models
	Calls int    // number of calls per run; 0 means [DefaultModelCalls]
}

// DefaultModelCalls is the number of times that a plugin may call its model in one run of the agent, unless the grant says
// otherwise.
const DefaultModelCalls = 10

// check reports a grant that makes no sense.
func (g *Grant) check(models map[string]model.Model) error {
	if g.KV != nil {
		for _, scope := range g.KV.Scopes {
			if !slices.Contains(scopes, scope) {
				return fmt.Errorf(`grant.kv: the scope is %q; use "run", "thread" or "plugin"`, scope)
			}
		}
	}
	if m := g.ModelGenerate; m != nil {
		if _, ok := models[m.Model]; !ok {
			return fmt.Errorf("grant.model.generate: the agent has no model %q under models; it has [%s]",
				m.Model, strings.Join(slices.Sorted(maps.Keys(models)), ", "))
		}
		if m.Calls < 0 {
			return fmt.Errorf("grant.model.generate: calls is %d; it must be positive, or 0 for %d", m.Calls, DefaultModelCalls)
		}
	}
	if slices.Contains(g.ToolCall, "") {
		return errors.New("grant.tool.call: a tool without a name")
	}
	return nil
}

// scopes are all scopes of stored entries.
var scopes = []abi.Scope{abi.ScopeRun, abi.ScopeThread, abi.ScopePlugin}

// scopes returns the granted scopes.
func (g *KVGrant) scopes() []abi.Scope {
	if len(g.Scopes) == 0 {
		return scopes
	}
	return g.Scopes
}

func (g *ModelGrant) calls() int { return orDefault(g.Calls, DefaultModelCalls) }

// grantKey is a key of a Grant: a set of things that an operator allows together.
type grantKey struct {
	name    string
	has     func(g *Grant) bool
	standIn func(g *Grant)        // grants it to a replay, in which nothing uses it
	detail  func(g *Grant) string // the exact extent of the grant, for people; nil: nothing to add
}

// standInName names what a replay is granted in place of the recorded models, hosts and tools.
const standInName = "replay"

// The keys of a Grant, in the order of SPEC.md.
var (
	grantKV = &grantKey{
		name: "kv", has: func(g *Grant) bool { return g.KV != nil }, standIn: func(g *Grant) { g.KV = &KVGrant{} },
		detail: func(g *Grant) string {
			quota := kv.WithDefaults(g.KV.Quota)
			return fmt.Sprintf("%d bytes and %d entries for each %s", quota.Bytes, quota.Entries, join(g.KV.scopes(), " and "))
		},
	}
	grantHTTPFetch = &grantKey{
		name: abi.OpHTTPFetch, has: func(g *Grant) bool { return g.HTTPFetch != nil },
		standIn: func(g *Grant) { g.HTTPFetch = &fetch.Policy{Hosts: []string{standInName + ".invalid"}} },
		detail:  func(g *Grant) string { return fetchDetail(g.HTTPFetch) },
	}
	grantModelGenerate = &grantKey{
		name: abi.OpModelGenerate, has: func(g *Grant) bool { return g.ModelGenerate != nil },
		standIn: func(g *Grant) { g.ModelGenerate = &ModelGrant{Model: standInName} },
		detail: func(g *Grant) string {
			return fmt.Sprintf("model %s, %d calls in a run", g.ModelGenerate.Model, g.ModelGenerate.calls())
		},
	}
	grantToolCall = &grantKey{
		name: abi.OpToolCall, has: func(g *Grant) bool { return len(g.ToolCall) > 0 },
		standIn: func(g *Grant) { g.ToolCall = []string{standInName} },
		detail:  func(g *Grant) string { return "tools " + strings.Join(g.ToolCall, ", ") },
	}
	grantClockNow = &grantKey{
		name: abi.OpClockNow, has: func(g *Grant) bool { return g.ClockNow }, standIn: func(g *Grant) { g.ClockNow = true },
	}
	grantRandomBytes = &grantKey{
		name: abi.OpRandomBytes, has: func(g *Grant) bool { return g.RandomBytes }, standIn: func(g *Grant) { g.RandomBytes = true },
	}

	grantClockSleep = &grantKey{
		name: abi.OpClockSleep, has: func(g *Grant) bool { return g.ClockSleep }, standIn: func(g *Grant) { g.ClockSleep = true },
	}

	grantKeys = []*grantKey{grantKV, grantHTTPFetch, grantModelGenerate, grantToolCall, grantClockNow, grantRandomBytes, grantClockSleep}
)

// GrantToReplay returns the grant and the models that a recorded plugin needs to load again. They replace those of the
// recorded run; a replay does not use them.
func GrantToReplay(recorded *cassette.Plugin) (Grant, map[string]model.Model) {
	g := Grant{Reads: recorded.Reads, Writes: recorded.Writes, Context: recorded.Context}
	for _, key := range grantKeys {
		if slices.Contains(recorded.Grants, key.name) {
			key.standIn(&g)
		}
	}
	return g, map[string]model.Model{standInName: nil}
}

// grantOf returns the key of a Grant that an operation needs, or nil if it needs none or does not exist.
func grantOf(name string) *grantKey {
	if op := operationsByName()[name]; op != nil {
		return op.grant
	}
	return nil
}

// given reports whether the key is granted. A nil key never is.
func (k *grantKey) given(g *Grant) bool { return k != nil && k.has(g) }

// shown describes for a person what exactly is granted.
func (k *grantKey) shown(g *Grant) string {
	if k == nil || k.detail == nil {
		return ""
	}
	return k.detail(g)
}

func fetchDetail(p *fetch.Policy) string {
	details := []string{strings.Join(p.Hosts, ", ")}
	if len(p.Methods) > 0 {
		details = append(details, strings.Join(p.Methods, ", "))
	}
	if len(p.Private) > 0 {
		details = append(details, "also in "+join(p.Private, ", "))
	}
	for _, name := range slices.Sorted(maps.Keys(p.Secrets)) {
		details = append(details, fmt.Sprintf("secret %s for %s", name, strings.Join(p.Secrets[name].Hosts, ", ")))
	}
	return strings.Join(details, "; ")
}

func join[T any](values []T, separator string) string {
	texts := make([]string, len(values))
	for i := range values {
		texts[i] = fmt.Sprint(values[i])
	}
	return strings.Join(texts, separator)
}
