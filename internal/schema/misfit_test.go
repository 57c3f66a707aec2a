package schema_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/internal/schema"
)

func TestMisfitIsTheInnermostPart(t *testing.T) {
	t.Parallel()
	const closed = `{"type":"object","additionalProperties":false,"properties":{"a":{"type":"integer"},"b/c":{"type":"array",
		"items":{"type":"object","additionalProperties":false,"properties":{"d":{"enum":["x","y"]}},"required":["d"]}}}}`
	for _, test := range []struct {
		name, schema, value string
		want                *schema.Misfit
	}{
		{"a value that conforms", closed, `{"a":1,"b/c":[{"d":"x"}]}`, nil},
		{"an unknown property", closed, `{"a":1,"z":2}`, &schema.Misfit{Pointer: "/z", Unknown: true, Known: []string{"a", "b/c"}}},
		{"an unknown property in a list", closed, `{"b/c":[{"d":"x"},{"d":"y","e":1}]}`, &schema.Misfit{Pointer: "/b~1c/1/e", Unknown: true, Known: []string{"d"}}},
		{"a wrong value", closed, `{"b/c":[{"d":"z"}]}`, &schema.Misfit{Pointer: "/b~1c/0/d", Problem: "enum: z does not equal any of: [x y]"}},
		{"a missing property", closed, `{"b/c":[{}]}`, &schema.Misfit{Pointer: "/b~1c/0", Problem: "d: Field required"}},
		{"a wrong type", closed, `[]`, &schema.Misfit{}},
		{"other properties of a type", `{"additionalProperties":{"type":"string"}}`, `{"a":1}`, &schema.Misfit{Pointer: "/a"}},
		{"properties by pattern", `{"patternProperties":{"^x":{}},"additionalProperties":false}`, `{"a":1}`, &schema.Misfit{}},
		{"alternatives", `{"properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]}}}`, `{"a":1}`, &schema.Misfit{Pointer: "/a"}},
		{"references", `{"properties":{"a":{"$ref":"#/$defs/b"}},"$defs":{"b":{"type":"string"}}}`, `{"a":1}`, &schema.Misfit{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			raw, err := wire.FromJSON([]byte(test.schema), wire.DefaultLimits)
			require.NoError(t, err)
			compiled, err := schema.Compile(raw)
			require.NoError(t, err)
			value, err := wire.FromJSON([]byte(test.value), wire.DefaultLimits)
			require.NoError(t, err)
			found := compiled.Misfit(value)
			if test.want == nil {
				require.Nil(t, found)
				return
			}
			require.NotNil(t, found)
			require.NotEmpty(t, found.Problem)
			if test.want.Problem == "" {
				test.want.Problem = found.Problem
			}
			require.Equal(t, test.want, found)
		})
	}
}
