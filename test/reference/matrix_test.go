package reference_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/test/reference"
)

// matrixCase is a middleware in the matrix: its configuration, and the proof that it works.
type matrixCase struct {
	config   object
	provider string   // of the model
	turns    []any    // turns of the model; nil: matrixTurns
	runs     []any    // nil: matrixRuns
	proof    []string // texts in the outcome that are there because of the middleware
}

// The matrix has an agent that calls two tools at once, then a tool that asks together with another one, and then
// answers.
var (
	matrixTurns = []any{
		object{"content": "", "tool_calls": []any{
			matrixCall("1", "search", object{"q": "ann@example.com"}), matrixCall("2", "calc", object{"n": 2}),
		}},
		object{"content": "", "tool_calls": []any{matrixCall("3", "ask", object{}), matrixCall("4", "search", object{"q": "y"})}},
		object{"content": "done, write to bob@example.com"},
	}
	matrixRuns = []any{matrixStart, matrixAnswer}

	matrixStart  = object{"thread": "t", "input": object{"messages": []any{object{"role": "human", "content": "ask cat@example.com"}}}}
	matrixAnswer = object{"thread": "t", "resume": "yes"}
)

func matrixCall(id, name string, args object) object {
	return object{"id": id, "name": name, "args": args}
}

func matrixTool(name string, behavior object) object {
	return object{"name": name, "description": "the tool " + name, "parameters": object{"type": "object"}, "behavior": behavior}
}

// matrixAgent returns the agent with a list of middleware.
func matrixAgent(c *matrixCase, middleware ...any) (*reference.Vector, error) {
	turns, runs := c.turns, c.runs
	if turns == nil {
		turns = matrixTurns
	}
	if runs == nil {
		runs = matrixRuns
	}
	expect := make([]any, len(runs))
	for i := range expect {
		expect[i] = object{}
	}
	text, err := json.Marshal(object{
		"name": "matrix/agent", "doc": "generated", "reference": "none", "record": "requests", "runs": runs, "expect": expect,
		"agent": object{
			"model": object{"kind": "scripted", "turns": turns, "provider": c.provider}, "checkpointer": true, "max_concurrency": 2, "system_prompt": "Be brief.",
			"middleware": middleware, "tools": []any{
				matrixTool("search", object{"kind": "template", "text": "Result for {q}"}),
				matrixTool("calc", object{"kind": "template", "text": "{n} and {#}"}),
				matrixTool("ask", object{"kind": "interrupt", "ask": "sure?"}),
				matrixTool("flaky", object{
					"kind": "raise", "error": object{"type": "ValueError", "message": "down"}, "times": 1, "then": object{"kind": "template", "text": "up"},
				}),
			},
		},
	})
	if err != nil {
		return nil, err
	}
	return reference.Read(text)
}

// matrixProbe returns a probe with all six hooks, which change nothing.
func matrixProbe(name string) object {
	node := object{"do": []any{object{"log": name}}}
	wrap := object{"do": []any{object{"log": name}, object{"call_next": true}}}
	return object{"type": "probe", "name": name, "hooks": object{
		"before_agent": node, "before_model": node, "after_model": node, "after_agent": node, "wrap_model_call": wrap, "wrap_tool_call": wrap,
	}}
}

// performed returns the outcomes of an agent's runs, without the logs of its probes and without ids that hosts
// generate.
func performed(t *testing.T, v *reference.Vector, flavor reference.Flavor) []any {
	t.Helper()
	subject, err := v.Build(flavor, func(config *host.Config) {
		config.Clock = func() time.Time { return time.Unix(1_700_000_000, 0).UTC() }
	})
	require.NoError(t, err)
	defer func() { require.NoError(t, subject.Close()) }()
	out := make([]any, len(v.Runs))
	for i := range v.Runs {
		document := subject.Perform(t.Context(), &v.Runs[i]).Document()
		delete(document, "log")
		for _, key := range []string{"model_requests", "decision_requests"} { // tools ask models concurrently
			document[key] = sorted(t, document[key])
		}
		out[i] = withoutIDs(document)
	}
	return out
}

// sorted returns values in the order of their JSON.
func sorted(t *testing.T, values any) any {
	t.Helper()
	list, ok := withoutIDs(values).([]any)
	require.True(t, ok)
	text := func(value any) string {
		out, err := json.Marshal(value)
		require.NoError(t, err)
		return string(out)
	}
	slices.SortFunc(list, func(a, b any) int { return cmp.Compare(text(a), text(b)) })
	return list
}

// nonce matches what a middleware derives from the seed of its step, which depends on the steps around it.
var nonce = regexp.MustCompile(`\b[0-9a-f]{16}\b`)

// withoutIDs removes the ids of messages and nonces from a document.
func withoutIDs(value any) any {
	switch v := value.(type) {
	case map[string]any:
		if v["role"] != nil {
			delete(v, "id")
		}
		for key := range v {
			v[key] = withoutIDs(v[key])
		}
	case []any:
		for i := range v {
			v[i] = withoutIDs(v[i])
		}
	case string:
		return nonce.ReplaceAllString(v, "nonce")
	}
	return value
}

// TestMatrix puts every built-in middleware into an agent whose tools run concurrently. One tool asks a question, so the run
// is interrupted and resumed. The middleware runs alone, and with a plugin of all six hooks outside it, inside it and on
// both sides. The middleware must work, and the plugin must change nothing.
func TestMatrix(t *testing.T) {
	t.Parallel()
	flavors, err := allFlavors()
	require.NoError(t, err)
	var names []string
	for _, entry := range builtin.Registry() {
		names = append(names, entry.Name)
	}
	require.Equal(t, names, slices.Sorted(maps.Keys(matrix)), "every built-in middleware is in the matrix")
	for name, c := range matrix {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			middleware := object{"type": name, "config": c.config}
			alone, err := matrixAgent(&c, middleware)
			require.NoError(t, err)
			want := performed(t, alone, flavors[0])
			text, err := json.Marshal(want)
			require.NoError(t, err)
			for _, proof := range c.proof {
				require.Contains(t, string(text), proof, "what shows that the middleware works")
			}
			for _, flavor := range flavors[1:] {
				for place, list := range map[string][]any{
					"outside": {matrixProbe("A"), middleware}, "inside": {middleware, matrixProbe("A")},
					"on both sides": {matrixProbe("A"), middleware, matrixProbe("B")},
				} {
					t.Run(fmt.Sprintf("%s %s", flavor.Name, place), func(t *testing.T) {
						t.Parallel()
						beside, err := matrixAgent(&c, list...)
						require.NoError(t, err)
						require.Equal(t, want, performed(t, beside, flavor))
					})
				}
			}
		})
	}
}
