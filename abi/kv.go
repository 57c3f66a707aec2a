package abi

import "github.com/agenthost/agenthost/abi/wire"

//msgp:tag msgpack

// Scope says which of a plugin's stores a kv operation uses, and so how long an entry lives.
type Scope string

// The scopes.
const (
	ScopeRun    Scope = "run"    // the entries live as long as the run, including its interrupts and resumes
	ScopeThread Scope = "thread" // the entries live as long as the thread
	ScopePlugin Scope = "plugin" // the entries live until the plugin deletes them; all threads share them
)

// KVGet asks for an entry of the store.
type KVGet struct {
	Key   string `msgpack:"key"`
	Scope Scope  `msgpack:"scope"`
}

// KVEntry answers a KVGet.
type KVEntry struct {
	Value   wire.Raw `msgpack:"value"`
	Version uint64   `msgpack:"version"` // never 0, and unique within a store
}

// KVPut writes an entry of the store.
type KVPut struct {
	IfVersion *uint64  `msgpack:"if_version,omitempty"` // act only if the entry has this version; 0: only if there is no entry
	Key       string   `msgpack:"key"`
	Scope     Scope    `msgpack:"scope"`
	Value     wire.Raw `msgpack:"value"`
}

// KVVersion answers a KVPut.
type KVVersion struct {
	Version uint64 `msgpack:"version"` // version of the written entry
}

// KVDelete removes an entry of the store, if there is one.
type KVDelete struct {
	IfVersion *uint64 `msgpack:"if_version,omitempty"` // act only if the entry has this version; 0: only if there is no entry
	Key       string  `msgpack:"key"`
	Scope     Scope   `msgpack:"scope"`
}

// KVList lists the entries of the store, in the byte order of their keys.
type KVList struct {
	After  string `msgpack:"after,omitempty"`  // only keys after this one
	Limit  uint64 `msgpack:"limit,omitempty"`  // maximum number of entries; absent: 100; at most 1,000
	Prefix string `msgpack:"prefix,omitempty"` // only keys that begin with this prefix
	Scope  Scope  `msgpack:"scope"`
}

// KVPage answers a KVList.
type KVPage struct {
	Items []KVItem `msgpack:"items"`
	More  bool     `msgpack:"more,omitempty"` // more entries follow the last item
}

// KVItem is one entry of a KVPage, without its value.
type KVItem struct {
	Key     string `msgpack:"key"`
	Size    uint64 `msgpack:"size"` // size of the encoded value in bytes
	Version uint64 `msgpack:"version"`
}
