package wire_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi/wire"
)

func TestDeeperThanAgreesWithValidate(t *testing.T) {
	t.Parallel()
	for depth := range 80 {
		for kind, open := range map[string]func(b []byte, level int) []byte{
			"arrays": func(b []byte, _ int) []byte { return wire.AppendInt(wire.AppendArrayHeader(b, 2), 7) },
			"maps":   func(b []byte, _ int) []byte { return wire.AppendString(wire.AppendMapHeader(b, 1), "k") },
			"both": func(b []byte, level int) []byte {
				if level%2 == 0 {
					return wire.AppendArrayHeader(b, 1)
				}
				return wire.AppendString(wire.AppendInt(wire.AppendString(wire.AppendMapHeader(b, 2), "a"), 1), "k")
			},
		} {
			var b []byte
			for level := range depth {
				b = open(b, level)
			}
			b = wire.AppendString(b, "inside")
			for _, most := range []int{0, 1, 48, 64} {
				want := wire.Validate(b, wire.Limits{MaxDepth: max(most, 1)}) != nil
				if most == 0 {
					want = depth > 0
				}
				require.Equal(t, want, wire.DeeperThan(b, most), fmt.Sprint(kind, depth, most))
			}
		}
	}
	wide := wire.AppendArrayHeader(nil, 1000)
	for range 1000 {
		wide = wire.AppendArrayHeader(wide, 0)
	}
	require.True(t, wire.DeeperThan(wide, 1))
	require.False(t, wire.DeeperThan(wide, 2))
	require.False(t, wire.DeeperThan([]byte{0xc1, 0xc1, 0xc1}, 1), "it is not well formed")
}

func FuzzDeeperThan(f *testing.F) {
	f.Add([]byte{0x91, 0x91, 0xc0}, 1)
	f.Add([]byte{0x82, 0xa1, 'a', 0x90, 0xa1, 'b', 0x91, 0x01}, 2)
	f.Fuzz(func(t *testing.T, b []byte, most int) {
		if most < 1 || most > 64 || wire.Validate(b, wire.Limits{MaxDepth: 1000}) != nil {
			_ = wire.DeeperThan(b, max(0, min(most, 64))) // it does not panic
			return
		}
		require.Equal(t, wire.Validate(b, wire.Limits{MaxDepth: most}) != nil, wire.DeeperThan(b, most))
	})
}
