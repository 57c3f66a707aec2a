package catalog_test

import (
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/catalog"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/internal/schema"
	"github.com/agenthost/agenthost/internal/strictyaml"
	"github.com/agenthost/agenthost/manifest"
)

// Nothing that a user can configure goes without a word.
func TestEverythingIsTold(t *testing.T) {
	t.Parallel()
	all, err := catalog.All()
	require.NoError(t, err)
	require.Len(t, all, len(builtin.Registry()))
	var silent []string
	for i := range all {
		m := &all[i]
		require.NotEmpty(t, m.Summary, m.Name)
		require.NotEmpty(t, m.Description, m.Name)
		require.NotRegexp(t, `\[(host|builtin|model|abi)\.|\[[A-Z][a-zA-Z.]+\]`, m.Description, "links show without brackets: %s", m.Name)
		for _, key := range m.Keys {
			require.NotEmpty(t, key.Type, "%s: %s", m.Name, key.Name)
			require.NotContains(t, key.Description, "nil:", "%s: who writes YAML leaves a key out: %s", m.Name, key.Name)
			if key.Description == "" {
				silent = append(silent, m.Name+": "+key.Name)
			}
		}
	}
	require.Empty(t, silent, "fields without a comment, or properties without a description")
}

// The schema of a middleware takes its example, and the keys of the example are those of the configuration.
func TestExamplesFitTheirSchemas(t *testing.T) {
	t.Parallel()
	all, err := catalog.All()
	require.NoError(t, err)
	for i := range all {
		m := &all[i]
		var excerpt map[string]any
		require.NoError(t, strictyaml.Decode(m.Name, []byte(m.Example), &excerpt), m.Name)
		items, ok := excerpt["middleware"].([]any)
		require.True(t, ok, m.Name)
		require.Len(t, items, 1, m.Name)
		if items[0] == m.Name {
			continue // without a configuration
		}
		item, ok := items[0].(map[string]any)
		require.True(t, ok, m.Name)
		require.Contains(t, item, m.Name, "the example is of the middleware itself")
		require.NoError(t, fits(t, m.Schema, item[m.Name]), m.Name)
		require.Error(t, fits(t, m.Schema, map[string]any{"no_such_key": 1}), m.Name)
	}
}

func fits(t *testing.T, document map[string]any, config any) error {
	t.Helper()
	text, err := json.Marshal(document)
	require.NoError(t, err)
	raw, err := wire.FromJSON(text, wire.DefaultLimits)
	require.NoError(t, err)
	compiled, err := schema.Compile(raw)
	require.NoError(t, err)
	value, err := host.Encode(config)
	require.NoError(t, err)
	return compiled.Validate(value)
}

// docs/middleware.md and comments.json are generated: this says so before CI does.
func TestDocumentIsWhatIsThere(t *testing.T) {
	t.Parallel()
	want, err := catalog.Document()
	require.NoError(t, err)
	got, err := os.ReadFile("../../../../docs/middleware.md")
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), "run make generate")
}

func TestFind(t *testing.T) {
	t.Parallel()
	m, found, err := catalog.Find("tool_call_limit")
	require.NoError(t, err)
	require.True(t, found)
	require.Equal(t, "tool_call_limit", m.Name)
	require.Contains(t, m.Description, "It looks at the unanswered calls")
	require.Equal(t, catalog.Key{
		Name: "exit_behavior", Type: "continue, end, error", Default: `"continue"`,
		Description: m.Keys[3].Description,
	}, m.Keys[3])
	_, found, err = catalog.Find("nobody")
	require.NoError(t, err)
	require.False(t, found)
}

func TestComment(t *testing.T) {
	t.Parallel()
	limit := reflect.TypeFor[builtin.ToolCallLimit]()
	require.Equal(t, "The tool whose calls count; \"\": all", catalog.Comment(limit, "ToolName"))
	require.Equal(t, "Calls in a run; not given: no limit", catalog.Comment(limit, "RunLimit"))
	require.Contains(t, catalog.Comment(limit, "ExitBehavior"), "What happens when a call is blocked.", "without the field's name in Go")
	policy := reflect.TypeFor[builtin.ShellPolicy]()
	require.Contains(t, catalog.Comment(policy, "Command"), "The program that isolates the shell")
	require.Empty(t, catalog.Comment(limit, "Nothing"))
	edit := reflect.TypeFor[builtin.ContextEdit]()
	require.Contains(t, catalog.Comment(edit, "Placeholder"), `"": "[cleared]".`, "no link, so the brackets are text")
	require.Equal(t, "`clear_tool_inputs` also clears the arguments of the calls whose results are cleared.", catalog.Comment(edit, "ClearToolInputs"))
	pii := reflect.TypeFor[builtin.PII]()
	require.Contains(t, catalog.Comment(pii, "Strategy"), "[REDACTED_EMAIL] takes its place")
	require.Contains(t, catalog.Comment(pii, "Strategy"), "with a PIIError.")
	require.NotContains(t, catalog.Comment(reflect.TypeFor[builtin.Subagent](), "ToolEntries"), "In Go")
}

// Descriptions have a subject: they are noun phrases or sentences, and name keys, not fields of Go.
func TestDescriptionsReadAsSentences(t *testing.T) {
	t.Parallel()
	all, err := catalog.All()
	require.NoError(t, err)
	for i := range all {
		for _, key := range all[i].Keys {
			readsAsSentence(t, all[i].Name+": "+key.Name, key.Description)
		}
	}
	document, err := manifest.Schema(catalog.Comment)
	require.NoError(t, err)
	described := 0
	eachDescription(document, "", func(place, description string) {
		described++
		readsAsSentence(t, place, description)
	})
	require.Greater(t, described, 200)
}

var (
	withoutSubject = regexp.MustCompile("^(`[a-z_]+` )?(is|are|was|were|be|been|say|says|said)\\b")
	goName         = regexp.MustCompile("(^|[^`\\w.{<\"/])[A-Z][a-z]+[A-Z][a-z]+\\w*")
	// properNames look like names of Go but are none.
	properNames = regexp.MustCompile(`LangChain|PostgreSQL|LimitError|PIIError|LastEvent|AGENTS`)
)

func readsAsSentence(t *testing.T, place, description string) {
	t.Helper()
	first, _ := utf8.DecodeRuneInString(description)
	require.False(t, unicode.IsLower(first), "%s begins with a small letter: %s", place, description)
	require.NotRegexp(t, withoutSubject, description, "%s has no subject", place)
	require.NotRegexp(t, goName, properNames.ReplaceAllString(description, ""), "%s names a field of Go", place)
}

// eachDescription visits all descriptions of a schema.
func eachDescription(value any, place string, visit func(place, description string)) {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			if text, ok := inner.(string); ok && key == "description" {
				visit(place, text)
				continue
			}
			eachDescription(inner, place+"/"+key, visit)
		}
	case []any:
		for i, inner := range v {
			eachDescription(inner, place+"/"+strconv.Itoa(i), visit)
		}
	}
}

// Editors show the description of a key, so no key of a manifest goes without one.
func TestEveryKeyHasADescription(t *testing.T) {
	t.Parallel()
	document, err := manifest.Schema(catalog.Comment)
	require.NoError(t, err)
	keys := 0
	var silent []string
	eachProperty(document, "", func(place string, property any) {
		keys++
		schema, _ := property.(map[string]any)
		if description, _ := schema["description"].(string); description == "" {
			silent = append(silent, place)
		}
	})
	require.Greater(t, keys, 400)
	require.Empty(t, silent, "comment the fields of the configuration, and run make generate")
}

// eachProperty visits the schemas of all properties in a schema.
func eachProperty(value any, place string, visit func(place string, property any)) {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			if properties, ok := inner.(map[string]any); ok && key == "properties" {
				for name, property := range properties {
					visit(place+"/"+name, property)
					eachProperty(property, place+"/"+name, visit)
				}
				continue
			}
			eachProperty(inner, place+"/"+key, visit)
		}
	case []any:
		for i, inner := range v {
			eachProperty(inner, place+"/"+strconv.Itoa(i), visit)
		}
	}
}
