package abi_test

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/internal/memtest"
	"github.com/agenthost/agenthost/abi/wire"
)

// FuzzDocuments checks what a host relies on when it decodes bytes from a guest. Bytes that pass wire.Validate can be
// decoded as any document, without a panic and at a bounded cost. A decoded document survives encoding and decoding
// unchanged. Decoding the canonical form gives the same document. Handwritten decoders also accept bytes that were not
// validated.
func FuzzDocuments(f *testing.F) {
	types := documentTypes()
	for _, v := range vectors() {
		b, err := os.ReadFile(filepath.Join(vectorDir, v.stem+".msgpack"))
		require.NoError(f, err)
		i := slices.IndexFunc(types, func(d documentType) bool { return d.name == documentOf(v.stem) })
		f.Add(byte(i), b)
	}
	for i := range types {
		f.Add(byte(i), []byte{0x80})
		f.Add(byte(i), []byte{0x91, 0x80})
		f.Add(byte(i), []byte{0xdd, 0xff, 0xff, 0xff, 0xff})
	}
	f.Fuzz(func(t *testing.T, selector byte, b []byte) {
		fuzzUnvalidated(b)
		if wire.Validate(b, wire.Limits{}) == nil {
			fuzzDocument(t, types[int(selector)%len(types)], b)
		}
	})
}

// fuzzUnvalidated passes unchecked bytes to the handwritten decoders. They must not panic.
func fuzzUnvalidated(b []byte) {
	for _, doc := range []codec{new(abi.Content), new(abi.Patch), new(abi.NameList), new(abi.ViewSpec)} {
		if _, err := doc.UnmarshalMsg(b); err == nil {
			_, _ = doc.MarshalMsg(nil)
		}
	}
	var p abi.Patch
	if _, err := p.UnmarshalMsg(b); err == nil {
		p.ID()
	}
}

// fuzzDocument decodes a valid document as one of this type.
func fuzzDocument(t *testing.T, d documentType, b []byte) {
	t.Helper()
	var doc codec
	var err error
	limit := memtest.Bound(len(b), countValues(b))
	allocated, ok := memtest.Within(limit, func() {
		doc = d.make()
		_, err = doc.UnmarshalMsg(b)
	})
	require.True(t, ok, "%s allocates %d bytes for %d, the bound is %d", d.name, allocated, len(b), limit)
	if err != nil {
		return
	}

	encoded := marshal(t, doc)
	require.LessOrEqual(t, len(encoded), doc.Msgsize())
	require.NoError(t, wire.Validate(encoded, wire.Limits{MaxBytes: 1 << 30, MaxNodes: 1 << 30}))
	again := d.make()
	rest, err := again.UnmarshalMsg(encoded)
	require.NoError(t, err)
	require.Empty(t, rest)
	require.True(t, sameDocument(reflect.ValueOf(doc), reflect.ValueOf(again)), "%+v became %+v", doc, again)
	require.Equal(t, encoded, marshal(t, again))

	canonical, err := wire.Canonical(b, wire.Limits{})
	require.NoError(t, err)
	fromCanonical := d.make()
	_, err = fromCanonical.UnmarshalMsg(canonical)
	require.NoError(t, err)
	want, err := wire.Canonical(encoded, wire.Limits{MaxBytes: 1 << 30, MaxNodes: 1 << 30})
	require.NoError(t, err)
	require.Equal(t, want, marshal(t, fromCanonical), "the document of the canonical form is canonical")
}

// sameDocument compares two documents. An empty list or map equals an absent one, unless it is a NameList. An absent
// raw value equals nil.
func sameDocument(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.Pointer:
		return a.IsNil() == b.IsNil() && (a.IsNil() || sameDocument(a.Elem(), b.Elem()))
	case reflect.Struct:
		for i := range a.NumField() {
			if !sameDocument(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Slice:
		if a.Type() == reflect.TypeFor[wire.Raw]() {
			return bytes.Equal(orNil(a.Bytes()), orNil(b.Bytes()))
		}
		if a.Type() == reflect.TypeFor[abi.NameList]() && a.IsNil() != b.IsNil() {
			return false
		}
		for i := range min(a.Len(), b.Len()) {
			if !sameDocument(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return a.Len() == b.Len()
	default:
		return a.Equal(b)
	}
}

func orNil(raw []byte) []byte {
	if len(raw) == 0 {
		return []byte{0xc0}
	}
	return raw
}

// countValues counts the values of a valid document, without map keys.
func countValues(b []byte) int {
	n := 1
	for element := range wire.Raw(b).Elements() {
		n += countValues(element)
	}
	for _, value := range wire.Raw(b).Pairs() {
		n += countValues(value)
	}
	return n
}

// list returns an array that repeats element as often as the default limits allow in a document that holds the array
// under a key.
func list(element []byte) []byte {
	n := (wire.DefaultLimits.MaxNodes - 2) / countValues(element)
	if most := (wire.DefaultLimits.MaxBytes - 64) / len(element); n > most {
		n = most
	}
	return append(wire.AppendArrayHeader(nil, n), bytes.Repeat(element, n)...)
}

func under(key string, value []byte) []byte {
	return append(wire.AppendString(wire.AppendMapHeader(nil, 1), key), value...)
}

// TestHostileListsCostNoMoreThanTheBound decodes the most expensive documents: lists whose one-byte elements each
// become a Go value of a few hundred bytes.
func TestHostileListsCostNoMoreThanTheBound(t *testing.T) { //nolint:paralleltest // allocations of other tests would count
	emptyMap, textBlock := []byte{0x80}, under("type", []byte{0xa1, 'x'})
	for _, tc := range []struct {
		name string
		doc  codec
		b    []byte
	}{
		{"messages of a result", new(abi.Result), under("messages", list(emptyMap))},
		{"patches of a result", new(abi.Result), under("patch", list(emptyMap))},
		{"patches with a key", new(abi.Result), under("patch", list(under("", []byte{0xc0})))},
		{"interrupts of a result", new(abi.Result), under("interrupts", list(emptyMap))},
		{"removals of a result", new(abi.Result), under("remove", list([]byte{0xa1, 'x'}))},
		{"state of a result", new(abi.Result), under("state", manyKeys(120000))},
		{"items of a view", new(abi.View), under("items", list(emptyMap))},
		{"tool calls of a message", new(abi.Message), under("tool_calls", list(emptyMap))},
		{"invalid tool calls of a message", new(abi.Message), under("invalid_tool_calls", list(emptyMap))},
		{"blocks of a message", new(abi.Message), under("content", list(textBlock))},
		{"tools of a description", new(abi.Description), under("tools", list(emptyMap))},
		{"fields of a description", new(abi.Description), under("fields", list(emptyMap))},
		{"capabilities of a description", new(abi.Description), under("capabilities", list(emptyMap))},
		{"names of a request change", new(abi.RequestChange), under("tools", list([]byte{0xa1, 'x'}))},
		{"tools of a request change", new(abi.RequestChange), under("add_tools", list(emptyMap))},
		{"messages of a generate request", new(abi.GenerateRequest), under("messages", list(emptyMap))},
		{"headers of a fetch request", new(abi.FetchRequest), under("headers", list(emptyMap))},
		{"items of a page of keys", new(abi.KVPage), under("items", list(emptyMap))},
	} {
		t.Run(tc.name, func(t *testing.T) {
			require.NoError(t, wire.Validate(tc.b, wire.Limits{}))
			values := countValues(tc.b)
			allocated, ok := memtest.Within(memtest.Bound(len(tc.b), values), func() {
				_, err := tc.doc.UnmarshalMsg(tc.b)
				require.NoError(t, err)
			})
			t.Logf("%d bytes, %d values: %d bytes allocated, %.0f a value", len(tc.b), values, allocated, float64(allocated)/float64(values))
			require.True(t, ok, "%d bytes are beyond the bound", allocated)
			require.LessOrEqual(t, allocated, uint64(128<<20), "128 MiB are the most that any document may cost")
		})
	}
}

// manyKeys returns a map with n unsorted keys.
func manyKeys(n int) []byte {
	b := wire.AppendMapHeader(nil, n)
	for i := range n {
		x := i * 7919 % n
		b = append(b, 0xa3, byte(x>>14&0x7f), byte(x>>7&0x7f), byte(x&0x7f), 0xc0)
	}
	return b
}
