package sdktest

import (
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi"
	sdk "github.com/agenthost/agenthost/sdk/go"
)

// store holds the plugin's entries in one scope.
type store struct {
	entries map[string]abi.KVEntry
	version uint64
}

// Stored returns the value that the plugin keeps under a key, or a nil Raw if there is none.
func (h *Host) Stored(scope abi.Scope, key string) sdk.Raw { return h.store(scope).entries[key].Value }

// Store puts a value under a key, as the plugin would.
func (h *Host) Store(scope abi.Scope, key string, value sdk.Raw) {
	s := h.store(scope)
	s.version++
	s.entries[key] = abi.KVEntry{Value: value, Version: s.version}
}

func (h *Host) store(scope abi.Scope) *store {
	if h.stores[scope] == nil {
		h.stores[scope] = &store{entries: map[string]abi.KVEntry{}}
	}
	return h.stores[scope]
}

func (h *Host) kv(op string, payload []byte) (abi.Status, []byte) {
	h.t.Helper()
	switch op {
	case abi.OpKVGet:
		var query abi.KVGet
		h.understand(op, payload, &query)
		entry, ok := h.store(query.Scope).entries[query.Key]
		if !ok {
			return abi.ENOENT, nil
		}
		return abi.StatusOK, encoded(entry.MarshalMsg(nil))
	case abi.OpKVPut:
		var put abi.KVPut
		h.understand(op, payload, &put)
		s := h.store(put.Scope)
		if put.IfVersion != nil && s.entries[put.Key].Version != *put.IfVersion {
			return abi.ECONFLICT, nil
		}
		h.Store(put.Scope, put.Key, put.Value)
		return abi.StatusOK, encoded(abi.KVVersion{Version: s.version}.MarshalMsg(nil))
	case abi.OpKVDelete:
		var remove abi.KVDelete
		h.understand(op, payload, &remove)
		s := h.store(remove.Scope)
		if remove.IfVersion != nil && s.entries[remove.Key].Version != *remove.IfVersion {
			return abi.ECONFLICT, nil
		}
		delete(s.entries, remove.Key)
		return abi.StatusOK, nil
	default:
		var list abi.KVList
		h.understand(op, payload, &list)
		page := h.store(list.Scope).list(&list)
		return abi.StatusOK, encoded(page.MarshalMsg(nil))
	}
}

func (s *store) list(query *abi.KVList) *abi.KVPage {
	page := &abi.KVPage{}
	for key, entry := range s.entries {
		if strings.HasPrefix(key, query.Prefix) && key > query.After {
			page.Items = append(page.Items, abi.KVItem{Key: key, Size: uint64(len(entry.Value)), Version: entry.Version})
		}
	}
	slices.SortFunc(page.Items, func(a, b abi.KVItem) int { return strings.Compare(a.Key, b.Key) })
	limit := 100
	if query.Limit > 0 {
		limit = int(min(query.Limit, 1000))
	}
	if len(page.Items) > limit {
		page.Items, page.More = page.Items[:limit], true
	}
	return page
}
