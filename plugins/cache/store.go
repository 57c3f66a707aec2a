package main

import (
	sdk "github.com/agenthost/agenthost/sdk/go"
)

// place is where the answer to one call is kept.
type place struct {
	*policy

	call  *sdk.Call
	store sdk.Store
	name  string // of the model or tool
	key   string
}

// place returns the place of a call's answer. Where there is no thread, the run is the thread.
func (p *policy) place(c *sdk.Call, name, key string) *place {
	scope := p.scope
	if scope == sdk.ScopeThread && c.Input().Thread == "" {
		scope = sdk.ScopeRun
	}
	return &place{policy: p, call: c, store: c.Store(scope), name: name, key: key}
}

// find returns what is kept, and how long it has been; false if there is nothing good. If the store cannot be used the place is
// not usable.
func (p *place) find() (reply sdk.Raw, age uint64, found, usable bool) {
	value, version, err := p.store.Get(p.key)
	if err != nil {
		p.call.Log(sdk.LogWarn, "nothing is cached: the store cannot be used", "kind", p.kind, "error", err)
		return nil, 0, false, false
	}
	if version == 0 {
		return nil, 0, false, true
	}
	e, ok := readEntry(value)
	now := p.call.Input().Now
	if !ok || e.At > now || now-e.At >= p.ttl {
		return nil, 0, false, true
	}
	return e.Reply, now - e.At, true, true
}

// hit reports that the answer was found.
func (p *place) hit(age uint64) *sdk.Update {
	data := sdk.Map{
		{Key: "age_s", Value: sdk.Int(int64(age / 1e9))},
		{Key: "key", Value: sdk.String(p.shortKey())},
		{Key: "kind", Value: sdk.String(p.kind)},
		{Key: "name", Value: sdk.String(p.name)},
	}
	_ = p.call.Emit("cache_hit", data.Raw()) // the answer is good without it
	update := &sdk.Update{}
	hits.Set(update, 1)
	return update
}

// miss reports that it was not.
func (p *place) miss() *sdk.Update {
	p.call.Log(sdk.LogDebug, "cache miss", "kind", p.kind, "name", p.name, "key", p.shortKey())
	update := &sdk.Update{}
	misses.Set(update, 1)
	return update
}

// shortKey is enough of the key to tell entries apart.
func (p *place) shortKey() string { return p.key[len(p.kind)+1:][:12] }

// skip says why an answer is not kept.
func (p *place) skip(reason string) {
	p.call.Log(sdk.LogDebug, "not cached", "kind", p.kind, "name", p.name, "reason", reason)
}

// keep keeps an answer, if there is room. Of two calls at once the later one stays: its answer is as good.
func (p *place) keep(reply sdk.Raw) {
	e := entry{Format: entryFormat, At: p.call.Input().Now, Reply: reply}
	value, err := e.MarshalMsg(nil)
	if err == nil && uint64(len(value)) > p.most {
		p.skip("it is larger than max_entry")
		return
	}
	if err == nil {
		_, err = p.store.Put(p.key, value)
	}
	if err == sdk.ErrLimit && p.makeRoom(cost(p.key, len(value))) { //nolint:errorlint // as the SDK returns it
		_, err = p.store.Put(p.key, value)
	}
	switch {
	case err == sdk.ErrLimit: //nolint:errorlint // as the SDK returns it
		p.skip("the store is full")
	case err != nil:
		p.call.Log(sdk.LogWarn, "not cached: the store cannot be used", "kind", p.kind, "error", err)
	}
}

// cost is what an entry counts against the quota.
func cost(key string, size int) uint64 { return uint64(len(key)+size) + 64 }

// Room is made of a look at so many entries, by the removal of so many at the most: enough for many calls to come, and a
// call never waits long.
const (
	lookAt     = 1000
	removeMost = 64
)

// makeRoom removes the oldest entries: those with the smallest versions, since each write has a larger one. It frees what is
// needed, and an eighth of the store so that the next call has room too. It does nothing for an entry that is larger than all
// others together: the quota may never have room for it.
func (p *place) makeRoom(needed uint64) bool {
	items, _, err := p.store.List("", "", lookAt)
	if err != nil {
		return false
	}
	var all, freed uint64
	for _, item := range items {
		all += cost(item.Key, int(item.Size))
	}
	if needed > all {
		return false
	}
	for n := 0; n < removeMost && len(items) > 0 && freed < max(needed, all/8); n++ {
		i := oldest(items)
		err := p.store.DeleteIf(items[i].Key, items[i].Version)
		if err != nil && err != sdk.ErrConflict { //nolint:errorlint // as the SDK returns it
			return false
		}
		freed += cost(items[i].Key, int(items[i].Size))
		items[i] = items[len(items)-1]
		items = items[:len(items)-1]
	}
	return true
}

func oldest(items []sdk.KVItem) int {
	first := 0
	for i := range items {
		if items[i].Version < items[first].Version {
			first = i
		}
	}
	return first
}
