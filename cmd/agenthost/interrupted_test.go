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

// interruptedDocument is what --output json prints of a run that was interrupted.
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

const cannotResume = "This version of the command cannot resume it: nothing of the run is kept when the process ends.\n"

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
			require.Equal(t, "agenthost: the run is interrupted by a breakpoint\nnext step: "+next+"\n"+cannotResume, b.err.String())

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
	require.Equal(t, "agenthost: the run is interrupted, and waits for an answer:\n"+
		"  approve of bad.after_model (id "+asked.ID+"): \"shall I?\"\n"+
		"next step: bad.after_model\n"+cannotResume, b.err.String())
	require.Equal(t, "approve", asked.Key)
	require.Equal(t, "bad.after_model", asked.Step)
	require.Equal(t, `"shall I?"`, asked.Value.JSON())
}

func TestAnInterruptOfAToolNamesItsCall(t *testing.T) {
	t.Parallel()
	value, err := host.Encode(map[string]any{"path": "a.txt"})
	require.NoError(t, err)
	result := &host.Result{Next: "tools", Interrupts: []host.Interrupt{
		{ID: "ask-1", Step: "tools", CallID: "call-1", Key: "ok", Value: value}, {ID: "ask-2", Step: "x.wrap_tool_call", Key: "why", Value: value},
	}}
	require.Equal(t, "the run is interrupted, and waits for an answer:\n"+
		"  ok of tools, call call-1 (id ask-1): {\"path\":\"a.txt\"}\n"+
		"  why of x.wrap_tool_call (id ask-2): {\"path\":\"a.txt\"}\n"+
		"next step: tools\n"+cannotResume, (&interruptedError{result}).Error()+"\n")
}

func TestAnAlertIsShownAsAWarning(t *testing.T) {
	t.Parallel()
	b := setup(t, calling+"tool_calls: {max_loops: 3, error_on_exceed_limit: false, alert: {\"*\": 2}}\n")
	require.Equal(t, exitOK, b.run("run", "hi"), &b.err)
	require.Contains(t, b.err.String(), "· tools: warning: tool calls exceed 2 a minute\n")
}
