package main

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

const cutOff = "apiVersion: agenthost/v1\nmodel: {provider: scripted, turns: [{content: 'half of ', stop_reason: length}, {content: it}]"

func TestRunSaysThatAnAnswerWasCutOff(t *testing.T) {
	t.Parallel()
	b := setup(t, cutOff+"}\n")
	require.Equal(t, exitOK, b.run("run", "hi"))
	require.Equal(t, "half of \n", b.out.String())
	require.Contains(t, b.err.String(), `the answer of the model "scripted" is not complete (stop reason "length"): it reached the limit of output tokens`)

	require.Equal(t, exitOK, b.run("run", "--output", "json", "hi"))
	var doc struct {
		StopReason string `json:"stop_reason"`
	}
	require.NoError(t, json.Unmarshal(b.out.Bytes(), &doc))
	require.Equal(t, "length", doc.StopReason)
}

func TestOnCutOff(t *testing.T) {
	t.Parallel()
	b := setup(t, cutOff+", on_cut_off: continue}\n")
	require.Equal(t, exitOK, b.run("run", "hi"), &b.err)
	require.Equal(t, "half of it\n", b.out.String())
	require.NotContains(t, b.err.String(), "not complete")

	b = setup(t, cutOff+", on_cut_off: fail}\n")
	require.Equal(t, exitProvider, b.run("run", "hi"))
	require.Contains(t, b.err.String(), `the answer was cut off (stop reason "length")`)

	b = setup(t, cutOff+", on_cut_off: ignore}\n")
	require.Equal(t, exitUsage, b.run("validate"))
	require.Contains(t, b.err.String(), "on_cut_off: must be warn, fail or continue")
	b = setup(t, "apiVersion: agenthost/v1\nmodel: {provider: openai, name: x, on_cut_off: contineu}\n")
	require.Equal(t, exitUsage, b.run("validate"))
	require.Contains(t, b.err.String(), `did you mean "continue"?`)
}

func TestRunSaysThatTheModelFailed(t *testing.T) {
	t.Parallel()
	b := setup(t, `apiVersion: agenthost/v1
model: {provider: scripted, turns: [{error: down}, {content: fine}]}
middleware: [{model_retry: {max_retries: 0}}]
`)
	require.Equal(t, exitProvider, b.run("run", "hi"))
	require.Equal(t, "Model call failed after 1 attempt with scripted: down\n", b.out.String())
	require.Contains(t, b.err.String(), "the model failed, and a middleware answered in its place")

	require.Equal(t, exitProvider, b.run("run", "--output", "json", "hi"))
	var doc struct {
		Status     string `json:"status"`
		StopReason string `json:"stop_reason"`
	}
	require.NoError(t, json.Unmarshal(b.out.Bytes(), &doc))
	require.Equal(t, "failed", doc.Status)
	require.Equal(t, "error", doc.StopReason)
}
