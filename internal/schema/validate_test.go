package schema_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/internal/schema"
)

const search = `{"type":"object","properties":{"q":{"type":"string"},"n":{"type":"integer"},"r":{"type":"number"}},"required":["n","q"]}`

func TestValidate(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		schema string
		value  string
		want   string // "" means the value conforms
	}{
		{"accepts what conforms", search, `{"q":"x","n":1,"r":1.5}`, ""},
		{"accepts unknown properties where the schema is open", search, `{"q":"x","n":1,"z":[{}]}`, ""},
		{"accepts a whole number for a number", search, `{"q":"x","n":1,"r":2}`, ""},
		{"accepts a whole float for an integer, as JSON Schema does", search, `{"q":"x","n":1.0}`, ""},
		{"accepts anything under the empty schema", `{}`, `[null,{"a":1}]`, ""},
		{"accepts anything under true", `true`, `1`, ""},
		{"accepts large numbers", `{"type":"integer"}`, `18446744073709551615`, ""},
		{"names one missing property", search, `{"q":"x"}`, "n: Field required"},
		{"names missing properties in the order of the schema", search, `{}`, "n: Field required\nq: Field required"},
		{"names missing properties before other problems", search, `{"q":1}`, "n: Field required"},
		{
			"says what is wrong in the validator's words", search, `{"q":1,"n":1}`,
			`validating /properties/q: type: 1 has type "integer", want "string"`,
		},
		{"refuses another type of the whole", search, `[]`, `type: [] has type "array", want "object"`},
		{
			"refuses additional properties where the schema is closed",
			`{"type":"object","properties":{"a":{}},"additionalProperties":false}`, `{"b":1}`,
			`unexpected additional properties ["b"]`,
		},
		{
			"says what is missing inside in the validator's words",
			`{"properties":{"o":{"required":["x"],"properties":{"x":{}}}}}`, `{"o":{}}`,
			`validating /properties/o: required: missing properties: ["x"]`,
		},
		{"refuses everything under false", `false`, `1`, `not: validated against <anonymous schema>`},
		{"knows keywords that say more", `{"type":"string","minLength":2}`, `"a"`, `minLength: "a" contains 1 Unicode code points, fewer than 2`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			err := compile(t, test.schema).Validate(raw(t, test.value))

			if test.want == "" {
				require.NoError(t, err)
				return
			}
			var invalid *schema.ValidationError
			require.ErrorAs(t, err, &invalid)
			require.EqualError(t, err, test.want)
		})
	}
}

func TestValidateBytes(t *testing.T) {
	t.Parallel()
	bytes, err := wire.Of([]byte{1, 2})
	require.NoError(t, err)

	require.Error(t, compile(t, `{"type":"string"}`).Validate(bytes), "bytes are not a string")
}

func TestNilSchema(t *testing.T) {
	t.Parallel()
	for _, compile := range []func(wire.Raw) (*schema.Schema, error){schema.Compile, schema.CompileUntrusted} {
		for _, none := range []wire.Raw{nil, {0xc0}} {
			s, err := compile(none)
			require.NoError(t, err)
			require.Nil(t, s)
		}
	}
	var none *schema.Schema
	require.NoError(t, none.Validate(wire.Int(1)))
	require.Nil(t, none.Raw())
	require.Equal(t, wire.Map{{Key: "a", Value: wire.Int(1)}}, none.WithDefaults(wire.Map{{Key: "a", Value: wire.Int(1)}}))
}

func TestCompileError(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, schema, want string }{
		{"no map", `"string"`, "schema: must be a map"},
		{"a keyword of another type", `{"type":1}`, "schema: "},
		{"an unknown reference", `{"$ref":"#/nowhere"}`, "schema: "},
		{"a bad pattern", `{"pattern":"("}`, "schema: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := schema.Compile(raw(t, test.schema))
			require.ErrorContains(t, err, test.want)
		})
	}
}

func TestRaw(t *testing.T) {
	t.Parallel()
	require.Equal(t, raw(t, search), compile(t, search).Raw())
}
