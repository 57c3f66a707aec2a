package schema_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/internal/schema"
)

// A schema that refers to itself overflows the validator's stack, which ends the process: none may pass.
func TestUntrustedReferencesAreRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"$ref":"#"}`,
		`{"$dynamicRef":"#"}`,
		`{"$recursiveRef":"#"}`,
		`{"$defs":{}}`,
		`{"$Ref":"#"}`,
		`{"$REF":"#"}`,
		`{"$DynamicRef":"#"}`,
		`{"$DEFS":{"a":{}}}`,
		`{"$defſ":{"a":{}}}`,
		`{"properties":{"a":{"$ref":"#"}}}`,
		`{"PROPERTIES":{"a":{"$ref":"#"}}}`,
		`{"properties":{"default":{"$ref":"#"}}}`,
		`{"items":{"$ref":"#"}}`,
		`{"prefixItems":[{},{"$ref":"#"}]}`,
		`{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"$ref":"#"}]}`,
		`{"anyOf":[{"allOf":[{"not":{"$ref":"#"}}]}]}`,
		`{"patternProperties":{"const":{"$ref":"#"}}}`,
		`{"dependentSchemas":{"enum":{"$ref":"#"}}}`,
		`{"dependencies":{"default":{"$ref":"#"}}}`,
		`{"definitions":{"default":{"$ref":"#"}}}`,
		`{"if":{},"then":{"$ref":"#"}}`,
		`{"contentSchema":{"$ref":"#"}}`,
		`{"unevaluatedProperties":{"$ref":"#"}}`,
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			_, err := schema.CompileUntrusted(raw(t, text))
			require.ErrorContains(t, err, "is not allowed in a plugin's schema; write the schema out")
		})
	}
}

func TestUntrustedNamesAndDataAreNoReferences(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"properties":{"$ref":{"type":"string"},"$defs":{},"$dynamicRef":{}}}`,
		`{"patternProperties":{"$ref":{}}}`,
		`{"dependentSchemas":{"$ref":{}}}`,
		`{"dependentRequired":{"$ref":["a"]}}`,
		`{"const":{"$ref":"#"}}`,
		`{"enum":[{"$ref":"#"}]}`,
		`{"default":{"$ref":"#"}}`,
		`{"examples":[{"$defs":{}}]}`,
		`{"required":["$ref"]}`,
		`{"description":"$ref"}`,
		`{"x-note":{"$ref":"#"}}`,
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			s, err := schema.CompileUntrusted(raw(t, text))
			require.NoError(t, err)
			_ = s.Validate(raw(t, `{"a":1,"$ref":"x"}`)) // and it does not overflow
		})
	}
}

func TestUntrustedLimits(t *testing.T) {
	t.Parallel()
	nested := func(depth int) string {
		return strings.Repeat(`{"items":`, depth-1) + `{}` + strings.Repeat(`}`, depth-1)
	}
	long := func(bytes int) string {
		const frame = len(`{"title":""}`) - 2 // as msgpack: heads of the map and key, and 3 bytes for that of the text
		return `{"title":"` + strings.Repeat("x", bytes-frame) + `"}`
	}
	for _, test := range []struct {
		name   string
		schema string
		ok     bool
	}{
		{"as deep as allowed", nested(schema.MaxUntrustedDepth), true},
		{"too deep", nested(schema.MaxUntrustedDepth + 1), false},
		{"as long as allowed", long(schema.MaxUntrustedBytes), true},
		{"too long", long(schema.MaxUntrustedBytes + 1), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := schema.CompileUntrusted(raw(t, test.schema))
			if test.ok {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, "schema: ")
			}
		})
	}
	_, err := schema.CompileUntrusted(wire.Raw{0x81, 0xa1})
	require.Error(t, err, "broken msgpack")
}
