package wire_test

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmihailenco/msgpack/v5"

	"github.com/agenthost/agenthost/abi/wire"
)

// oracle encodes with an independent codec, in the form that we call canonical.
func oracle(t testing.TB, v any) []byte {
	t.Helper()
	var out bytes.Buffer
	e := msgpack.NewEncoder(&out)
	e.UseCompactInts(true)
	e.SetSortMapKeys(true)
	require.NoError(t, e.Encode(v))
	return out.Bytes()
}

// lengths has a length on each side of every boundary between two heads.
var lengths = []int{0, 1, 15, 16, 31, 32, 127, 128, 255, 256, 65535, 65536}

func TestAppendIntegersAgreesWithTheOracle(t *testing.T) {
	t.Parallel()
	for _, v := range []uint64{
		0, 1, 31, 32, 127, 128, 255, 256, 65535, 65536, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 32, 1<<63 - 1, 1 << 63,
		math.MaxUint64,
	} {
		t.Run(fmt.Sprint(v), func(t *testing.T) {
			t.Parallel()
			want := oracle(t, v)
			require.Equal(t, want, wire.AppendUint(nil, v))
			require.Equal(t, wire.Raw(want), wire.Uint(v))
			requireCanonical(t, want)
			if v <= math.MaxInt64 {
				require.Equal(t, want, wire.AppendInt(nil, int64(v)))
			}
		})
	}
	for _, v := range []int64{
		-1, -31, -32, -33, -127, -128, -129, -255, -256, -32768, -32769, -65536, -1 << 31, -1<<31 - 1, -1 << 32,
		math.MinInt64,
	} {
		t.Run(fmt.Sprint(v), func(t *testing.T) {
			t.Parallel()
			want := oracle(t, v)
			require.Equal(t, want, wire.AppendInt(nil, v))
			require.Equal(t, wire.Raw(want), wire.Int(v))
			requireCanonical(t, want)
		})
	}
}

func TestAppendLengthsAgreesWithTheOracle(t *testing.T) {
	t.Parallel()
	for _, n := range lengths {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			text := strings.Repeat("x", n)
			require.Equal(t, oracle(t, text), wire.AppendString(nil, text))
			require.Equal(t, wire.Raw(oracle(t, text)), wire.String(text))
			require.Equal(t, oracle(t, []byte(text)), wire.AppendBin(nil, []byte(text)))

			list, names, m := make([]any, n), make([]string, n), make(map[string]any, n)
			for i := range n {
				list[i], names[i], m[fmt.Sprint(i)] = i, fmt.Sprint(i), i
			}
			for _, v := range []any{list, names, m} {
				got, err := wire.AppendValue(nil, v)
				require.NoError(t, err)
				require.True(t, bytes.Equal(oracle(t, v), got))
				requireCanonical(t, got)
			}
		})
	}
}

func TestAppendScalarsAgreesWithTheOracle(t *testing.T) {
	t.Parallel()
	require.Equal(t, oracle(t, nil), wire.AppendNil(nil))
	require.Equal(t, oracle(t, true), wire.AppendBool(nil, true))
	require.Equal(t, oracle(t, false), wire.AppendBool(nil, false))
	require.Equal(t, wire.Raw(oracle(t, true)), wire.Bool(true))
	for _, v := range []float64{0, math.Copysign(0, -1), 1, -1.5, math.Pi, math.MaxFloat64, math.SmallestNonzeroFloat64} {
		require.Equal(t, oracle(t, v), wire.AppendFloat(nil, v))
		require.Equal(t, wire.Raw(oracle(t, v)), wire.Float(v))
	}
}

func TestAppendKeepsWhatIsThere(t *testing.T) {
	t.Parallel()
	b := []byte("x")
	b = wire.AppendMapHeader(b, 1)
	b = wire.AppendString(b, "k")
	b = wire.AppendArrayHeader(b, 2)
	b = wire.AppendBin(b, []byte{1})
	b = wire.AppendStringHeader(b, 1)
	b = append(b, 'y')
	require.Equal(t, unhex(t, "78 81 a1 6b 92 c4 01 01 a1 79"), b)
}

func requireCanonical(t testing.TB, b []byte) {
	t.Helper()
	canonical, err := wire.IsCanonical(b, wire.Limits{MaxNodes: 1 << 20})
	require.NoError(t, err)
	require.True(t, canonical)
}

func ExampleAppendMapHeader() {
	b := wire.AppendMapHeader(nil, 2) // the keys must follow in ascending order
	b = wire.AppendString(b, "calls")
	b = wire.AppendInt(b, 3)
	b = wire.AppendString(b, "name")
	b = wire.AppendString(b, "search")
	fmt.Printf("% x\n", b)
	fmt.Println(wire.Raw(b).JSON())
	// Output:
	// 82 a5 63 61 6c 6c 73 03 a4 6e 61 6d 65 a6 73 65 61 72 63 68
	// {"calls":3,"name":"search"}
}
