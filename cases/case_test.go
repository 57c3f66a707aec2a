package cases_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/cases"
	"github.com/agenthost/agenthost/internal/schema"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

func TestAMistakeInACaseShowsItsPlace(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ text, message string }{
		"no turns":          {`turns: []`, "the case has no turns"},
		"unknown key":       {`turns: [{input: a, expect: {mesage: b}}]`, `unknown key "mesage"`},
		"two scripts":       {"model: {echo: true, rules: a}\nturns: [{input: a}]", "exactly one of the keys turns, rules and echo"},
		"a provider":        {"model: {provider: openai, echo: true}\nturns: [{input: a}]", "scripted"},
		"outside":           {"files: {../a: x}\nturns: [{input: a}]", `"../a" must be a path below the manifest's directory`},
		"outside, expected": {"turns: [{input: a, expect: {files: {/etc/passwd: x}}}]", `must be a path below`},
		"two answers":       {"turns: [{input: a, answers: [{approve: a, reject: b}]}]", "needs exactly one of the keys approve, edit, reject, respond, answer, continue"},
		"no arguments":      {"turns: [{input: a, answers: [{edit: a}]}]", `edit needs the key "args"`},
		"a key too much":    {"turns: [{input: a, answers: [{approve: a, args: {}}]}]", `the key "args" does not go with approve`},
		"pattern":           {"turns: [{input: a, expect: {message: {regexp: '('}}}]", "missing closing"},
		"schema":            {"turns: [{input: a, expect: {message: {schema: {type: 7}}}}]", "type"},
		"empty check":       {"turns: [{input: a, expect: {message: {}}}]", "the check is empty"},
		"status and error":  {"turns: [{input: a, expect: {status: completed, error: x}}]", "error goes with status: failed"},
		"both lists":        {"turns: [{input: a, expect: {tool_calls: {exactly: [], include: []}}}]", "either exactly or include"},
		"interrupt":         {"turns: [{input: a, expect: {interrupts: [{args: {}}]}}]", `needs either the key "call"`},
		"two results":       {"tools: {a: [{content: x, error: y}]}\nturns: [{input: a}]", "either content or error"},
		"no time":           {"now: today\nturns: [{input: a}]", "must be a time such as"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := load(t, test.text)
			require.ErrorContains(t, err, test.message)
			require.ErrorContains(t, err, "some.yaml:")
		})
	}
}

func TestPathsOfACase(t *testing.T) {
	t.Parallel()
	c := must(t, "manifest: ../other.yaml\ncassette: one.cassette\nturns: [{input: a}]")
	dir := filepath.Dir(c.Path)
	require.Equal(t, filepath.Join(filepath.Dir(dir), "other.yaml"), c.ManifestPath())
	require.Equal(t, filepath.Join(dir, "one.cassette"), c.CassettePath())
	require.Equal(t, "some", c.Name())
	plain := must(t, "turns: [{input: a}]")
	require.Equal(t, "agenthost.yaml", filepath.Base(plain.ManifestPath()))
	require.Empty(t, plain.CassettePath())
}

func TestCasesAreFoundBesideManifests(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, file := range []string{
		"agenthost.yaml", "tests/b.yaml", "tests/a.yaml", "tests/rules.txt", "tests/deep/c.yaml",
		"inner/agenthost.yaml", "inner/tests/d.yaml", "other/tests/e.yaml", ".git/agenthost.yaml", ".git/tests/f.yaml", "testdata/g.yaml",
	} {
		path := filepath.Join(dir, filepath.FromSlash(file))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, nil, 0o600))
	}
	found := func(in ...string) []string {
		files, err := cases.Find(filepath.Join(append([]string{dir}, in...)...))
		require.NoError(t, err)
		for i := range files {
			files[i], err = filepath.Rel(dir, files[i])
			require.NoError(t, err)
		}
		return files
	}
	require.Equal(t, []string{"inner/tests/d.yaml", "tests/a.yaml", "tests/b.yaml"}, found())
	require.Equal(t, []string{"tests/a.yaml", "tests/b.yaml"}, found("tests"))
	require.Empty(t, found("other"))
	_, err := cases.Find(filepath.Join(dir, "gone"))
	require.ErrorContains(t, err, "no such file")
}

func TestTheExamplesHaveValidCases(t *testing.T) {
	t.Parallel()
	files, err := cases.Find(filepath.Join("..", "examples"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		c, err := cases.Load(file)
		require.NoError(t, err)
		require.NotEmpty(t, c.Description, file)
	}
}

// TestTheSchemaFitsTheExamples also shows that it refuses what no case may have.
func TestTheSchemaFitsTheExamples(t *testing.T) {
	t.Parallel()
	document, err := cases.Schema(func(reflect.Type, string) string { return "" })
	require.NoError(t, err)
	text, err := json.Marshal(document)
	require.NoError(t, err)
	raw, err := wire.FromJSON(text, wire.Limits{})
	require.NoError(t, err)
	compiled, err := schema.Compile(raw)
	require.NoError(t, err)
	fits := func(name string, text []byte) error {
		var values map[string]any
		require.NoError(t, strictyaml.Decode(name, text, &values))
		value, err := wire.MapOf(values)
		require.NoError(t, err)
		return compiled.Validate(value.Raw())
	}
	files, err := cases.Find(filepath.Join("..", "examples"))
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, fits(file, text), file)
	}
	for _, wrong := range []string{"{}", "turns: [{}]", "turns: [{input: a, expect: {tool_calls: [{args: {}}]}}]", "turns: [{input: a, expects: {}}]"} {
		require.Error(t, fits("wrong.yaml", []byte(wrong)), wrong)
	}
}
