package provider

import (
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/history"
)

// Portable returns a history for a provider. The answers of other providers in it lack what only their own provider can read: blocks
// whose type has the prefix, and the private keys of other blocks and of Meta. This matters where several platforms serve one API: each
// signs its reasoning and encrypts its results for itself.
func Portable(all history.List, own, prefix string, private ...string) history.List {
	var out []abi.Message // nil: nothing has changed
	for i, m := range all.All() {
		by, _ := m.Meta.Get("provider").AsString()
		if m.Role != abi.RoleAI || by == "" || by == own {
			continue
		}
		changed, ok := withoutPrivate(m, prefix, private)
		if !ok {
			continue
		}
		if out == nil {
			out = slices.Clone(all.Messages())
		}
		out[i] = changed
	}
	if out == nil {
		return all
	}
	return history.Of(out...)
}

// withoutPrivate returns a copy of a message without private data; false if it has none.
func withoutPrivate(m *abi.Message, prefix string, private []string) (abi.Message, bool) {
	out, changed := *m, false
	blocks := m.Content.Blocks()
	kept := make([]abi.Block, 0, len(blocks))
	for _, block := range blocks {
		if strings.HasPrefix(block.Type(), prefix) {
			changed = true
			continue
		}
		fields := slices.Clone(block.Fields())
		for _, key := range private {
			fields.Delete(key)
		}
		if len(fields) != len(block.Fields()) {
			block, changed = abi.BlockOf(fields), true
		}
		kept = append(kept, block)
	}
	if changed {
		out.Content = abi.Blocks(kept...)
	}
	meta := slices.Clone(m.Meta)
	for _, key := range private {
		meta.Delete(key)
	}
	if len(meta) != len(m.Meta) {
		out.Meta, changed = meta, true
	}
	return out, changed
}
