package main

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host"
)

const calling = `apiVersion: agenthost/v1
model: {provider: scripted, turns: [{tool_calls: [{name: list_files, args: {}}]}], after_end: repeat_last}
tools: [{files: {root: .}}]
checkpoint: memory
`

// interruptedDocument is what --output json prints about an interrupted run.
type interruptedDocument struct {
	Status     host.Status      `json:"status"`
	Interrupts []host.Interrupt `json:"interrupts"`
	Next       string           `json:"next"`
}

func (b *bundle) document() (doc interruptedDocument) {
	b.t.Helper()
	require.NoError(b.t, json.Unmarshal(b.out.Bytes(), &doc))
	return doc
}

const cannotResume = "The run cannot be continued: it is not kept when the command ends.\n" +
	"To keep runs, set checkpoint in the manifest to a database, such as sqlite:agent.db.\n"

func TestARunThatABreakpointStops(t *testing.T) {
	t.Parallel()
	for text, next := range map[string]string{
		"interrupt_before: [tools]\n": "tools", "interrupt_before: [model]\n": "model", "interrupt_after: [tools]\n": "model",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			b := setup(t, calling+text)
			require.Equal(t, exitOK, b.run("validate"), &b.err)
			require.Equal(t, exitWaiting, b.run("run", "-q", "hi"))
			require.Empty(t, b.out.String(), "there is no answer")
			require.Equal(t, "agenthost: the run is interrupted at a breakpoint, before "+next+"\n"+cannotResume, b.err.String())

			require.Equal(t, exitWaiting, b.run("run", "-q", "--output", "json", "hi"))
			require.Equal(t, interruptedDocument{Status: host.Interrupted, Next: next}, b.document())
			require.Contains(t, b.err.String(), cannotResume)
		})
	}
}

func TestARunThatAsks(t *testing.T) {
	t.Parallel()
	module, err := badGuest()
	require.NoError(t, err)
	b := setup(t, say+"middleware:\n  - plugin: "+module+"\n    config: {how: ask}\n")
	require.Equal(t, exitWaiting, b.run("run", "--output", "json", "hi"))
	doc := b.document()
	require.Equal(t, host.Interrupted, doc.Status)
	require.Equal(t, "bad.after_model", doc.Next)
	require.Len(t, doc.Interrupts, 1)
	asked := doc.Interrupts[0]
	require.NotEmpty(t, asked.ID)
	require.Equal(t, "agenthost: the run is interrupted and waits for an answer before bad.after_model:\n"+
		"approve of bad.after_model (id "+asked.ID+")\n  \"shall I?\"\n"+cannotResume, b.err.String())
	require.Equal(t, "approve", asked.Key)
	require.Equal(t, "bad.after_model", asked.Step)
	require.Equal(t, `"shall I?"`, asked.Value.JSON())
}

func TestAnAlertIsShownAsAWarning(t *testing.T) {
	t.Parallel()
	b := setup(t, calling+"tool_calls: {max_loops: 3, error_on_exceed_limit: false, alert: {\"*\": 2}}\n")
	require.Equal(t, exitOK, b.run("run", "hi"), &b.err)
	require.Contains(t, b.err.String(), "· tools: warning: tool calls exceed 2 a minute\n")
}
