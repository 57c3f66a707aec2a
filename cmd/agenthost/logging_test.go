package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAWarningIsShownOnce(t *testing.T) {
	t.Parallel()
	module, err := badGuest()
	require.NoError(t, err)
	for name, test := range map[string]struct{ manifest, says string }{
		"an alert":        {calling + "tool_calls: {max_loops: 3, error_on_exceed_limit: false, alert: {\"*\": 2}}\n", "tool calls exceed 2 a minute"},
		"a warning":       {say + "middleware:\n  - plugin: " + module + "\n    config: {how: trap}\n    on_failure: open\n", "on_failure is open"},
		"advice in a log": {say + "middleware: [model_retry, model_call_limit: {run_limit: 9}]\n", "should stand outside of"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, test.manifest)
			for _, args := range [][]string{{"run"}, {"run", "-v"}, {"run", "-o", "json"}, {"run", "-q"}, {"run", "-o", "jsonl"}} {
				require.Equal(t, exitOK, b.run(append(args, "hi")...), &b.err)
				warned := 0
				for line := range strings.Lines(b.err.String()) {
					if strings.Contains(line, test.says) && strings.Contains(strings.ToLower(line), "warn") {
						warned++
					}
				}
				if name == "advice in a log" && (args[len(args)-1] == "-q" || args[len(args)-1] == "jsonl") {
					require.Zero(t, warned, "it is not worth an interruption")
					continue
				}
				require.Equal(t, 1, warned, "%q: %s", args, &b.err)
			}
		})
	}
}

func TestAChatShowsAWarningAboutTheAgentOnce(t *testing.T) {
	t.Parallel()
	b := setup(t, "apiVersion: agenthost/v1\nmodel: {provider: scripted, turns: [{content: hello}], after_end: repeat_last}\nmiddleware: [model_retry, model_call_limit: {run_limit: 9}]\n")
	require.Equal(t, exitOK, b.says("hi\nhi\nhi\n", "-v"), &b.err)
	require.Equal(t, 1, strings.Count(b.err.String(), "warning: "), &b.err)
	require.NotContains(t, b.err.String(), "level=WARN")
	require.True(t, strings.HasPrefix(b.err.String(), "· warning: "), &b.err)
}
