package manifest_test

import (
	"errors"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/manifest"
)

const calling = head + `model: {provider: scripted, turns: [{tool_calls: [{name: list_files, args: {}}]}, {content: done}]}
tools: [{files: {root: .}}]
`

func TestBreakpointsStopARun(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text  string
		stops []string // what comes next, at each stop
	}{
		{"interrupt_before: [tools]\n", []string{"tools"}},
		{"interrupt_after: [tools]\n", []string{"model"}},
		{"interrupt_before:\n  - model\ninterrupt_after:\n  - model\n", []string{"model", "tools", "model"}},
		{"interrupt_before: []\n", nil},
		{"interrupt_before: [\"*\"]\n", []string{"model", "tools", "model"}},
	} {
		t.Run(test.text, func(t *testing.T) {
			t.Parallel()
			agent := build(t, setup(t, calling+"checkpoint: memory\n"+test.text, nil), manifest.Options{})
			var stops []string
			result, err := agent.Run(t.Context(), host.Input{Thread: "t", Messages: []abi.Message{abi.Human("hi")}})
			for err == nil && result.Status == host.Interrupted {
				stops = append(stops, result.Next)
				result, err = agent.Run(t.Context(), host.Input{Thread: "t", Continue: true})
			}
			require.NoError(t, err)
			require.Equal(t, test.stops, stops)
			require.Equal(t, "done", result.Text())
		})
	}
}

func TestBreakpointsThatAreRefused(t *testing.T) {
	t.Parallel()
	const unknown = "there is no such step; the steps are model, tools"
	for text, want := range map[string]string{
		"interrupt_before: tools":                             `:4:19: interrupt_before: expected a list, found string "tools"`,
		"interrupt_before: [1]":                               ":4:20: interrupt_before[0]: expected a string, found integer 1",
		"interrupt_before:":                                   ":4:1: interrupt_before: a value is missing",
		"interrupt_befor: [tools]":                            `:4:1: unknown key "interrupt_befor"`,
		"interrupt_before: [model, tolls]":                    ":4:27: interrupt_before[1]: " + unknown,
		"interrupt_after: [x.after_model]":                    ":4:19: interrupt_after[0]: " + unknown,
		"interrupt_before: [tools]\ninterrupt_after:\n  - ''": ":6:5: interrupt_after[0]: " + unknown,
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			require.ErrorContains(t, refusal(t, calling+text+"\n"), "agenthost.yaml"+want)
		})
	}
}

func TestABreakpointThatAProgramSetsHasNoPlace(t *testing.T) {
	t.Parallel()
	m, err := manifest.Load(setup(t, calling+"interrupt_before: [tools]\n", nil), manifest.Options{})
	require.NoError(t, err)
	_, err = m.Build(t.Context(), slog.New(slog.DiscardHandler), func(c *host.Config) { c.InterruptAfter = []string{"x"} })
	require.EqualError(t, err, `breakpoint "x": there is no such step; the steps are model, tools`)
	_, ok := errors.AsType[*host.ConfigError](err)
	require.True(t, ok)
}
