package plugin

import (
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/plugin/kv"
	"github.com/agenthost/agenthost/host/store"
)

// namespace returns where the entries of a scope are; a status other than ok says why it is unavailable.
func (i *instance) namespace(scope abi.Scope) (kv.Namespace, abi.Status) {
	ns := kv.Namespace{Plugin: i.plugin.name, Scope: scope}
	switch {
	case !slices.Contains(scopes, scope):
		return ns, abi.EINVAL
	case !slices.Contains(i.plugin.grant.KV.scopes(), scope):
		return ns, abi.EDENIED
	case scope == abi.ScopeRun:
		ns.ID = i.frame.rt.RunID()
	case scope == abi.ScopeThread:
		if ns.ID = i.frame.rt.ThreadID(); ns.ID == "" {
			return ns, abi.ENOTSUP
		}
	}
	return ns, abi.StatusOK
}

func (i *instance) kvGet(query *abi.KVGet) (abi.Status, []byte) {
	ns, status := i.namespace(query.Scope)
	if status != abi.StatusOK {
		return status, nil
	}
	var entry store.Entry
	var found bool
	var err error
	i.waits(func() { entry, found, err = i.plugin.capabilities.store.Get(i.frame.ctx, ns, query.Key) })
	switch {
	case err != nil:
		return i.kvFailed(err)
	case !found:
		return abi.ENOENT, nil
	default:
		return i.bounded(&abi.KVEntry{Value: entry.Value, Version: entry.Version})
	}
}

func (i *instance) kvPut(put *abi.KVPut) (abi.Status, []byte) {
	ns, status := i.namespace(put.Scope)
	if status != abi.StatusOK {
		return status, nil
	}
	value := put.Value
	if value.IsZero() {
		value = wire.AppendNil(nil)
	}
	options := store.PutOptions{IfVersion: put.IfVersion, Quota: i.plugin.grant.KV.Quota}
	var version uint64
	var err error
	i.waits(func() { version, err = i.plugin.capabilities.store.Put(i.frame.ctx, ns, put.Key, value, options) })
	if err != nil {
		return i.kvFailed(err)
	}
	return i.bounded(&abi.KVVersion{Version: version})
}

func (i *instance) kvDelete(entry *abi.KVDelete) (abi.Status, []byte) {
	ns, status := i.namespace(entry.Scope)
	if status != abi.StatusOK {
		return status, nil
	}
	var err error
	i.waits(func() { err = i.plugin.capabilities.store.Delete(i.frame.ctx, ns, entry.Key, entry.IfVersion) })
	if err != nil {
		return i.kvFailed(err)
	}
	return abi.StatusOK, nil
}

func (i *instance) kvList(list *abi.KVList) (abi.Status, []byte) {
	ns, status := i.namespace(list.Scope)
	if status != abi.StatusOK {
		return status, nil
	}
	query := store.Query{Prefix: list.Prefix, After: list.After, Limit: int(min(list.Limit, store.MaxPage))}
	var page store.Page[store.Entry]
	var err error
	i.waits(func() { page, err = i.plugin.capabilities.store.List(i.frame.ctx, ns, query) })
	if err != nil {
		return i.kvFailed(err)
	}
	reply := abi.KVPage{Items: make([]abi.KVItem, len(page.Items)), More: page.More}
	for n := range page.Items {
		item := &page.Items[n]
		reply.Items[n] = abi.KVItem{Key: item.Key, Size: uint64(item.Size), Version: item.Version}
	}
	return i.bounded(&reply)
}

// kvFailed converts a store's error to what the guest sees. The store's own error text is for the operator only.
func (i *instance) kvFailed(err error) (abi.Status, []byte) {
	if status := kv.Status(err); status != abi.StatusFailed {
		return status, nil
	}
	if i.frame.ctx.Err() != nil {
		return i.failed(err)
	}
	i.plugin.logger.Error("the store of the plugin failed", "hook", i.frame.export, "error", err)
	return abi.StatusFailed, errorReply(&abi.Error{Type: "kv_store", Message: "the store failed", Retryable: true})
}
