package main

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/threadview"
	"github.com/agenthost/agenthost/host/approval"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/checkpoint/sqlite"
)

// noting is the manifest of an agent that writes notes after approval. Its model is a set of rules, which unlike a list of
// turns has no position to lose when the command ends.
const noting = `apiVersion: agenthost/v1
model: {provider: scripted, rules: rules.yaml}
tools: [{files: {root: data, write: true}}]
checkpoint: sqlite:agent.db
middleware:
  - patch_tool_calls
  - human_in_the_loop: {interrupt_on: {write_file: {allowed_decisions: [approve, edit, reject]}}}
`

const notingRules = `rules:
  - from: human
    when: '^note (\S+) (\S+)$'
    call: [{name: write_file, args: {path: '$1', content: one}}, {name: write_file, args: {path: '$2', content: two}}]
  - from: human
    when: '^note (\S+)$'
    call: [{name: write_file, args: {path: '$1', content: one}}]
  - {tool: write_file, when: 'reason: (.*)$', say: 'not written: $1'}
  - {tool: write_file, when: 'rejected', say: not written}
  - {tool: write_file, when: '', say: written}
  - {from: human, when: '', say: hello}
`

// threads returns a bundle whose agent keeps threads.
func threads(t *testing.T, manifest string) *bundle {
	t.Helper()
	b := setup(t, manifest)
	b.write("rules.yaml", notingRules)
	b.write("data/x.txt", "x")
	return b
}

// path returns the path of a file in the bundle.
func (b *bundle) path(name string) string { return filepath.Join(b.dir, name) }

// must runs the command and requires the exit code.
func (b *bundle) must(code int, args ...string) {
	b.t.Helper()
	require.Equal(b.t, code, b.run(args...), "%s\n%s%s", strings.Join(args, " "), &b.out, &b.err)
}

// threads runs a subcommand of threads.
func (b *bundle) threads(args ...string) int {
	return b.runWith(b.t.Context(), "", append([]string{"threads", args[0], "-f", b.path("agenthost.yaml")}, args[1:]...)...)
}

// atTerminal runs the command for a person typing these lines.
func (b *bundle) atTerminal(typed string, args ...string) int {
	b.out.Reset()
	b.err.Reset()
	args = append([]string{args[0], "-f", b.path("agenthost.yaml")}, args[1:]...)
	return execute(b.t.Context(), args, streams{in: strings.NewReader(typed), out: &b.out, err: &b.err, terminal: true})
}

// store opens the bundle's database.
func (b *bundle) store() *sqlite.Store {
	b.t.Helper()
	store, err := sqlite.Open(b.t.Context(), b.path("agent.db"), sqlite.Options{})
	require.NoError(b.t, err)
	return store
}

// hold opens a thread like a run does, until release is called.
func (b *bundle) hold(thread string) (release func()) {
	b.t.Helper()
	store := b.store()
	session, err := store.Open(context.Background(), thread)
	require.NoError(b.t, err)
	return func() {
		require.NoError(b.t, session.Close())
		require.NoError(b.t, store.Close())
	}
}

// crash leaves a thread like a process that dies while it runs a tool.
func (b *bundle) crash(thread string, e *checkpoint.Execution) {
	b.t.Helper()
	store := b.store()
	session, err := store.Open(b.t.Context(), thread)
	require.NoError(b.t, err)
	held, err := session.Load(b.t.Context(), 0)
	require.NoError(b.t, err)
	messages := held.Log.List()
	e.Message = messages.Entry(messages.LastAI()).Message().ID
	require.NoError(b.t, session.Journal(b.t.Context(), e))
	require.NoError(b.t, session.Close())
	require.NoError(b.t, store.Close())
}

// shown returns what threads show --json prints about a thread.
func (b *bundle) shown(thread string) (doc threadview.Conversation) {
	b.t.Helper()
	require.Equal(b.t, exitOK, b.threads("show", thread, "--json"), &b.err)
	require.NoError(b.t, json.Unmarshal(b.out.Bytes(), &doc))
	return doc
}

// spoilRules makes the rules of a thread unreadable.
func (b *bundle) spoilRules(thread string) {
	b.t.Helper()
	store := b.store()
	require.NoError(b.t, checkpoint.UpdateFields(b.t.Context(), store, thread, time.Now(), func(wire.Map) (wire.Map, error) {
		return wire.Map{{Key: approval.FieldName, Value: wire.String("all")}}, nil
	}))
	require.NoError(b.t, store.Close())
}
