package builtin_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

func TestRegistry(t *testing.T) {
	t.Parallel()
	entries := builtin.Registry()
	require.NotEmpty(t, entries)
	require.True(t, slices.IsSortedFunc(entries, func(a, b builtin.Entry) int {
		if a.Name <= b.Name {
			return -1
		}
		return 1
	}), "sorted by name")
	for _, entry := range entries {
		t.Run(entry.Name, func(t *testing.T) {
			t.Parallel()
			found, ok := builtin.Lookup(entry.Name)
			require.True(t, ok)
			require.Equal(t, entry.Summary, found.Summary)
			require.NotEmpty(t, entry.Summary)
			first, second := entry.New(), entry.New()
			require.Equal(t, reflect.Pointer, reflect.TypeOf(first).Kind(), "a decoder fills it in")
			if reflect.TypeOf(first).Elem().Size() > 0 { // values without fields may share their address
				require.NotSame(t, first, second)
			}
			require.Equal(t, entry.Name, first.Name())
		})
	}
}

// The keys of a manifest are the parameters of LangChain's middleware.
func TestRegistryEntriesAreDecoded(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		yaml string
		want host.Middleware
	}{
		"human_in_the_loop": {
			`{interrupt_on: {mail: true, search: {allowed_decisions: [approve, edit], description: a, args_schema: {type: object},
				when: {arg: q, equals: 1}}, calc: {allowed_decisions: [respond], when: {arg: q, starts_with: a}}},
				description_prefix: b, interrupt_mode: per_call, edit_notice: c}`,
			&builtin.HumanInTheLoop{
				InterruptOn: map[string]builtin.ReviewPolicy{
					"mail": builtin.AnyDecision(),
					"search": {
						AllowedDecisions: []builtin.DecisionType{builtin.Approve, builtin.Edit}, Description: "a",
						ArgsSchema: map[string]any{"type": "object"}, When: &builtin.ArgCondition{Arg: "q", Equals: int64(1)},
					},
					"calc": {AllowedDecisions: []builtin.DecisionType{builtin.Respond}, When: &builtin.ArgCondition{Arg: "q", StartsWith: "a"}},
				},
				DescriptionPrefix: "b", InterruptMode: "per_call", EditNotice: new("c"),
			},
		},
		"model_call_limit": {
			"{thread_limit: 1, run_limit: 2, exit_behavior: end}",
			&builtin.ModelCallLimit{ThreadLimit: new(1), RunLimit: new(2), ExitBehavior: "end"},
		},
		"patch_tool_calls": {
			"{content: a, invalid_content: b}", &builtin.PatchToolCalls{Content: "a", InvalidContent: "b"},
		},
		"tool_call_limit": {
			"{tool_name: search, thread_limit: 1, run_limit: 0, exit_behavior: error}",
			&builtin.ToolCallLimit{ToolName: "search", ThreadLimit: new(1), RunLimit: new(0), ExitBehavior: "error"},
		},
		"tool_error": {
			"{on_error: {format: '{message}', types: [a, b]}, tools: [search]}",
			&builtin.ToolError{OnError: builtin.ToolErrorAnswer{Format: "{message}", Types: []string{"a", "b"}}, Tools: []string{"search"}},
		},
	} {
		entry, ok := builtin.Lookup(name)
		require.True(t, ok, name)
		decoded := entry.New()
		require.NoError(t, strictyaml.Decode("agenthost.yaml", []byte(test.yaml), decoded), name)
		require.Equal(t, test.want, decoded)
	}
}

func TestLookupOfAnUnknownName(t *testing.T) {
	t.Parallel()
	_, ok := builtin.Lookup("nobody")
	require.False(t, ok)
}

func TestRegistryIsACopy(t *testing.T) {
	t.Parallel()
	builtin.Registry()[0].Name = "changed"
	require.NotEqual(t, "changed", builtin.Registry()[0].Name)
}

func ExampleLookup() {
	entry, ok := builtin.Lookup("model_call_limit")
	fmt.Println(entry.Name, entry.Summary, ok)
	// Output: model_call_limit limits the model calls of a run or thread true
}
