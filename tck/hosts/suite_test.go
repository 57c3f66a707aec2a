package hosts_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/tck/hosts"
)

// update writes the cases from the tables of this package, with the outcome in this repository's host:
//
//	go test ./tck/hosts -update
var update = flag.Bool("update", false, "write the cases")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func allDefs() []*def {
	var all []*def
	for _, part := range [][]*def{
		viewCases(), stateCases(), resultCases(), frameCases(), wrapModelCases(), wrapToolCases(), toolCases(), interruptCases(),
		operationCases(), capabilityCases(), contextCases(), informCases(), batchCases(), answerCases(), loadCases(), sandboxCases(),
	} {
		all = append(all, part...)
	}
	return all
}

func newEngine(t *testing.T) *plugin.Engine {
	t.Helper()
	engine, err := plugin.NewEngine(plugin.EngineConfig{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, engine.Close()) })
	return engine
}

// TestCasesSayWhatTheSpecificationSays performs the tables. The handwritten expectations of each case must hold.
func TestCasesSayWhatTheSpecificationSays(t *testing.T) { //nolint:tparallel // each case takes milliseconds
	t.Parallel()
	engine := newEngine(t)
	spec, err := os.ReadFile("../../abi/SPEC.md")
	require.NoError(t, err)
	text := strings.Join(strings.Fields(string(spec)), " ")
	written := map[string][]byte{}
	for _, d := range allDefs() {
		for _, sentence := range d.Says {
			require.True(t, strings.Contains(text, sentence), "%s: SPEC.md does not say: %s", d.Name, sentence) //nolint:testifylint // it is long
		}
		require.NotEmpty(t, d.Says, d.Name)
		require.NotEmpty(t, d.holds, d.Name)
		t.Run(d.Name, func(t *testing.T) {
			out := perform(t, &d.Case, engine, func(p *hosts.Plugin) []byte { return d.modules[p.Module] })
			for _, f := range d.holds {
				f(t, out)
			}
			d.Expect = withAny(t, out, d.volatile)
		})
		require.NotContains(t, written, d.Name+".json", "two cases have one name")
		written[d.Name+".json"] = encode(t, &d.Case)
		maps.Copy(written, d.modules)
	}
	if *update && !t.Failed() {
		rewrite(t, written)
	}
	files, err := filepath.Glob("cases/*")
	require.NoError(t, err)
	require.Len(t, files, len(written), "go test ./tck/hosts -update writes the cases")
	for file, want := range written {
		got, err := os.ReadFile(filepath.Join("cases", file))
		require.NoError(t, err)
		require.True(t, bytes.Equal(want, got), "%s is stale; go test ./tck/hosts -update writes it", file)
	}
}

func child(t *testing.T, v any) map[string]any {
	t.Helper()
	object, ok := v.(map[string]any)
	require.True(t, ok, "%v is not an object", v)
	return object
}

// withAny returns an outcome that accepts any value at some places.
func withAny(t *testing.T, out *hosts.Outcome, places []string) hosts.Outcome {
	t.Helper()
	b, err := json.Marshal(out)
	require.NoError(t, err)
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var tree any
	require.NoError(t, d.Decode(&tree))
	for _, place := range places {
		at := tree
		keys := strings.Split(place, "/")[1:]
		for _, key := range keys[:len(keys)-1] {
			if items, ok := at.([]any); ok {
				n, err := strconv.Atoi(key)
				require.NoError(t, err, place)
				at = items[n]
			} else {
				at = child(t, at)[key]
			}
		}
		parent := child(t, at)
		require.Contains(t, parent, keys[len(keys)-1])
		parent[keys[len(keys)-1]] = hosts.Any
	}
	b, err = json.Marshal(tree)
	require.NoError(t, err)
	var changed hosts.Outcome
	require.NoError(t, json.Unmarshal(b, &changed))
	return changed
}

func encode(t *testing.T, c *hosts.Case) []byte {
	t.Helper()
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	require.NoError(t, e.Encode(c))
	return out.Bytes()
}

func rewrite(t *testing.T, written map[string][]byte) {
	t.Helper()
	old, err := filepath.Glob("cases/*")
	require.NoError(t, err)
	for _, file := range old {
		require.NoError(t, os.Remove(file))
	}
	for file, content := range written {
		require.NoError(t, os.WriteFile(filepath.Join("cases", file), content, 0o600))
	}
}

// TestCases performs the cases from their files, as any host would.
func TestCases(t *testing.T) { //nolint:tparallel // each case takes milliseconds
	t.Parallel()
	cases, err := hosts.Cases()
	require.NoError(t, err)
	engine := newEngine(t)
	var names []string
	for _, c := range cases {
		names = append(names, c.Name)
		t.Run(c.Name, func(t *testing.T) {
			out := perform(t, &c, engine, func(p *hosts.Plugin) []byte {
				code, err := p.Bytes()
				require.NoError(t, err)
				return code
			})
			require.NoError(t, hosts.Compare(&c.Expect, out))
		})
	}
	require.True(t, slices.IsSorted(names))
}
