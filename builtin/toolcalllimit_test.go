package builtin_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
)

const (
	blockedAll    = "Tool call limit exceeded. Do not make additional tool calls."
	blockedSearch = "Tool call limit exceeded. Do not call 'search' again."
	stopped       = "Execution stopped before this tool call could run because another tool call in the same batch exceeded the limit."
)

func TestToolCallLimit(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		limits  []host.Middleware
		turns   []string
		want    []string // behind the human message
		counts  map[string]int
		wantErr string
	}{
		{
			"answers blocked calls first and lets the others run",
			[]host.Middleware{builtin.ToolCallLimit{ToolName: "search", ThreadLimit: new(1)}},
			[]string{"search:1 search:2 calc:3 search:4"},
			[]string{
				"ai search:1 search:2 calc:3 search:4", "tool 2! " + blockedSearch, "tool 4! " + blockedSearch,
				"tool 1 search result", "tool 3 calc result", "ai",
			},
			map[string]int{"search": 1},
			"",
		},
		{
			"lets the model go on when all calls are blocked",
			[]host.Middleware{builtin.ToolCallLimit{RunLimit: new(1), ExitBehavior: "continue"}},
			[]string{"search:1", "calc:2", "calc:3"},
			[]string{"ai search:1", "tool 1 search result", "ai calc:2", "tool 2! " + blockedAll, "ai calc:3", "tool 3! " + blockedAll, "ai"},
			map[string]int{"__all__": 1},
			"",
		},
		{
			"of one tool ignores the others",
			[]host.Middleware{builtin.ToolCallLimit{ToolName: "search", RunLimit: new(0), ExitBehavior: "error"}},
			[]string{"calc:1 calc:2"},
			[]string{"ai calc:1 calc:2", "tool 1 calc result", "tool 2 calc result", "ai"},
			nil, "",
		},
		{
			"ends the run: every call is answered, none runs, and the thread's count stays",
			[]host.Middleware{builtin.ToolCallLimit{ToolName: "search", ThreadLimit: new(2), ExitBehavior: "end"}},
			[]string{"search:1", "calc:2 search:3 search:4 calc:5"},
			[]string{
				"ai search:1", "tool 1 search result", "ai calc:2 search:3 search:4 calc:5", "tool 4! " + blockedSearch,
				"tool 2! " + stopped, "tool 3! " + stopped, "tool 5! " + stopped,
				"ai 'search' tool call limit reached: thread limit exceeded (3/2 calls).",
			},
			map[string]int{"search": 1},
			"",
		},
		{
			"of zero blocks the first call, and names both limits",
			[]host.Middleware{builtin.ToolCallLimit{ThreadLimit: new(0), RunLimit: new(0), ExitBehavior: "end"}},
			[]string{"search:1 calc:2"},
			[]string{
				"ai search:1 calc:2", "tool 1! " + blockedAll, "tool 2! " + blockedAll,
				"ai Tool call limit reached: thread limit exceeded (2/0 calls) and run limit exceeded (2/0 calls).",
			},
			map[string]int{"__all__": 0},
			"",
		},
		{
			"fails the run and leaves the calls open",
			[]host.Middleware{builtin.ToolCallLimit{ToolName: "search", ThreadLimit: new(2), RunLimit: new(1), ExitBehavior: "error"}},
			[]string{"search:1 search:2"},
			[]string{"ai search:1 search:2"},
			nil, `middleware "tool_call_limit[search]": after_model: 'search' tool call limit reached: run limit exceeded (2/1 calls).`,
		},
		{
			"counts blocked calls in the run only",
			[]host.Middleware{builtin.ToolCallLimit{ThreadLimit: new(2), RunLimit: new(1), ExitBehavior: "end"}},
			[]string{"search:1 search:2 search:3"},
			[]string{
				"ai search:1 search:2 search:3", "tool 2! " + blockedAll, "tool 3! " + blockedAll, "tool 1! " + stopped,
				"ai Tool call limit reached: thread limit exceeded (3/2 calls) and run limit exceeded (3/1 calls).",
			},
			map[string]int{"__all__": 0},
			"",
		},
		{
			"stands beside others, each with its own count",
			[]host.Middleware{
				builtin.ToolCallLimit{ToolName: "search", ThreadLimit: new(1)},
				builtin.ToolCallLimit{ThreadLimit: new(9)},
				builtin.ToolCallLimit{ToolName: "calc", ThreadLimit: new(9)},
			},
			[]string{"search:1 calc:2", "calc:3"},
			[]string{"ai search:1 calc:2", "tool 1 search result", "tool 2 calc result", "ai calc:3", "tool 3 calc result", "ai"},
			map[string]int{"search": 1, "calc": 2, "__all__": 3},
			"",
		},
		{
			"neither counts nor answers what another limiter has answered",
			[]host.Middleware{
				builtin.ToolCallLimit{ThreadLimit: new(1), ExitBehavior: "end"}, builtin.ToolCallLimit{ToolName: "search", RunLimit: new(1)},
			},
			[]string{"search:1 search:2 search:3", "calc:4 search:5"},
			[]string{
				"ai search:1 search:2 search:3", "tool 2! " + blockedSearch, "tool 3! " + blockedSearch, "tool 1 search result",
				"ai calc:4 search:5", "tool 5! " + blockedSearch, "tool 4! " + blockedAll,
				"ai Tool call limit reached: thread limit exceeded (2/1 calls).",
			},
			map[string]int{"search": 1, "__all__": 1},
			"",
		},
		{
			"neither counts nor answers what a review has answered",
			[]host.Middleware{builtin.ToolCallLimit{RunLimit: new(1), ExitBehavior: "end"}, rejects("1", "3")},
			[]string{"search:1 search:2 calc:3"},
			[]string{"ai search:1 search:2 calc:3", "tool 1! rejected", "tool 3! rejected", "tool 2 search result", "ai"},
			map[string]int{"__all__": 1},
			"",
		},
		{
			"has nothing to say when all is answered",
			[]host.Middleware{builtin.ToolCallLimit{RunLimit: new(0), ExitBehavior: "error"}, rejects("1")},
			[]string{"search:1"},
			[]string{"ai search:1", "tool 1! rejected", "ai"},
			nil, "",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := newChat(t, test.turns, test.limits...)

			result, err := c.run(t.Context())

			if test.wantErr == "" {
				require.NoError(t, err)
			} else {
				require.EqualError(t, err, test.wantErr)
			}
			require.Equal(t, test.want, lines(result.Messages)[1:])
			require.Equal(t, test.counts, c.counts)
		})
	}
}

// rejects answers the calls of these ids, as a review does.
func rejects(ids ...string) host.Middleware {
	return host.AfterModel("rejects", func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
		last, _ := rt.State().Messages().Last()
		update := &host.Update{}
		for _, call := range last.ToolCalls {
			for _, id := range ids {
				if call.ID == id {
					update.Messages = append(update.Messages, abi.ToolFailure(call, "rejected"))
				}
			}
		}
		return update, nil
	})
}

func TestToolCallLimitAnswersAnIDOnce(t *testing.T) {
	t.Parallel()
	asks := host.AfterModel("asks", func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
		if rt.N() > 1 {
			return nil, nil
		}
		return &host.Update{Messages: []abi.Message{abi.AI("", calls("search:1 search:1 search:1")...)}}, nil
	})
	c := newChat(t, nil, builtin.ToolCallLimit{RunLimit: new(1)}, asks)

	result, err := c.run(t.Context())

	require.NoError(t, err)
	require.Equal(t, []string{"human go", "ai", "ai search:1 search:1 search:1", "tool 1! " + blockedAll, "ai"}, lines(result.Messages))
}

func TestToolCallLimitFailsWithItsCounts(t *testing.T) {
	t.Parallel()
	c := newChat(t, []string{"search:1", "search:2 search:3 search:4 calc:5"},
		builtin.ToolCallLimit{ToolName: "search", ThreadLimit: new(3), RunLimit: new(2), ExitBehavior: "error"})

	result, err := c.run(t.Context())

	var exceeded *host.LimitError
	require.ErrorAs(t, err, &exceeded)
	require.Equal(t, &host.LimitError{
		Code:    host.CodeToolCallLimit,
		Message: "'search' tool call limit reached: thread limit exceeded (4/3 calls) and run limit exceeded (4/2 calls).",
		Step:    "tool_call_limit[search].after_model", Tool: "search",
		ThreadCount: 4, ThreadLimit: new(3), RunCount: 4, RunLimit: new(2),
	}, exceeded)
	require.Equal(t, host.Failed, result.Status)
	require.Equal(t, map[string]int{"search": 1}, c.counts, "a failed run does not count its last calls")
	require.Equal(t, []string{"1"}, c.executed)
}

func TestToolCallLimitOverSeveralRuns(t *testing.T) {
	t.Parallel()
	t.Run("the thread's count goes on", func(t *testing.T) {
		t.Parallel()
		c := newChat(t, []string{"search:1", "", "search:2"}, builtin.ToolCallLimit{ThreadLimit: new(1)})
		for range 2 {
			_, err := c.run(t.Context())
			require.NoError(t, err)
		}
		require.Equal(t, []string{"1"}, c.executed)
		require.Equal(t, map[string]int{"__all__": 1}, c.counts)
	})
	t.Run("the run's count starts anew", func(t *testing.T) {
		t.Parallel()
		c := newChat(t, []string{"search:1", "search:2", "search:3"}, builtin.ToolCallLimit{RunLimit: new(1), ExitBehavior: "end"})
		for range 2 {
			_, err := c.run(t.Context())
			require.NoError(t, err)
		}
		require.Equal(t, []string{"1", "3"}, c.executed)
	})
}

func TestToolCallLimitCountsAreHidden(t *testing.T) {
	t.Parallel()
	result, err := setup(t, builtin.ToolCallLimit{RunLimit: new(1), ExitBehavior: "end"}).run(t)
	require.NoError(t, err)
	require.Empty(t, result.State)
}

func TestToolCallLimitReportsCountsOfAnotherType(t *testing.T) {
	t.Parallel()
	for _, field := range []string{"thread_tool_call_count", "run_tool_call_count"} {
		c := newChat(t, []string{"search:1"}, builtin.ToolCallLimit{RunLimit: new(1)},
			host.BeforeModel("spoils", func(context.Context, *host.Runtime) (*host.Update, error) {
				update := &host.Update{}
				return update, host.NewField[string](field).Set(update, "many")
			}))
		_, err := c.agent.Run(t.Context(), host.Input{})
		require.ErrorContains(t, err, `middleware "tool_call_limit": after_model: field "`+field+`": `)
	}
}

func TestToolCallLimitName(t *testing.T) {
	t.Parallel()
	require.Equal(t, "tool_call_limit", builtin.ToolCallLimit{}.Name())
	require.Equal(t, "tool_call_limit[search]", builtin.ToolCallLimit{ToolName: "search"}.Name())
}

func TestToolCallLimitConfiguration(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		config builtin.ToolCallLimit
		want   string
	}{
		{"needs a limit", builtin.ToolCallLimit{ToolName: "x"}, "at least one limit must be specified (thread_limit or run_limit)"},
		{
			"refuses a run limit above the thread limit",
			builtin.ToolCallLimit{ThreadLimit: new(3), RunLimit: new(5)},
			"run_limit (5) cannot exceed thread_limit (3). The run limit should be less than or equal to the thread limit.",
		},
		{"takes equal limits", builtin.ToolCallLimit{ThreadLimit: new(3), RunLimit: new(3)}, ""},
		{"takes limits of zero", builtin.ToolCallLimit{ThreadLimit: new(0), RunLimit: new(0)}, ""},
		{"refuses a negative run limit", builtin.ToolCallLimit{RunLimit: new(-1)}, "run_limit is -1; it must not be negative"},
		{"refuses a negative thread limit", builtin.ToolCallLimit{ThreadLimit: new(-1)}, "thread_limit is -1; it must not be negative"},
		{
			"refuses an unknown behavior",
			builtin.ToolCallLimit{RunLimit: new(1), ExitBehavior: "x"},
			"invalid exit_behavior: 'x'. Must be one of ('continue', 'error', 'end')",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := test.config.Hooks(t.Context(), host.Env{})
			if test.want == "" {
				require.NoError(t, err)
			} else {
				require.EqualError(t, err, test.want)
			}
		})
	}
}
