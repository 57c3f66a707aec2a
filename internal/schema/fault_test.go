package schema_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/internal/schema"
)

func TestFaultsOfASchemaHaveAPlace(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"additionalProperties":5}`:                               "/additionalProperties: a schema must be an object, true or false, not the number 5",
		`{"properties":{"a":{},"b/c":4}}`:                          "/properties/b~1c: a schema must be an object, true or false, not the number 4",
		`{"properties":{"type":{"items":"string"}}}`:               "/properties/type/items: a schema must be an object, true or false, not a string",
		`{"properties":{"a":{"anyOf":[{},{"required":"b"}]}}}`:     "/properties/a/anyOf/1/required: expected an array, not a string",
		`{"items":[{},null]}`:                                      "/items/1: a schema must be an object, true or false, not null",
		`{"properties":["a"]}`:                                     "/properties/0: a schema must be an object, true or false, not a string",
		`{"properties":[]}`:                                        "/properties: expected an object, not an array",
		`{"anyOf":{}}`:                                             "/anyOf: expected an array, not an object",
		`{"title":true}`:                                           "/title: expected a string, not true",
		`{"uniqueItems":"yes"}`:                                    "/uniqueItems: expected true or false, not a string",
		`{"minimum":"3"}`:                                          "/minimum: expected a number, not a string",
		`{"minLength":"x"}`:                                        "/minLength: expected a whole number, not a string",
		`{"minLength":1.5}`:                                        "/minLength: expected a whole number, not the number 1.5",
		`{"properties":{"a":{"type":3}}}`:                          `/properties/a/type: invalid value for "type": "3"`,
		`{"definitions":{"x":{"not":{"enum":"a"}}},"type":"null"}`: "/definitions/x/not/enum: expected an array, not a string",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			_, err := schema.Compile(raw(t, text))
			require.EqualError(t, err, "schema: "+want)
		})
	}
}

// The parser accepts null in the place of a schema, which then has no fields to look at.
func TestNullIsNoSchema(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"properties":{"a":null}}`, `{"properties":{"a":{"anyOf":[null]}}}`, `{"items":[{},null]}`, `{"patternProperties":{"a":null}}`,
		`{"$defs":{"a":null}}`, `{"definitions":{"a":null}}`, `{"dependentSchemas":{"a":null}}`, `{"prefixItems":[null]}`, `{"PROPERTIES":{"a":null}}`,
	} {
		_, err := schema.Compile(raw(t, text))
		require.ErrorContains(t, err, "null", text)
		_, err = schema.CompileUntrusted(raw(t, text))
		require.ErrorContains(t, err, "null", text)
	}
}

func TestTypesThatDoNotExist(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"type":"objet"}`: `schema: there is no type "objet"; did you mean "object"?`,
		`{"properties":{"a":{"items":{"type":["string","xyz"]}}}}`:                 `schema: there is no type "xyz"; use one of array, boolean, integer, null, number, object, string`,
		`{"type":["array","boolean","integer","null","number","object","string"]}`: "",
		`true`:                                 "",
		`{"properties":{"type":{"$ref":"#"}}}`: "",
	} {
		err := compile(t, text).CheckTypes()
		if want == "" {
			require.NoError(t, err, text)
			continue
		}
		require.EqualError(t, err, want)
	}
}
