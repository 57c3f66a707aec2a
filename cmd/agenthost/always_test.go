package main

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/threadview"
)

func TestResumeAlways(t *testing.T) {
	t.Parallel()
	b := threads(t, noting)
	b.must(exitWaiting, "run", "-q", "--thread", "ada", "note a")
	require.Contains(t, b.err.String(), " --approve call-1\n  agenthost resume ada -f "+b.path("agenthost.yaml")+" --always call-1\n")
	require.Equal(t, exitOK, b.threads("show", "ada"))
	require.Contains(t, b.out.String(), " --approve call-1\n  agenthost resume ada -f "+b.path("agenthost.yaml")+" --always call-1\n")
	at := strconv.Itoa(int(b.shown("ada").Newest))
	require.Equal(t, exitOK, b.threads("show", "ada", "--checkpoint", "1"))
	require.NotContains(t, b.out.String(), "--always")
	b.must(exitUsage, "resume", "ada", "--always", "call-1", "--checkpoint", at)
	require.Contains(t, b.err.String(), "a rule belongs to the newest checkpoint of the thread; leave out --checkpoint")
	b.must(exitOK, "resume", "-q", "ada", "--always-same", "call-1", "--as", "bob")
	b.must(exitOK, "run", "-q", "--thread", "ada", "note a")
	require.Equal(t, "written\n", b.out.String(), "the same call")
	b.must(exitWaiting, "run", "-q", "--thread", "ada", "note b")
	asked := func() string { return b.shown("ada").Interrupts[0].Calls[0].Ref }
	b.must(exitOK, "resume", "-q", "ada", "--always", asked(), "--as", "bob")
	b.must(exitOK, "run", "-q", "--thread", "ada", "note c d")

	require.Equal(t, exitOK, b.threads("rules", "ada"))
	require.Regexp(t, `(?m)^  1  write_file, these arguments: human_in_the_loop does not ask; made by bob at 20.*\n     content: "one"\n     path: "a"\n`+
		`  2  write_file, any arguments: human_in_the_loop does not ask; made by bob at 20`, b.out.String())
	rules := b.out.String()
	require.Equal(t, exitOK, b.threads("show", "ada"))
	require.Contains(t, b.out.String(), "\nrules; 'agenthost threads revoke' removes them\n"+rules)
	require.NotContains(t, b.out.String(), "sealed")
	require.Equal(t, exitOK, b.threads("rules", "ada", "--json"))
	var doc struct {
		Rules []threadview.Rule `json:"rules"`
	}
	require.NoError(t, json.Unmarshal(b.out.Bytes(), &doc))
	require.Len(t, doc.Rules, 2)

	b.must(exitWaiting, "run", "-q", "--thread", "bob", "note a")
	require.Equal(t, exitOK, b.threads("revoke", "ada", "2"))
	require.Contains(t, b.err.String(), `thread "ada": calls of write_file need approval again (rule 2)`)
	require.Equal(t, exitUsage, b.threads("revoke", "ada", "2"))
	require.Contains(t, b.err.String(), `thread "ada": rule 2: the thread has no such rule; 'agenthost threads rules ada' shows the rules`)
	require.Equal(t, exitUsage, b.threads("revoke", "ada", "x"))
	b.must(exitWaiting, "run", "-q", "--thread", "ada", "note d")
	require.Equal(t, exitOK, b.threads("revoke", "ada", "all"), "while the thread waits")
	require.Equal(t, exitOK, b.threads("rules", "ada"))
	require.Empty(t, b.out.String())
	b.must(exitOK, "resume", "-q", "ada", "--approve", asked())
	b.must(exitWaiting, "run", "-q", "--thread", "ada", "note a")
}

func TestAlwaysAtATerminal(t *testing.T) {
	t.Parallel()
	b := threads(t, noting)
	require.Equal(t, exitOK, b.atTerminal("x\nl\nno\nb\nalways\na\n", "run", "--thread", "ada", "note a"), &b.err)
	require.Contains(t, b.err.String(), "[a]pprove  a[l]ways  [e]dit  [r]eject > ")
	require.Contains(t, b.err.String(), "  a: any call of write_file\n")
	require.Equal(t, exitOK, b.atTerminal("", "run", "--thread", "ada", "note b"), &b.err)
}

func TestAlwaysIsNotForEveryQuestion(t *testing.T) {
	t.Parallel()
	b := threads(t, strings.Replace(noting, "[approve, edit, reject]", "[edit, reject]", 1))
	b.must(exitWaiting, "run", "-q", "--thread", "ada", "note a")
	require.NotContains(t, b.err.String(), "--always")
	b.must(exitUsage, "resume", "ada", "--always", "call-1")
	require.Contains(t, b.err.String(), `--always call-1: call-1 (write_file): the decision "approve" is not allowed`)
	b.must(exitUsage, "resume", "ada", "--always", "call-1", "--message", "x")
	require.Contains(t, b.err.String(), "the --always before it takes no message")
}

// A rule that nobody can read approves nothing, and threads show says so.
func TestUnreadableRulesAreShown(t *testing.T) {
	t.Parallel()
	b := threads(t, noting)
	b.must(exitWaiting, "run", "-q", "--thread", "ada", "note a")
	b.must(exitOK, "resume", "-q", "ada", "--always", "call-1")
	b.spoilRules("ada")
	require.Equal(t, exitFailed, b.threads("rules", "ada"))
	require.Contains(t, b.err.String(), "the rules of the thread cannot be read, so they approve nothing")
	require.Equal(t, exitOK, b.threads("show", "ada"))
	require.Contains(t, b.out.String(), "the rules of the thread cannot be read, so they approve nothing")
	b.must(exitWaiting, "run", "--thread", "ada", "note a")
	require.Contains(t, b.err.String(), "the rules of the thread cannot be read, so they approve nothing")
	require.Equal(t, exitOK, b.threads("revoke", "ada", "all"), "also while the thread waits")
	require.Equal(t, exitOK, b.threads("rules", "ada"))
}

// The chat wraps middleware, and subagents must find the reviews in it all the same.
func TestSubagentsInheritReviewsInAChat(t *testing.T) {
	t.Parallel()
	b := setup(t, `apiVersion: agenthost/v1
model: {provider: scripted, turns: [{tool_calls: [{name: task, args: {subagent_type: writer, description: write it}}]}, {content: done}]}
models:
  writer: {provider: scripted, turns: [{tool_calls: [{name: write_file, args: {path: a.txt, content: one}}]}, {content: written}]}
tools: [{files: {root: ., write: true}}]
middleware:
  - human_in_the_loop: {interrupt_on: {write_file: true}}
  - subagents: {agents: [{name: writer, description: Writes., model: writer}]}
checkpoint: sqlite:agent.db
`)
	require.Equal(t, exitWaiting, b.says("go\n", "--thread", "ada"), &b.err)
	require.NotContains(t, b.err.String(), "--always", "the rules of the thread do not count for a subagent")
	require.NoFileExists(t, b.path("a.txt"))
}
