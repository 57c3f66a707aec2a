package strictyaml_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/internal/strictyaml"
)

func TestDecodeFillsEveryType(t *testing.T) {
	t.Parallel()
	m := decode(t, `
# A comment.
name: assistant
model: {provider: openai, name: gpt-5.2, temperature: 0, max_tokens: 0x7d0}
system_prompt:
  file: prompt.md
limits:
  memory: 64MiB
  fuel: 1G
tools: [files, search]
alert: {"*": 60, search: 5}
exit_behavior: end
middleware:
- patch_tool_calls
- tool_call_limit:
    run_limit: 3
order: {z: 1, a: 2}
window: 1m30s
debug: true
ratio: 1
small: -128
port: 65535
`)
	temperature := 0.0
	require.Equal(t, "assistant", m.Name)
	require.Equal(t, &model{"openai", "gpt-5.2", &temperature, 2000}, m.Model)
	require.Equal(t, prompt{File: "prompt.md"}, m.Prompt)
	require.Equal(t, limits{Memory: 64 << 20, Fuel: 1e9}, m.Limits)
	require.Equal(t, []string{"files", "search"}, m.Tools)
	require.Equal(t, map[string]int{"*": 60, "search": 5}, m.Alert)
	require.Equal(t, "end", m.Exit)
	require.Equal(t, "patch_tool_calls", m.Entries[0].Name)
	require.Equal(t, toolCallLimit{RunLimit: 3}, m.Entries[1].Limit)
	require.Equal(t, []string{"z", "a"}, m.Order.Keys())
	require.Equal(t, 90*time.Second, m.Window)
	require.True(t, m.Debug)
	require.InEpsilon(t, 1.0, m.Ratio, 0)
	require.Equal(t, Common{-128, 65535}, m.Common)
}

func TestDecodeKeepsDefaultsOfAbsentKeys(t *testing.T) {
	t.Parallel()
	m := manifest{Name: "default", Model: &model{Name: "old", MaxTokens: 7}, Tools: []string{"files", "shell"}}
	require.NoError(t, strictyaml.Decode("f", []byte("model: {provider: x, name: new}\ntools: [search]\nwindow:\n"), &m))
	require.Equal(t, "default", m.Name)
	require.Equal(t, &model{Provider: "x", Name: "new", MaxTokens: 7}, m.Model)
	require.Equal(t, []string{"search"}, m.Tools, "a list is replaced as a whole")
	require.Zero(t, m.Window)
}

func TestDecodeAny(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		text string
		want any
	}{
		"integer":            {"-3", int64(-3)},
		"integer with plus":  {"+3", int64(3)},
		"hexadecimal":        {"0xFF", int64(255)},
		"octal":              {"0o17", int64(15)},
		"largest integer":    {"9223372036854775807", int64(9223372036854775807)},
		"number":             {"1.50", 1.5},
		"exponent":           {"1e3", 1000.0},
		"leading point":      {".5", 0.5},
		"boolean":            {"True", true},
		"null":               {"{a: ~, b: }", map[string]any{"a": nil, "b": nil}},
		"words of YAML 1.1":  {"[yes, on, n]", []any{"yes", "on", "n"}},
		"underscore":         {"1_000", "1_000"},
		"binary":             {"0b1", "0b1"},
		"date":               {"2026-01-02", "2026-01-02"},
		"version":            {"1.2.3", "1.2.3"},
		"sexagesimal":        {"12:30:45", "12:30:45"},
		"quoted number":      {`"5"`, "5"},
		"explicit string":    {"!!str 5", "5"},
		"escapes":            {`"a\tb\u00e9\x41\n"`, "a\tbéA\n"},
		"single quotes":      {"'it''s'", "it's"},
		"text of two lines":  {"a\n  b", "a b"},
		"literal":            {"a: |\n  x\n   y\n", map[string]any{"a": "x\n y\n"}},
		"literal, stripped":  {"a: |-\n  x\n", map[string]any{"a": "x"}},
		"folded":             {"a: >\n  x\n  y\n", map[string]any{"a": "x y\n"}},
		"URL":                {"http://localhost:11434/v1", "http://localhost:11434/v1"},
		"hash in a text":     {"a#b", "a#b"},
		"comment":            {"a # b", "a"},
		"flow":               {"{a: [1, {b: c}], d: {}}", map[string]any{"a": []any{int64(1), map[string]any{"b": "c"}}, "d": map[string]any{}}},
		"nested lists":       {"- - a\n  - b\n- []\n", []any{[]any{"a", "b"}, []any{}}},
		"list at its key":    {"a:\n- b\n", map[string]any{"a": []any{"b"}}},
		"alias":              {"a: &x {b: 1}\nc: *x\n", map[string]any{"a": map[string]any{"b": int64(1)}, "c": map[string]any{"b": int64(1)}}},
		"alias of a list":    {"- &x [1]\n- *x\n", []any{[]any{int64(1)}, []any{int64(1)}}},
		"anchor given again": {"[&x 1, *x, &x 2, *x]", []any{int64(1), int64(1), int64(2), int64(2)}},
		"anchored null":      {"a: &x\nb: *x\n", map[string]any{"a": nil, "b": nil}},
		"complex key":        {"? a\n: b\n", map[string]any{"a": "b"}},
		"alias as a key":     {"{&k a: 1, b: {*k : 2}}", map[string]any{"a": int64(1), "b": map[string]any{"a": int64(2)}}},
		"tagged":             {"[!!int 1, !!float 1, !!bool true, !!null ~, !!seq [], !!map {}, !!str '']", []any{int64(1), int64(1), true, nil, []any{}, map[string]any{}, ""}},
		"empty tagged text":  {"a: !!str\n", map[string]any{"a": ""}},
		"document markers":   {"---\na: 1\n...\n", map[string]any{"a": int64(1)}},
		"Windows line ends":  {"a: b\r\nc: |\r\n  d\r\n", map[string]any{"a": "b", "c": "d\n"}},
		"old Mac line ends":  {"a: b\rc: d\r", map[string]any{"a": "b", "c": "d"}},
		"byte order mark":    {"\ufeffa: b", map[string]any{"a": "b"}},
		"tabs":               {"[a\tb, \"c\td\",\te]", []any{"a\tb", "c\td", "e"}},
		"question marks":     {"[http://x/?a=b, {?k: why??, ? l : m?n}, ?x]", []any{"http://x/?a=b", map[string]any{"?k": "why??", "l": "m?n"}, "?x"}},
		"dash in a text":     {"run\n  --fast\n", "run --fast"},
		"text like a merge":  {"a<<: 1", map[string]any{"a<<": int64(1)}},
		"dots before a text": {"...a", "...a"},
		"line separators":    {"[a\u2028b, \"\u2029\", 'é\u2028']", []any{"a\u2028b", "\u2029", "é\u2028"}},
		"blanks at the end":  {"a: |\n  b \n", map[string]any{"a": "b \n"}},
		"dollars":            {"[$$, '${X}', $]", []any{"$$", "${X}", "$"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got any
			require.NoError(t, strictyaml.Decode("f", []byte(test.text), &got))
			require.Equal(t, test.want, got)
		})
	}
}

func TestMergeKeys(t *testing.T) {
	t.Parallel()
	const text = `
base: &base {provider: openai, name: small, max_tokens: 100}
extra: &extra {name: other, top: 1}
a: {<<: *base, name: large}
b:
  <<: [*extra, *base]
  max_tokens: 5
c: {<<: {x: 1}}
d: {"<<": 1}
`
	var got map[string]any
	require.NoError(t, strictyaml.Decode("f", []byte(text), &got))
	require.Equal(t, map[string]any{"provider": "openai", "name": "large", "max_tokens": int64(100)}, got["a"])
	require.Equal(t, map[string]any{"provider": "openai", "name": "other", "max_tokens": int64(5), "top": int64(1)}, got["b"])
	require.Equal(t, map[string]any{"x": int64(1)}, got["c"])
	require.Equal(t, map[string]any{"<<": int64(1)}, got["d"], "quoted, it is a key like any other")
}

func TestMergedKeysAreCheckedAgainstTheStruct(t *testing.T) {
	t.Parallel()
	err := decodeError(t, "config: &base {provider: a, nam: b}\nmodel: {<<: *base, name: c}\n")
	requireError(t, err, `
agenthost.yaml:1:29: model: unknown key "nam"
  1 | config: &base {provider: a, nam: b}
    |                             ^
  did you mean "name"?`)
}

func TestOrderedMapKeepsOrderAndNodes(t *testing.T) {
	t.Parallel()
	m := decode(t, "order:\n  z: 1\n  a: 2\n  m: 3\n")
	require.Equal(t, []string{"z", "a", "m"}, m.Order.Keys())
	value, ok := m.Order.Get("a")
	require.True(t, ok)
	require.Equal(t, 2, value)
	require.Equal(t, 3, m.Order[1].Node.Line())
	_, ok = m.Order.Get("b")
	require.False(t, ok)

	requireError(t, decodeError(t, "order: {a: x, b: 1, c: y}"), `
agenthost.yaml:1:12: order.a: expected an integer, found string "x"
  1 | order: {a: x, b: 1, c: y}
    |            ^
agenthost.yaml:1:24: order.c: expected an integer, found string "y"
  1 | order: {a: x, b: 1, c: y}
    |                        ^`)
}

func TestMistakesOfTheProgramAreNotProblemsOfTheFile(t *testing.T) {
	t.Parallel()
	type floats struct {
		Whole float32 `yaml:"whole" strict:"max=16"`
		Hex   float64 `yaml:"hex"`
		Least uint8   `yaml:"least" strict:"min=3"`
	}
	var f floats
	require.NoError(t, strictyaml.Decode("f", []byte("whole: 16\nhex: 0o17\nleast: 3\n"), &f))
	require.Equal(t, floats{16, 15, 3}, f)
	type untagged struct{ Name string }
	type badOption struct {
		Name string `yaml:"name" strict:"requird"`
	}
	type inner struct {
		Name string `yaml:"name"`
	}
	type twice struct {
		inner
		Name string `yaml:"name"`
	}
	type notInlined struct {
		Name string `yaml:",inline"`
	}
	type tagAndOption struct {
		Name string `yaml:"name,omitempty"`
	}
	type badNested struct {
		notInlined
	}
	type badInteger struct {
		Name int `yaml:"name" strict:"max=x"`
	}
	type badSize struct {
		Name strictyaml.Count `yaml:"name" strict:"max=1KiB"`
	}
	type badLimit struct {
		Name time.Duration `yaml:"name" strict:"min=5"`
	}
	var nothing *manifest
	for want, into := range map[string]any{
		"strictyaml: strictyaml_test.notInlined.Name is inlined but not an exported struct":  &notInlined{},
		`strictyaml: strictyaml_test.notInlined.Name is inlined but not an exported struct `: &badNested{},
		`strictyaml: strictyaml_test.tagAndOption.Name needs a tag such as yaml:"name"`:      &tagAndOption{},
		`strictyaml: the limit "x" does not fit int`:                                         &badInteger{},
		`strictyaml: the limit "1KiB" does not fit strictyaml.Count`:                         &badSize{},
		"strictyaml: cannot decode into strictyaml_test.untagged: not a pointer":             untagged{},
		"strictyaml: cannot decode into *strictyaml_test.manifest: not a pointer":            nothing,
		"strictyaml: cannot decode into <nil>: not a pointer":                                nil,
		`strictyaml: strictyaml_test.untagged.Name needs a tag such as yaml:"name"`:          &untagged{},
		"strictyaml: cannot decode into map[int]string: its keys are not strings":            new(map[int]string),
		"strictyaml: cannot decode into chan int":                                            new(chan int),
		`strictyaml: strictyaml_test.twice has two fields for the key "name"`:                &twice{},
		`strictyaml: the limit "5" does not fit time.Duration`:                               &badLimit{},
		`strictyaml: strictyaml_test.badOption.Name: unknown strict option "requird"`:        &badOption{},
	} {
		text := "name: 5s"
		if strings.Contains(want, "does not fit") && !strings.Contains(want, "Duration") {
			text = "name: 5"
		}
		err := strictyaml.Decode("f", []byte(text), into)
		require.EqualError(t, err, strings.TrimSpace(want))
		var problems *strictyaml.Error
		require.NotErrorAs(t, err, &problems)
	}
}

// shade is a union that knows nothing of the package.
type shade struct{ Level, Red int }

func (s *shade) UnmarshalYAML(decode func(into any) error) error {
	var form any
	if err := decode(&form); err != nil {
		return err
	}
	switch form.(type) {
	case int64:
		return decode(&s.Level)
	case map[string]any:
		var mixed struct {
			Red int `yaml:"red" strict:"required,max=255"`
		}
		err := decode(&mixed)
		s.Red = mixed.Red
		return err
	default:
		return errors.New("a shade is a number or {red: 0…255}")
	}
}

func TestFuncUnmarshaler(t *testing.T) {
	t.Parallel()
	var shades []shade
	require.NoError(t, strictyaml.Decode("f", []byte("[3, {red: 4}]"), &shades))
	require.Equal(t, []shade{{Level: 3}, {Red: 4}}, shades)

	requireError(t, strictyaml.Decode("agenthost.yaml", []byte("- {rde: 1}\n- dark\n"), &shades), `
agenthost.yaml:1:3: [0]: the key "red" is missing
  1 | - {rde: 1}
    |   ^
agenthost.yaml:1:4: [0]: unknown key "rde"
  1 | - {rde: 1}
    |    ^
  did you mean "red"?
agenthost.yaml:2:3: [1]: a shade is a number or {red: 0…255}
  2 | - dark
    |   ^`)
}
