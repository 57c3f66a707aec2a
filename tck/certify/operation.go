package certify

import (
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// decodable is a document that can be decoded.
type decodable interface {
	UnmarshalMsg(b []byte) ([]byte, error)
}

// operationDocument returns the document type that an operation takes, or nil if it takes none.
func operationDocument(op string) (doc decodable, known bool) {
	switch op {
	case abi.OpStateRead:
		return &abi.StateQuery{}, true
	case abi.OpEventEmit:
		return &abi.EventEmit{}, true
	case abi.OpKVGet:
		return &abi.KVGet{}, true
	case abi.OpKVPut:
		return &abi.KVPut{}, true
	case abi.OpKVDelete:
		return &abi.KVDelete{}, true
	case abi.OpKVList:
		return &abi.KVList{}, true
	case abi.OpHTTPFetch:
		return &abi.FetchRequest{}, true
	case abi.OpModelGenerate:
		return &abi.GenerateRequest{}, true
	case abi.OpToolCall:
		return &abi.ToolRequest{}, true
	case abi.OpRandomBytes:
		return &abi.RandomRequest{}, true
	case abi.OpModelInfo:
		return &abi.ModelQuery{}, true
	case abi.OpTokensCount:
		return &abi.TokenQuery{}, true
	case abi.OpBatch:
		return &abi.Batch{}, true
	case abi.OpClockSleep:
		return &abi.SleepRequest{}, true
	case abi.OpBudget, abi.OpClockNow, abi.OpRunInfo, abi.OpToolsRead:
		return nil, true
	default:
		return nil, false
	}
}

// isFree reports whether an operation needs no grant.
func isFree(op string) bool {
	switch op {
	case abi.OpStateRead, abi.OpEventEmit, abi.OpBudget, abi.OpRunInfo, abi.OpModelInfo, abi.OpToolsRead, abi.OpTokensCount, abi.OpBatch:
		return true
	default:
		return false
	}
}

// isLater reports whether an operation came with a minor version after 1.0.
func isLater(op string) bool {
	switch op {
	case abi.OpRunInfo, abi.OpModelInfo, abi.OpToolsRead, abi.OpTokensCount, abi.OpBatch, abi.OpClockSleep:
		return true
	default:
		return false
	}
}

// checkOperation checks the type of an operation's document, and its name against the Description.
func (s *scene) checkOperation(f *Frame, e *Exchange) {
	doc, known := operationDocument(e.Op)
	if !known {
		return
	}
	if !isFree(e.Op) {
		f.checkf("op.declared", s.asks(e.Op), "it calls %s, which its Description does not ask for", e.Op)
	}
	if doc == nil {
		return
	}
	err := decode(e.Payload, doc)
	f.checkf("op.document", len(e.Payload) > 0 && err == nil, "%s: the operation does not take this document: %v", e.Op, err)
	if event, ok := doc.(*abi.EventEmit); ok && err == nil {
		f.checkf("op.document", isName(event.Name), "event.emit: the name %q is not allowed", event.Name)
	}
	if batch, ok := doc.(*abi.Batch); ok && err == nil {
		s.checkBatch(f, batch)
	}
}

// asks reports whether the Description asks for a capability.
func (s *scene) asks(op string) bool {
	return slices.ContainsFunc(s.plugin.Capabilities, func(c abi.Capability) bool { return c.Op == op })
}

// may reports whether the plugin may call an operation. It may if the operation needs no grant, or was asked for and
// granted.
func (s *scene) may(op string) bool {
	return isFree(op) || s.asks(op) && (s.granted == nil || s.granted(op))
}

// reads reports whether the host looks at the document of an operation.
func (s *scene) reads(op string) bool {
	doc, known := operationDocument(op)
	return known && doc != nil && s.may(op)
}

// operation performs a host_call in a small simulated world.
func (a *answers) operation(f *Frame, op string, payload []byte) (abi.Status, []byte) {
	s := a.scene
	if s.operation != nil {
		if status, reply, ok := s.operation(op, payload); ok {
			return status, reply
		}
	}
	doc, known := operationDocument(op)
	switch {
	case !known:
		return abi.ENOENT, nil
	case !s.may(op):
		return abi.EDENIED, nil
	}
	if doc != nil {
		if err := decode(payload, doc); err != nil {
			return abi.EINVAL, nil
		}
	}
	status, reply := a.perform(f, op, doc)
	if reply == nil {
		return status, nil
	}
	b := document(reply)
	if s.unknown {
		b = later(b)
	}
	return status, b
}

// encodable is a document that can be encoded.
type encodable interface {
	MarshalMsg(b []byte) ([]byte, error)
}

func (a *answers) perform(f *Frame, op string, doc decodable) (abi.Status, encodable) {
	switch query := doc.(type) {
	case *abi.ModelQuery:
		return a.scene.modelInfo(query)
	case *abi.TokenQuery:
		return a.scene.tokensCount(query)
	case *abi.Batch:
		return a.batch(f, query)
	case *abi.SleepRequest:
		if query.DurationMS > mostSleep {
			return abi.ELIMIT, nil
		}
		return abi.StatusOK, nil
	case *abi.StateQuery:
		return a.scene.stateRead(query)
	case *abi.EventEmit:
		if !isName(query.Name) {
			return abi.EINVAL, nil
		}
		return abi.StatusOK, nil
	case *abi.FetchRequest:
		return abi.StatusOK, &abi.FetchResponse{
			Status: 200, URL: query.URL, Body: []byte("{}"), Headers: []abi.Header{{Name: "content-type", Value: "application/json"}},
		}
	case *abi.GenerateRequest:
		m := abi.AI("yes")
		m.ID = "generated-1"
		return abi.StatusOK, &abi.ModelResponse{Messages: []abi.Message{m}}
	case *abi.ToolRequest:
		m := abi.ToolResult(abi.ToolCall{ID: "nested-1", Name: query.Name}, "found")
		m.ID = "nested-answer-1"
		return abi.StatusOK, &abi.ToolReply{ToolMessage: m}
	case *abi.RandomRequest:
		if query.Count > abi.MaxRandomBytes {
			return abi.EINVAL, nil
		}
		return abi.StatusOK, &abi.RandomBytes{Bytes: []byte(strings.Repeat("r", int(query.Count)))}
	}
	switch op {
	case abi.OpBudget:
		return abi.StatusOK, &abi.Budget{HostCalls: uint64(mostCalls - f.hostCalls), Next: uint64(max(0, a.nexts-f.nexts))}
	case abi.OpClockNow:
		return abi.StatusOK, &abi.Clock{UnixNS: a.now + 1}
	case abi.OpRunInfo:
		return abi.StatusOK, &abi.RunInfo{Agent: "agent", Parent: "run-0", Usage: abi.Usage{InputTokens: 5, OutputTokens: 2, TotalTokens: 7}}
	case abi.OpToolsRead:
		return a.scene.toolsRead()
	default:
		return a.store.perform(doc)
	}
}

// stateRead answers with messages of the history, or with fields that the frame may read.
func (s *scene) stateRead(query *abi.StateQuery) (abi.Status, encodable) {
	if len(query.Fields) > 0 {
		var out wire.Map
		for _, name := range query.Fields {
			if !slices.Contains(s.readable(), name) {
				return abi.EDENIED, nil
			}
			if value := s.values.Get(name); !value.IsZero() {
				out.Set(name, value)
			}
		}
		return abi.StatusOK, &abi.StateReply{State: out}
	}
	if s.spec == nil || s.spec.Messages.IsZero() {
		return abi.EDENIED, nil
	}
	total := uint64(len(s.history))
	from := min(query.From, total)
	return abi.StatusOK, &abi.StateReply{Items: s.history[from : from+min(query.Count, total-from)]}
}

// store is the store of one frame.
type store struct {
	entries map[string]entry // by scope and key
	version uint64
}

type entry struct {
	key     string
	scope   abi.Scope
	value   wire.Raw
	version uint64
}

func (st *store) perform(doc decodable) (abi.Status, encodable) {
	at := func(scope abi.Scope, key string) string { return string(scope) + " " + key }
	expected := func(e entry, want *uint64) bool { return want == nil || *want == e.version }
	switch d := doc.(type) {
	case *abi.KVGet:
		e, ok := st.entries[at(d.Scope, d.Key)]
		if !ok {
			return abi.ENOENT, nil
		}
		return abi.StatusOK, &abi.KVEntry{Value: e.value, Version: e.version}
	case *abi.KVPut:
		if !expected(st.entries[at(d.Scope, d.Key)], d.IfVersion) {
			return abi.ECONFLICT, nil
		}
		st.version++
		st.entries[at(d.Scope, d.Key)] = entry{d.Key, d.Scope, d.Value, st.version}
		return abi.StatusOK, &abi.KVVersion{Version: st.version}
	case *abi.KVDelete:
		if !expected(st.entries[at(d.Scope, d.Key)], d.IfVersion) {
			return abi.ECONFLICT, nil
		}
		delete(st.entries, at(d.Scope, d.Key))
		return abi.StatusOK, nil
	case *abi.KVList:
		page := &abi.KVPage{Items: []abi.KVItem{}}
		for _, e := range st.entries {
			if e.scope == d.Scope && strings.HasPrefix(e.key, d.Prefix) && e.key > d.After {
				page.Items = append(page.Items, abi.KVItem{Key: e.key, Size: uint64(len(e.value)), Version: e.version})
			}
		}
		slices.SortFunc(page.Items, func(a, b abi.KVItem) int { return strings.Compare(a.Key, b.Key) })
		return abi.StatusOK, page
	default:
		return abi.ENOTSUP, nil
	}
}

// isName reports whether a text is a valid name of a plugin, field, tool or event.
func isName(name string) bool {
	if name == "" || len(name) > 64 {
		return false
	}
	return !strings.ContainsFunc(name, func(c rune) bool {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		return !letter && !strings.ContainsRune("_-./[]", c)
	})
}
