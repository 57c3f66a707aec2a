package abi_test

import (
	"encoding/binary"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi/wire"
)

// TestMutatedVectors repeats the checks of FuzzDocuments on nearly correct documents: vectors with values exchanged,
// dropped or doubled, with keys in any order and numbers and lengths in any form.
func TestMutatedVectors(t *testing.T) { //nolint:paralleltest // allocations of other tests would count
	types := documentTypes()
	for _, v := range vectors() {
		t.Run(v.stem, func(t *testing.T) {
			b, err := os.ReadFile(filepath.Join(vectorDir, v.stem+".msgpack"))
			require.NoError(t, err)
			d := types[slices.IndexFunc(types, func(d documentType) bool { return d.name == documentOf(v.stem) })]
			m := mutator{rand.New(rand.NewPCG(1, uint64(len(v.stem))))}
			for range 100 {
				value, err := wire.Raw(b).Value()
				require.NoError(t, err)
				for range m.IntN(4) {
					value = m.mutate(value)
				}
				mutated := m.encode(nil, value)
				require.NoError(t, wire.Validate(mutated, wire.Limits{}))
				fuzzDocument(t, d, mutated)
			}
		})
	}
}

type mutator struct{ *rand.Rand }

// mutate changes v, or one of the values inside it.
func (m mutator) mutate(v any) any {
	if m.IntN(3) == 0 {
		return m.other()
	}
	switch v := v.(type) {
	case []any:
		switch i := m.IntN(len(v) + 2); {
		case i < len(v):
			v[i] = m.mutate(v[i])
		case len(v) > 0 && i == len(v):
			return slices.Delete(v, 0, 1)
		default:
			return append(v, m.other())
		}
		return v
	case map[string]any:
		keys := slices.Sorted(maps.Keys(v))
		switch i := m.IntN(len(v) + 2); {
		case i < len(v):
			v[keys[i]] = m.mutate(v[keys[i]])
		case len(v) > 0 && i == len(v):
			delete(v, keys[m.IntN(len(keys))])
		default:
			v["z"] = m.other()
		}
		return v
	default:
		return m.other()
	}
}

// other makes a value that may be wrong for its place.
func (m mutator) other() any {
	values := []any{
		nil, true, false, int64(0), int64(-1), int64(300), uint64(1 << 63), 1.5, "", "none", "m1",
		[]byte{1},
		[]any{},
		map[string]any{},
		[]any{map[string]any{}},
		[]any{nil},
		[]any{"a"},
		map[string]any{"type": "text", "text": "x"},
		map[string]any{"last": int64(3)},
		[]any{map[string]any{"type": "text", "text": "x"}},
		map[string]any{"id": "m1", "role": "ai"},
	}
	return values[m.IntN(len(values))]
}

// encode writes v with keys in any order, and numbers and lengths in their shortest or their longest form.
func (m mutator) encode(dst []byte, v any) []byte {
	long := m.IntN(2) == 0
	head := func(short []byte, code byte, n int) []byte {
		if long {
			return binary.BigEndian.AppendUint32(append(dst, code), uint32(n))
		}
		return append(dst, short...)
	}
	switch v := v.(type) {
	case int64:
		if long {
			return binary.BigEndian.AppendUint64(append(dst, 0xd3), uint64(v))
		}
	case string:
		return append(head(wire.AppendStringHeader(nil, len(v)), 0xdb, len(v)), v...)
	case []byte:
		return append(head(wire.AppendBinHeader(nil, len(v)), 0xc6, len(v)), v...)
	case []any:
		dst = head(wire.AppendArrayHeader(nil, len(v)), 0xdd, len(v))
		for _, item := range v {
			dst = m.encode(dst, item)
		}
		return dst
	case map[string]any:
		dst = head(wire.AppendMapHeader(nil, len(v)), 0xdf, len(v))
		keys := slices.Sorted(maps.Keys(v))
		m.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
		for _, k := range keys {
			dst = m.encode(m.encode(dst, k), v[k])
		}
		return dst
	}
	dst, _ = wire.AppendValue(dst, v)
	return dst
}
