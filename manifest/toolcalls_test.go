package manifest_test

import (
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/manifest"
)

// echo is a manifest with nothing but a model, of two lines.
const echo = head + "model: {provider: scripted, echo: true}\n"

// configOf returns the configuration that a manifest builds its agent of.
func configOf(t *testing.T, text string) (config host.Config) {
	t.Helper()
	m, err := manifest.Load(setup(t, text, nil), manifest.Options{})
	require.NoError(t, err)
	agent, err := m.Build(t.Context(), slog.New(slog.DiscardHandler), func(c *host.Config) { config = *c })
	require.NoError(t, err)
	require.NoError(t, agent.Close())
	return config
}

// refusal returns the error of a manifest that is wrong, whether it shows when it is read or when the agent is built.
func refusal(t *testing.T, text string) error {
	t.Helper()
	m, err := manifest.Load(setup(t, text, nil), manifest.Options{})
	if err != nil {
		return err
	}
	_, err = m.Build(t.Context(), slog.New(slog.DiscardHandler), nil)
	require.Error(t, err)
	return err
}

func TestToolCalls(t *testing.T) {
	t.Parallel()
	defaults := host.ToolCallConfig{
		MaxLoops: 10, ErrorOnExceedLimit: new(true), Parallel: 8, MaxMalformed: 3, Alert: map[string]int{},
	}
	with := func(change func(c *host.ToolCallConfig)) host.ToolCallConfig {
		c := defaults
		change(&c)
		return c
	}
	for text, want := range map[string]host.ToolCallConfig{
		"":                                            defaults,
		"tool_calls: {}":                              defaults,
		"tool_calls: {max_loops: 25}":                 with(func(c *host.ToolCallConfig) { c.MaxLoops = 25 }),
		"tool_calls: {max_loops: 0}":                  with(func(c *host.ToolCallConfig) { c.MaxLoops = 0 }),
		"tool_calls: {max_loops: -1}":                 with(func(c *host.ToolCallConfig) { c.MaxLoops = -1 }),
		"tool_calls: {max_per_response: 5}":           with(func(c *host.ToolCallConfig) { c.MaxPerResponse = 5 }),
		"tool_calls: {max_per_response: -5}":          with(func(c *host.ToolCallConfig) { c.MaxPerResponse = -5 }),
		"tool_calls: {max_total_tokens: 20k}":         with(func(c *host.ToolCallConfig) { c.MaxTotalTokens = 20_000 }),
		"tool_calls: {max_total_tokens: 1500}":        with(func(c *host.ToolCallConfig) { c.MaxTotalTokens = 1500 }),
		"tool_calls: {max_total_tokens: -1}":          with(func(c *host.ToolCallConfig) { c.MaxTotalTokens = -1 }),
		"tool_calls: {error_on_exceed_limit: false}":  with(func(c *host.ToolCallConfig) { c.ErrorOnExceedLimit = new(false) }),
		"tool_calls: {tool_timeout: 1m30s}":           with(func(c *host.ToolCallConfig) { c.ToolTimeout = 90 * time.Second }),
		"tool_calls: {tool_timeout: 0s}":              defaults,
		"tool_calls: {parallel: 1, max_malformed: 1}": with(func(c *host.ToolCallConfig) { c.Parallel, c.MaxMalformed = 1, 1 }),
		`tool_calls: {alert: {"*": 60, list_files: 1}}` + "\ntools: [{files: {root: .}}]": with(func(c *host.ToolCallConfig) {
			c.Alert = map[string]int{"*": 60, "list_files": 1}
		}),
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, want, configOf(t, echo+text+"\n").ToolCalls)
		})
	}
}

func TestToolCallsThatAreRefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"tool_calls: 10":                             ":3:13: tool_calls: expected a mapping, found integer 10",
		"tool_calls:":                                ":3:1: tool_calls: a value is missing",
		"tool_calls: {max_loop: 3}":                  `:3:14: tool_calls: unknown key "max_loop"`,
		"tool_calls: {max_loops: many}":              `:3:25: tool_calls.max_loops: expected an integer, found string "many"`,
		"tool_calls: {max_per_response: 1.5}":        ":3:32: tool_calls.max_per_response: expected an integer, found number 1.5",
		"tool_calls: {max_total_tokens: many}":       `:3:32: tool_calls.max_total_tokens: expected a count, found string "many"`,
		"tool_calls: {error_on_exceed_limit: never}": ":3:37: tool_calls.error_on_exceed_limit: expected true or false",
		"tool_calls: {tool_timeout: 30}":             ":3:28: tool_calls.tool_timeout: expected a duration with a unit, found integer 30",
		"tool_calls: {tool_timeout: -1s}":            ":3:28: tool_calls.tool_timeout: must be at least 0s, found -1s",
		"tool_calls: {parallel: 0}":                  ":3:24: tool_calls.parallel: must be at least 1, found 0",
		"tool_calls: {max_malformed: 0}":             ":3:29: tool_calls.max_malformed: must be at least 1, found 0",
		"tool_calls: {alert: 60}":                    ":3:21: tool_calls.alert: expected a mapping, found integer 60",
		`tool_calls: {alert: {"*": 0}}`:              `:3:27: tool_calls.alert["*"]: must be at least 1, found 0`,
		"tool_calls: {alert: {x: -1}}":               ":3:25: tool_calls.alert.x: must be at least 1, found -1",
		`tool_calls: {alert: {"": 1}}`:               ":3:14: tool_calls: field Alert has a limit without a name",
		"tool_calls: {parallel: 2, alert: {x: 1}}":   `:3:27: tool_calls: field Alert names the tool "x", which the agent does not have`,
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			require.ErrorContains(t, refusal(t, echo+text+"\n"), "agenthost.yaml"+want)
		})
	}
}

func TestToolCallsThatAProgramAdjustsHaveNoPlace(t *testing.T) {
	t.Parallel()
	m, err := manifest.Load(setup(t, echo, nil), manifest.Options{})
	require.NoError(t, err)
	_, err = m.Build(t.Context(), slog.New(slog.DiscardHandler), func(c *host.Config) { c.ToolCalls.Parallel = -1 })
	require.EqualError(t, err, "ToolCalls: field Parallel is -1; it must be positive, or 0 for 8")
}

// looping is a manifest whose model asks for a tool twelve times.
func looping(rest string) string {
	turns := strings.Repeat("    - {tool_calls: [{name: list_files, args: {}}]}\n", 12)
	return head + "model:\n  provider: scripted\n  turns:\n" + turns + "    - {content: done}\ntools: [{files: {root: .}}]\n" + rest
}

func TestARunEndsAfterTenModelStepsUnlessTheManifestSaysMore(t *testing.T) {
	t.Parallel()
	agent := build(t, setup(t, looping(""), nil), manifest.Options{})
	result, err := agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("hi")}})
	limit, ok := errors.AsType[*host.LimitError](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, host.CodeToolCallLimit, limit.Code)
	require.Equal(t, 10, limit.Maximum)
	require.Equal(t, host.Failed, result.Status)
	require.Equal(t, 1+2*10, result.Messages.Len(), "a human message, ten of the model and their answers")
	last, _ := result.Messages.Last()
	require.True(t, last.Failed())

	for _, rest := range []string{"tool_calls: {max_loops: 0}\n", "tool_calls: {max_loops: -1}\n", "tool_calls: {max_loops: 13}\n"} {
		require.Equal(t, "done", ask(t, build(t, setup(t, looping(rest), nil), manifest.Options{})).Text(), rest)
	}
}

func TestARunThatMayNotFailEndsWithALastModelStep(t *testing.T) {
	t.Parallel()
	agent := build(t, setup(t, looping("tool_calls: {max_loops: 12, error_on_exceed_limit: false}\n"), nil), manifest.Options{})
	require.Equal(t, "done", ask(t, agent).Text())
}
