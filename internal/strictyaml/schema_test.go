package strictyaml_test

import (
	"encoding/json"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/internal/strictyaml"
)

// described has a field of every type that has a schema.
type described struct {
	Base   `yaml:",inline"`
	Exit   string                     `yaml:"exit" strict:"required,enum=a|b"`
	Kinds  []string                   `yaml:"kinds" strict:"enum=x|y"`
	Keep   *int                       `yaml:"keep" schema:"min=0,default=20"`
	Note   string                     `yaml:"note" schema:"default=a, b,enum=b|c"`
	Ratio  float64                    `yaml:"ratio" strict:"min=0,max=1"`
	Window time.Duration              `yaml:"window" strict:"min=1s"`
	Port   uint16                     `yaml:"port"`
	Any    any                        `yaml:"any"`
	Raw    strictyaml.Node            `yaml:"raw"`
	Memory strictyaml.Size            `yaml:"memory"`
	Fuel   strictyaml.Count           `yaml:"fuel"`
	Order  strictyaml.OrderedMap[int] `yaml:"order"`
	Alert  map[string]bool            `yaml:"alert"`
	Policy policy                     `yaml:"policy"`
	Words  words                      `yaml:"words"`
	Hidden string                     `yaml:"-"`
}

type Base struct {
	Name string `yaml:"name"`
}

// policy is a boolean, or a mapping that may have policies inside.
type policy struct {
	Allow []string `yaml:"allow"`
	Inner *policy  `yaml:"inner"`
}

func (policy) JSONForms() []map[string]any { return []map[string]any{{"type": "boolean"}} }

func (p *policy) UnmarshalStrict(n strictyaml.Node) error { return n.Decode(&p.Allow) }

// words is a text or a list of them.
type words []string

func (words) JSONSchema() map[string]any { return map[string]any{"type": []string{"string", "array"}} }

func (w *words) UnmarshalYAML(decode func(any) error) error { return decode((*[]string)(w)) }

func schemaOf(t *testing.T, of reflect.Type, comments strictyaml.Comments) string {
	t.Helper()
	schema, err := strictyaml.SchemaOf(of, comments)
	require.NoError(t, err)
	text, err := json.Marshal(schema)
	require.NoError(t, err)
	return string(text)
}

func TestSchemaOf(t *testing.T) {
	t.Parallel()
	require.JSONEq(t, `{"type": "object", "additionalProperties": false, "required": ["exit"], "properties": {
		"name": {"type": "string"},
		"exit": {"type": "string", "enum": ["a", "b"]},
		"kinds": {"type": "array", "items": {"type": "string", "enum": ["x", "y"]}},
		"keep": {"type": "integer", "minimum": 0, "default": 20},
		"note": {"type": "string", "default": "a, b", "enum": ["b", "c"]},
		"ratio": {"type": "number", "minimum": 0, "maximum": 1},
		"window": {"type": "string", "pattern": "^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$"},
		"port": {"type": "integer", "minimum": 0},
		"any": {}, "raw": {},
		"memory": {"type": ["string", "integer"], "pattern": "^[0-9]+ ?([kMGT]?B|[KMGT]iB)?$", "minimum": 0},
		"fuel": {"type": ["string", "integer"], "pattern": "^[0-9]+ ?[kMGT]?$", "minimum": 0},
		"order": {"type": "object", "additionalProperties": {"type": "integer"}},
		"alert": {"type": "object", "additionalProperties": {"type": "boolean"}},
		"policy": {"anyOf": [{"type": "boolean"}, {"$ref": "#/$defs/policy"}]},
		"words": {"type": ["string", "array"]}
	}, "$defs": {"policy": {"type": "object", "additionalProperties": false, "properties": {
		"allow": {"type": "array", "items": {"type": "string"}},
		"inner": {"anyOf": [{"type": "boolean"}, {"$ref": "#/$defs/policy"}]}}}}}`,
		schemaOf(t, reflect.TypeFor[described](), nil))
}

func TestSchemaHasComments(t *testing.T) {
	t.Parallel()
	comments := func(t reflect.Type, field string) string { return t.Name() + "." + field }
	keys, err := strictyaml.KeysOf(reflect.TypeFor[described](), comments)
	require.NoError(t, err)
	require.Equal(t, strictyaml.Key{Name: "name", Schema: map[string]any{"type": "string"}, Description: "Base.Name"}, keys[0])
	require.Equal(t, "exit", keys[1].Name)
	require.True(t, keys[1].Required)
	require.Equal(t, "described.Exit", keys[1].Description)
	require.Contains(t, schemaOf(t, reflect.TypeFor[described](), comments), `"description":"described.Keep"`)
}

// parts refers to the schemas of other types.
type parts struct{}

func (parts) JSONSchema() map[string]any {
	base := reflect.TypeFor[Base]()
	return map[string]any{"properties": map[string]any{
		"key": strictyaml.KeySchema{Struct: base, Key: "name"}, "type": strictyaml.Described{Type: base}, "plain": reflect.TypeFor[int](),
	}}
}

// wrongPart refers to a key that does not exist.
type wrongPart struct{}

func (wrongPart) JSONSchema() map[string]any {
	return map[string]any{"items": strictyaml.KeySchema{Struct: reflect.TypeFor[Base](), Key: "nothing"}}
}

func TestSchemaFillsPlaceholders(t *testing.T) {
	t.Parallel()
	comments := func(of reflect.Type, field string) string { return of.Name() + "/" + field }
	require.JSONEq(t, `{"properties": {
		"key": {"type": "string", "description": "Base/Name"},
		"type": {"type": "object", "additionalProperties": false, "description": "Base/",
			"properties": {"name": {"type": "string", "description": "Base/Name"}}},
		"plain": {"type": "integer"}
	}}`, schemaOf(t, reflect.TypeFor[parts](), comments))
	_, err := strictyaml.SchemaOf(reflect.TypeFor[wrongPart](), nil)
	require.EqualError(t, err, `strictyaml_test.Base has no key "nothing"`)
}

func TestTypesWithoutSchema(t *testing.T) {
	t.Parallel()
	for says, of := range map[string]reflect.Type{
		"chan int has no schema": reflect.TypeFor[struct {
			F chan int `yaml:"f"`
		}](),
		"strictyaml_test.closedText decodes itself and has no JSONSchema": reflect.TypeFor[[]closedText](),
		`unknown strict option "limit"`: reflect.TypeFor[struct {
			F int `yaml:"f" schema:"limit=1"`
		}](),
	} {
		_, err := strictyaml.SchemaOf(of, nil)
		require.ErrorContains(t, err, says)
	}
}

type closedText string

func (s *closedText) UnmarshalYAML(decode func(any) error) error { return decode((*string)(s)) }

// shared is a type whose schema is the same value each time, as those are that types share.
type shared struct{}

var (
	placeholder = map[string]any{"items": reflect.TypeFor[string]()}
	sharedValue = map[string]any{"type": "array", "anyOf": []any{placeholder}}
)

func (shared) JSONSchema() map[string]any { return sharedValue }

func TestSchemasThatTypesShareStayAsTheyAre(t *testing.T) {
	t.Parallel()
	var both sync.WaitGroup
	for range 2 { // at once, which the race detector watches
		both.Go(func() {
			schema, err := strictyaml.SchemaOf(reflect.TypeFor[shared](), nil)
			if err != nil {
				t.Error(err)
			}
			assert.Equal(t, []any{map[string]any{"items": map[string]any{"type": "string"}}}, schema["anyOf"])
		})
	}
	both.Wait()
	require.Equal(t, reflect.TypeFor[string](), placeholder["items"])
}
