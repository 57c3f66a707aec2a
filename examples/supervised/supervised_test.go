// Package supervised_test runs the example, in copies.
package supervised_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/manifest"
)

// run runs the agent in a copy of the example, and returns the result, the events and the notes that it wrote.
func run(t *testing.T, in host.Input) (result *host.Result, events []host.Event, notes string) {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(".")))
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "notes", "RELEASE.md")))
	m, err := manifest.Load(filepath.Join(dir, "agenthost.yaml"), manifest.Options{})
	require.NoError(t, err)
	agent, err := m.Build(t.Context(), nil, nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, agent.Close()) }()
	result, err = agent.RunEvents(t.Context(), in, func(e host.Event) error {
		events = append(events, e)
		return nil
	})
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(dir, "notes", "RELEASE.md"))
	if !os.IsNotExist(err) {
		require.NoError(t, err)
	}
	return result, events, string(text)
}

func said(text string) host.Input { return host.Input{Messages: []abi.Message{abi.Human(text)}} }

// routeOf returns the choice of the router.
func routeOf(t *testing.T, result *host.Result) string {
	t.Helper()
	var route struct {
		Choice string `msgpack:"choice"`
	}
	require.NoError(t, host.Decode(result.State.Get("model_route"), &route))
	return route.Choice
}

func TestSmallTalkGoesToTheSmallModel(t *testing.T) {
	t.Parallel()
	result, _, notes := run(t, said("hello"))
	require.Equal(t, "Hello! Ask me for release notes.", result.Text())
	require.Equal(t, "talk", routeOf(t, result))
	require.Empty(t, notes)
}

func TestWorkGoesToTheOtherModelAndMayWrite(t *testing.T) {
	t.Parallel()
	result, _, notes := run(t, said("write the release notes"))
	require.Equal(t, "work", routeOf(t, result))
	require.Equal(t, "- Starts twice as fast\n- Plugins are a tenth of the size\n", notes)
}

func TestARiskyCallDoesNotRun(t *testing.T) {
	t.Parallel()
	result, _, notes := run(t, said("delete the release notes"))
	require.Equal(t, "I may not do that.", result.Text())
	require.Empty(t, notes)
	blocked := result.Messages.At(2)
	require.True(t, blocked.Failed())
	require.Contains(t, blocked.Content.Text(), "was blocked because it was classified as risky (probability: 0.97)")
}

func TestTheWorkIsGradedAndDoneAgain(t *testing.T) {
	t.Parallel()
	in := said("write the release notes")
	in.State = map[string]any{"rubric": "Each change has one line. The last line names a source."}
	result, events, _ := run(t, in)
	require.Equal(t, "- Starts twice as fast\n- Plugins are a tenth of the size\nSource: bench/RESULTS.md", result.Text())
	var grades []string
	for i := range events {
		if events[i].Type != host.EventCustom || events[i].Name != "rubric_evaluation_end" {
			continue
		}
		var graded struct {
			Result string `msgpack:"result"`
		}
		require.NoError(t, host.Decode(events[i].Data, &graded))
		grades = append(grades, graded.Result)
	}
	require.Equal(t, []string{"needs_revision", "satisfied"}, grades)
}
