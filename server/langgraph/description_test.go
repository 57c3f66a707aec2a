package langgraph_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/server/langgraph"
	"github.com/agenthost/agenthost/test/apicheck"
)

// What the description forbids, the server refuses: a body without a required member, and one with a member of another type or another
// value.
func TestTheServerRefusesWhatIsNotDescribed(t *testing.T) {
	t.Parallel()
	r := setup(t, "limits: {requests_per_second: 100000, burst: 100000}")
	ids := property(r)
	known := doc{
		"assistant_id": "agent", "graph_id": "agent", "schedule": "@daily", "namespace": []string{"n"}, "key": "k", "value": doc{}, "version": 1,
		"checkpoint": doc{}, "thread_id": ids["thread"], "run_ids": []string{ids["run"]}, "id": 1, "method": "state.get", "channels": []string{"values"},
	}
	delete(known, "thread_id") // a new thread needs none
	own := langgraph.Patterns()
	n := 0
	for path, item := range apicheck.Load(t).Paths.Map() {
		for method, operation := range item.Operations() {
			pattern := method + " " + strings.ReplaceAll(path, "_id}", "}")
			if operation.RequestBody == nil || method == http.MethodDelete || !slices.Contains(own, pattern) {
				continue
			}
			_, at := fill(pattern, ids)
			schema := operation.RequestBody.Value.Content.Get("application/json").Schema.Value
			wrap := func(body doc) any { return body }
			if schema.Items != nil {
				schema, wrap = schema.Items.Value, func(body doc) any { return []any{body} }
			}
			required, properties := requiredIn(schema), propertiesIn(schema)
			valid := doc{}
			for _, name := range required {
				require.Contains(t, known, name)
				valid[name] = known[name]
			}
			if operation.Responses.Status(http.StatusOK) == nil || operation.Responses.Status(http.StatusOK).Value.Content.Get("text/event-stream") == nil {
				status, answer := r.do(method, at, wrap(valid))
				require.True(t, status < 300 || path == "/runs/cancel", "%s %s: %d %v", method, path, status, answer) // which needs one of two members
			}
			refuse := func(body doc, why string) {
				t.Helper()
				n++
				status, answer := r.do(method, at, wrap(body))
				require.Contains(t, []int{http.StatusBadRequest, http.StatusUnprocessableEntity}, status, "%s %s without %s: %v", method, path, why, answer)
			}
			for _, name := range required {
				body := maps.Clone(valid)
				delete(body, name)
				refuse(body, name)
			}
			for name, property := range properties {
				for _, wrong := range []any{3.5, "no such value", true, []any{[]any{}}, doc{"no": "such"}} {
					if property.Value.VisitJSON(wrong, openapi3.EnableJSONSchema2020()) != nil {
						body := maps.Clone(valid)
						body[name] = wrong
						refuse(body, name)
					}
				}
			}
		}
	}
	require.Greater(t, n, 500)
}

// requiredIn returns the required members of a schema, and of those within it.
func requiredIn(s *openapi3.Schema) []string {
	out := slices.Clone(s.Required)
	for _, part := range s.AllOf {
		out = append(out, requiredIn(part.Value)...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func propertiesIn(s *openapi3.Schema) openapi3.Schemas {
	out := maps.Clone(s.Properties)
	for _, part := range s.AllOf {
		maps.Copy(out, propertiesIn(part.Value))
	}
	return out
}

func TestTheDescriptionIsOpen(t *testing.T) {
	t.Parallel()
	r := setup(t, keys())
	require.Equal(t, "3.1.0", r.object("GET", "/openapi.json", nil)["openapi"])
}
