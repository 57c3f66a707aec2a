package sdk

import "github.com/agenthost/agenthost/abi"

// The scopes of a [Store].
const (
	ScopeRun    = abi.ScopeRun    // entries live as long as the run
	ScopeThread = abi.ScopeThread // entries live as long as the thread
	ScopePlugin = abi.ScopePlugin // entries live until the plugin deletes them; all threads share them
)

// Store holds the plugin's entries in one scope. Unlike an update, a write takes effect at once, and remains even if the hook
// fails or runs again.
type Store struct {
	call  *Call
	scope abi.Scope
}

// Store returns the store of a scope. Each of its methods needs the capability of its operation, such as kv.get.
func (c *Call) Store(scope abi.Scope) Store { return Store{c, scope} }

// Get returns a value and its version. If there is no entry, the value is a nil Raw and the version is 0.
func (s Store) Get(key string) (value Raw, version uint64, err error) {
	entry, err := ask[abi.KVEntry](s.call, abi.OpKVGet, &abi.KVGet{Key: key, Scope: s.scope})
	switch {
	case err == ErrNotFound: //nolint:errorlint // never wrapped, and errors.Is needs reflection
		return nil, 0, nil
	case err != nil:
		return nil, 0, err
	}
	return entry.Value, entry.Version, nil
}

// Put writes a value unconditionally and returns its version.
func (s Store) Put(key string, value Raw) (version uint64, err error) { return s.put(key, value, nil) }

// PutIf writes a value if the entry still has this version, and returns the new version. Version 0 means that there is
// no entry yet. If the version differs, the error is [ErrConflict].
func (s Store) PutIf(key string, value Raw, version uint64) (uint64, error) {
	return s.put(key, value, &version)
}

func (s Store) put(key string, value Raw, ifVersion *uint64) (uint64, error) {
	reply, err := ask[abi.KVVersion](s.call, abi.OpKVPut, &abi.KVPut{IfVersion: ifVersion, Key: key, Scope: s.scope, Value: value})
	if err != nil {
		return 0, err
	}
	return reply.Version, nil
}

// Delete removes an entry, if there is one.
func (s Store) Delete(key string) error { return s.remove(key, nil) }

// DeleteIf removes an entry if it still has this version. Otherwise the error is [ErrConflict].
func (s Store) DeleteIf(key string, version uint64) error { return s.remove(key, &version) }

func (s Store) remove(key string, ifVersion *uint64) error {
	_, err := request(s.call, abi.OpKVDelete, &abi.KVDelete{IfVersion: ifVersion, Key: key, Scope: s.scope})
	return err
}

// List returns at most limit entries, without their values, and whether there are more. It lists the keys that begin
// with prefix and come after the key after, in byte order. An empty after starts at the first key; a limit of 0 means
// 100.
func (s Store) List(prefix, after string, limit uint64) (items []KVItem, more bool, err error) {
	page, err := ask[abi.KVPage](s.call, abi.OpKVList, &abi.KVList{After: after, Limit: limit, Prefix: prefix, Scope: s.scope})
	if err != nil {
		return nil, false, err
	}
	return page.Items, page.More, nil
}
