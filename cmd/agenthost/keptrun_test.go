package main

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/checkpoint"
)

// ownThread matches the name of the thread of a run without --thread.
var ownThread = regexp.MustCompile(`run-\d{8}-\d{6}-[a-z2-9]{6}`)

func TestNamesOfThreadsSortByTimeAndDiffer(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 24, 15, 4, 5, 0, time.FixedZone("", 3600))
	seen := map[string]bool{}
	for range 1000 {
		seen[newThread("run", at)] = true
	}
	require.Len(t, seen, 1000)
	for name := range seen {
		require.Regexp(t, `^run-20261124-140405-[a-z2-9]{6}$`, name)
		require.Less(t, name, newThread("run", at.Add(time.Second)))
	}
}

func TestARunWithoutAThreadThatAsksIsContinued(t *testing.T) {
	t.Parallel()
	b := threads(t, noting)
	b.must(exitWaiting, "run", "-q", "note a")
	require.Empty(t, b.out.String())
	name := ownThread.FindString(b.err.String())
	require.Contains(t, b.err.String(), "\nto continue it:\n  agenthost resume "+name+" -f "+b.path("agenthost.yaml")+" --approve call-1\n")
	b.must(exitOK, "resume", "-q", name, "--approve", "call-1")
	require.Equal(t, "written\n", b.out.String())
	require.FileExists(t, b.path("data/a"))
}

func TestACompleteRunWithoutAThreadIsKeptAndSaysNothing(t *testing.T) {
	t.Parallel()
	b := threads(t, noting)
	b.must(exitOK, "run", "hi")
	require.Equal(t, "hello\n", b.out.String())
	require.Empty(t, b.err.String())

	for _, output := range []string{"json", "jsonl"} {
		b.must(exitOK, "run", "--output", output, "hi")
		require.Empty(t, b.err.String())
		var doc struct {
			Thread string `json:"thread"`
		}
		require.NoError(t, json.NewDecoder(&b.out).Decode(&doc))
		require.Regexp(t, ownThread, doc.Thread)
		require.Equal(t, checkpoint.Done, b.shown(doc.Thread).State)
	}
	require.Equal(t, exitOK, b.threads("list"))
	require.Len(t, ownThread.FindAllString(b.out.String(), -1), 3, "each run has a thread of its own")
}

// listing is the manifest of an agent whose model lists files again and again.
const listing = `apiVersion: agenthost/v1
model: {provider: scripted, rules: rules.yaml}
tools: [{files: {root: data}}]
checkpoint: sqlite:agent.db
`

const listingRules = `rules:
  - {from: human, when: '', call: [{name: list_files, args: {}}]}
  - {tool: list_files, when: '', call: [{name: list_files, args: {}}]}
`

func TestARunWithoutAThreadThatFailsIsContinued(t *testing.T) {
	t.Parallel()
	b := threads(t, listing+"tool_calls: {max_loops: 1}\n")
	b.write("rules.yaml", listingRules)
	b.must(exitLimit, "run", "-q", "hi")
	name := ownThread.FindString(b.err.String())
	require.Contains(t, b.err.String(), "; to continue it:\n  agenthost resume "+name+" -f "+b.path("agenthost.yaml")+"\n")
	require.Equal(t, checkpoint.Failed, b.shown(name).State)
}

func TestARunWithoutAThreadThatASignalStopsIsContinued(t *testing.T) {
	t.Parallel()
	b := threads(t, listing)
	b.write("rules.yaml", listingRules)
	ctx, cancel := context.WithCancel(t.Context())
	out := &noticing{text: "· tool list_files", do: cancel}
	code := execute(ctx, []string{"run", "-f", b.path("agenthost.yaml"), "hi"}, streams{in: strings.NewReader(""), out: &b.out, err: out})
	require.Equal(t, exitSignal, code, out.String())
	name := ownThread.FindString(out.String())
	require.Regexp(t, `agenthost: interrupted\n  the run stopped before \w+; to continue it:\n  agenthost resume `+name+` -f .*\n$`, out.String())
	require.Equal(t, checkpoint.Stopped, b.shown(name).State)
}

func TestARunWithoutACheckpointIsNotKept(t *testing.T) {
	t.Parallel()
	b := threads(t, strings.Replace(noting, "checkpoint: sqlite:agent.db\n", "", 1))
	b.must(exitWaiting, "run", "-q", "--output", "json", "note a")
	require.NotContains(t, b.out.String(), `"thread"`)
	require.Contains(t, b.err.String(), cannotResume)
	require.NoFileExists(t, b.path("agent.db"))
}
