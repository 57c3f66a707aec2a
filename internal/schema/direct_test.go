package schema

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/agenthost/agenthost/abi/wire"
)

type unit string

// shouted decodes itself.
type shouted string

func (s *shouted) UnmarshalJSON(text []byte) error { *s = shouted(text) + "!"; return nil }

type plainArguments struct {
	City    string `json:"city"`
	Days    int    `json:"days,omitempty"`
	Small   int8
	Exact   bool          `json:"exact"`
	Degrees float64       `json:"degrees"`
	Unit    unit          `json:"unit"`
	Wait    time.Duration `json:"wait"`
	Hidden  string        `json:"-"`
}

// TestADecoderDoesWhatJSONDoes performs random values, right and wrong ones, both ways.
func TestADecoderDoesWhatJSONDoes(t *testing.T) {
	t.Parallel()
	direct, byJSON := NewDecoder[plainArguments](nil), &Decoder[plainArguments]{}
	require.Len(t, direct.fields, 7)
	keys := rapid.SampledFrom([]string{"city", "days", "Small", "exact", "degrees", "unit", "wait", "City", "small", "Hidden", "-", "other", ""})
	values := rapid.OneOf(
		rapid.Map(rapid.String(), func(s string) any { return s }),
		rapid.Map(rapid.SampledFrom([]string{"caf\xe9", "\u2028<&>", "\x00"}), func(s string) any { return s }),
		rapid.Map(rapid.Int64(), func(n int64) any { return n }),
		rapid.Map(rapid.IntRange(-200, 200), func(n int) any { return n }),
		rapid.Map(rapid.Uint64(), func(n uint64) any { return n }),
		rapid.Map(rapid.Float64(), func(x float64) any { return x }),
		rapid.Map(rapid.Bool(), func(b bool) any { return b }),
		rapid.SampledFrom([]any{nil, []any{1}, map[string]any{"city": "Oslo"}, []byte{1}, 2.0, math.Copysign(0, -1), 1e300}),
	)
	rapid.Check(t, func(t *rapid.T) {
		raw, err := wire.Of(rapid.MapOf(keys, values).Draw(t, "value"))
		require.NoError(t, err)
		want, wantErr := byJSON.Decode(raw)
		got, err := direct.Decode(raw)
		require.Equal(t, wantErr, err)
		if err == nil {
			require.Equal(t, want, got)
		}
	})
}

func TestADecoderLeavesToJSONWhatItMust(t *testing.T) {
	t.Parallel()
	type embedded struct{ City string }
	require.Nil(t, NewDecoder[struct{ embedded }](nil).fields)
	require.Nil(t, NewDecoder[struct{ A shouted }](nil).fields)
	require.Nil(t, NewDecoder[struct{ When time.Time }](nil).fields)
	require.Nil(t, NewDecoder[struct{ A []string }](nil).fields)
	require.Nil(t, NewDecoder[struct{ A *string }](nil).fields)
	require.Nil(t, NewDecoder[struct{ A uint }](nil).fields)
	require.Nil(t, NewDecoder[struct{ A json.Number }](nil).fields, "a string that is not a number is refused")
	require.Nil(t, NewDecoder[struct {
		N int `json:"n,string"`
	}](nil).fields)
	require.Nil(t, NewDecoder[struct {
		A int `json:"n"`
		B int `json:"N"`
	}](nil).fields)
	require.Nil(t, NewDecoder[map[string]string](nil).fields)
	require.Nil(t, NewDecoder[shouted](nil).fields)
	require.NotNil(t, NewDecoder[struct{}](nil).fields)

	value, err := wire.Of(map[string]any{"A": "x"})
	require.NoError(t, err)
	in, err := NewDecoder[struct{ A shouted }](nil).Decode(value)
	require.NoError(t, err)
	require.Equal(t, shouted(`"x"!`), in.A)
}
