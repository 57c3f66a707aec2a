package codegen_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/internal/codegen"
	"github.com/agenthost/agenthost/internal/codegen/sample"
	"github.com/agenthost/agenthost/internal/schema"
	sdk "github.com/agenthost/agenthost/sdk/go"
)

func TestTheSampleIsNotStale(t *testing.T) {
	t.Parallel()
	want, err := codegen.Generate("sample")
	require.NoError(t, err)
	got, err := os.ReadFile("sample/" + codegen.Output)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), "run go generate ./internal/codegen/...")
}

// forecasts draws documents that fit their schema.
func forecasts() *rapid.Generator[sample.Forecast] {
	text := rapid.StringMatching(`[a-zü ]{1,12}`)
	place := rapid.Custom(func(t *rapid.T) sample.Place {
		return sample.Place{City: text.Draw(t, "city"), Lat: rapid.Float64Range(-90, 90).Draw(t, "lat"), Lon: rapid.Float64Range(-180, 180).Draw(t, "lon")}
	})
	return rapid.Custom(func(t *rapid.T) sample.Forecast {
		limit, note, inner := rapid.Int32().Draw(t, "limit"), rapid.StringMatching(`[a-z]*`).Draw(t, "note"), place.Draw(t, "inner")
		n := int(limit)
		f := sample.Forecast{
			Where: place.Draw(t, "where"), Others: rapid.SliceOfN(place, 0, 3).Draw(t, "others"),
			Named: rapid.MapOfN(text, place, 0, 3).Draw(t, "named"),
			Unit:  rapid.SampledFrom([]sample.Unit{sample.Celsius, sample.Fahrenheit}).Draw(t, "unit"),
			Days:  rapid.IntRange(1, 10).Draw(t, "days"), Level: sample.Level(rapid.Int8().Draw(t, "level")), Count: rapid.Uint16().Draw(t, "count"),
			Share: rapid.Float32Range(0, 1).Draw(t, "share"), Detailed: rapid.Bool().Draw(t, "detailed"),
			Kind: rapid.SampledFrom([]string{"rain", "snow"}).Draw(t, "kind"), Kinds: rapid.SliceOf(rapid.SampledFrom([]string{"rain", "sun"})).Draw(t, "kinds"),
			Grid:   rapid.SliceOfN(rapid.SliceOfN(rapid.Int64(), 0, 3), 0, 3).Draw(t, "grid"),
			Labels: rapid.MapOfN(text, text, 0, 3).Draw(t, "labels"), Extra: wire.Int(rapid.Int64().Draw(t, "extra")),
			Settings: sdk.Map{{Key: "k", Value: wire.String(text.Draw(t, "setting"))}}, HTTPPort: rapid.Uint32().Draw(t, "port"),
			Limit: &n,
		}
		if rapid.Bool().Draw(t, "has note") {
			f.Note, f.Inner = &note, &inner
		}
		return f
	})
}

func TestDocumentsComeBack(t *testing.T) {
	t.Parallel()
	compiled, err := schema.CompileUntrusted((&sample.Forecast{}).JSONSchema())
	require.NoError(t, err)
	rapid.Check(t, func(r *rapid.T) {
		f := forecasts().Draw(r, "forecast")
		b, err := f.MarshalMsg(nil)
		require.NoError(r, err)
		canonical, err := wire.IsCanonical(b, wire.Limits{})
		require.NoError(r, err)
		require.True(r, canonical)
		require.NoError(r, compiled.Validate(b))
		var back sample.Forecast
		rest, err := back.UnmarshalMsg(append(b, 0xc0))
		require.NoError(r, err)
		require.Equal(r, []byte{0xc0}, rest)
		again, err := back.MarshalMsg(nil)
		require.NoError(r, err)
		require.Equal(r, sdk.Raw(b).JSON(), sdk.Raw(again).JSON())
	})
}

func TestDefaultsAndUnknownKeys(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`{}`, `{"later":[1]}`} {
		b, err := wire.FromJSON([]byte(text), wire.Limits{})
		require.NoError(t, err)
		got := sample.Forecast{Count: 3, Note: new(string)}
		_, err = got.UnmarshalMsg(b)
		require.NoError(t, err)
		require.Equal(t, sample.Forecast{Where: sample.Place{City: "Oslo"}, Unit: sample.Celsius, Days: 3, Detailed: true, Kinds: []string{"rain", "snow"}}, got)
	}
}

func TestValuesThatDoNotFit(t *testing.T) {
	t.Parallel()
	for text, message := range map[string]string{
		`{"days":"3"}`:                "invalid: days: an integer is expected, not string",
		`{"level":128}`:               "invalid: level: the number is out of range",
		`{"count":-1}`:                "invalid: count: an integer that is not negative is expected, not integer",
		`{"count":65536}`:             "invalid: count: the number is out of range",
		`{"detailed":1}`:              "invalid: detailed: a boolean is expected, not integer",
		`{"share":true}`:              "invalid: share: a number is expected, not boolean",
		`{"unit":1}`:                  "invalid: unit: a string is expected, not integer",
		`{"data":"x"}`:                "invalid: data: bytes is expected, not string",
		`{"where":[]}`:                "invalid: where: a map is expected, not array",
		`{"where":{"city":1}}`:        "invalid: where.city: a string is expected, not integer",
		`{"others":{}}`:               "invalid: others: a list is expected, not object",
		`{"others":[{"lat":null}]}`:   "invalid: others[].lat: a number is expected, not null",
		`{"named":{"a":{"lon":"x"}}}`: "invalid: named.a.lon: a number is expected, not string",
		`{"grid":[[1],[2,"x"]]}`:      "invalid: grid[][]: an integer is expected, not string",
		`{"settings":3}`:              "invalid: settings: a map is expected, not integer",
		`{"labels":{"a":3}}`:          "invalid: labels.a: a string is expected, not integer",
		`{"inner":3}`:                 "invalid: inner: a map is expected, not integer",
		`{"limit":1e3}`:               "invalid: limit: an integer is expected, not number",
	} {
		b, err := wire.FromJSON([]byte(text), wire.Limits{})
		require.NoError(t, err)
		_, err = new(sample.Forecast).UnmarshalMsg(b)
		require.EqualError(t, err, message, text)
	}
}

func TestSourcesThatAreRefused(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ source, message string }{
		"no document":        {"package p\ntype A struct{}", "no struct is marked //agenthost:document"},
		"syntax":             {"package p\ntype", "expected"},
		"embedded":           {"package p\n//agenthost:document\ntype A struct{ B }\ntype B struct{}", "embedded fields have no form"},
		"channel":            {"package p\n//agenthost:document\ntype A struct{ C chan int }", "A.C: its type cannot be encoded"},
		"unmarked":           {"package p\n//agenthost:document\ntype A struct{ C B }\ntype B struct{}", "neither a basic type nor a struct marked"},
		"unknown":            {"package p\n//agenthost:document\ntype A struct{ C B }", "the type B is not in this package"},
		"key map":            {"package p\n//agenthost:document\ntype A struct{ C map[int]string }", "its type cannot be encoded"},
		"pointers":           {"package p\n//agenthost:document\ntype A struct{ C []*int }", "only a field can be a pointer"},
		"two keys":           {"package p\n//agenthost:document\ntype A struct{ C, D int `json:\"c\"` }", "another field has the key c"},
		"recursive":          {"package p\n//agenthost:document\ntype A struct{ C []A }", "documents contain each other in a circle"},
		"minimum":            {"package p\n//agenthost:document\ntype A struct{ C int `minimum:\"x\"` }", `A.C: minimum: "x" is not a number`},
		"default":            {"package p\n//agenthost:document\ntype A struct{ C int `default:\"x\"` }", `A.C: default: "x" is not a valid int`},
		"enum":               {"package p\n//agenthost:document\ntype A struct{ C uint8 `enum:\"1,-2\"` }", `A.C: enum: "-2" is not a valid uint8`},
		"default of pointer": {"package p\n//agenthost:document\ntype A struct{ C *int `default:\"1\"` }", "a pointer cannot have a default"},
		"default of map":     {"package p\n//agenthost:document\ntype A struct{ C map[string]int `default:\"x\"` }", "cannot be written in a tag"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, "a.go"), []byte(tc.source), 0o600))
			_, err := codegen.Generate(dir)
			require.ErrorContains(t, err, tc.message)
		})
	}
	_, err := codegen.Generate(t.TempDir())
	require.ErrorContains(t, err, "there are no Go files")
	_, err = codegen.Generate(filepath.Join(t.TempDir(), "nowhere"))
	require.ErrorIs(t, err, os.ErrNotExist)
}
