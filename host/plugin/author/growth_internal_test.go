package author

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// grows returns a plugin whose memory has had these sizes after calls of one instance, and whose calls took this fuel.
func grows(sizes []int64, fuel func(call int) uint64) *benchedPlugin {
	m := &benchedPlugin{growth: growth{limit: 64 << 20}}
	for _, size := range sizes {
		m.growth.saw(1, size)
	}
	for call := range 100 {
		m.fuel = append(m.fuel, fuel(call))
	}
	return m
}

func TestWarningsOfGrowth(t *testing.T) {
	t.Parallel()
	same := func(int) uint64 { return 5000 }
	for name, test := range map[string]struct {
		sizes []int64
		fuel  func(call int) uint64
		code  string
		says  string
	}{
		"nothing grows":     {sizes: []int64{1 << 20, 1 << 20}, fuel: same},
		"a little":          {sizes: []int64{1 << 20, 1<<20 + 64<<10}, fuel: same},
		"much, and settles": {sizes: []int64{1 << 20, 4 << 20, 4 << 20}, fuel: same, code: WarnGrowth, says: "its memory has grown by 3072 KiB before it settled"},
		"a leak":            {sizes: []int64{1 << 20, 20 << 20}, fuel: same, code: WarnLeak, says: "it leaks: its memory grows by 19922944 bytes in each call"},
		"a collector now and then": {fuel: func(call int) uint64 {
			if call%7 == 0 {
				return 900_000
			}
			return 5000
		}},
		"dearer from call to call": {fuel: func(call int) uint64 { return 5000 + 100*uint64(call) }, code: WarnDearer, says: "the first took 5400 fuel and the last 14400"},
		"dearer by nothing":        {fuel: func(call int) uint64 { return 10 + uint64(call) }},
	} {
		warnings := grows(test.sizes, test.fuel).warnings()
		if test.code == "" {
			require.Empty(t, warnings, name)
			continue
		}
		require.Len(t, warnings, 1, name)
		require.Equal(t, test.code, warnings[0].Code, name)
		require.Contains(t, warnings[0].Text, test.says, name)
	}
	few := &benchedPlugin{fuel: []uint64{1, 2, 1_000_000}}
	require.Empty(t, few.warnings(), "too few calls to tell")
}
