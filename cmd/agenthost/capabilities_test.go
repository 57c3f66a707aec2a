package main

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host"
)

// granting returns a manifest with the plugin bad, which uses its grants.
func granting(t *testing.T) *bundle {
	t.Helper()
	module, err := badGuest()
	require.NoError(t, err)
	b := setup(t, say+`models: {small: {provider: scripted, echo: true}}
tools: [{files: {root: data}}]
middleware:
  - plugin: `+module+`
    config: {how: use}
    grant: {kv: {quota: 1MiB, scopes: [plugin]}, model.generate: {model: small, calls: 3}, tool.call: [read_file], random.bytes: true}
`)
	b.write("data/a.txt", "a line of a file\n")
	return b
}

func TestValidateShowsWhatPluginsAskFor(t *testing.T) {
	t.Parallel()
	b := granting(t)
	require.Equal(t, exitOK, b.run("validate"), &b.err)
	require.Contains(t, b.out.String(), `agenthost.yaml: ok
bad asks for
  kv.get         granted (1048576 bytes and 10000 entries for each plugin): to remember
  kv.put         granted (1048576 bytes and 10000 entries for each plugin): to remember
  model.generate granted (model small, 3 calls in a run): to ask
  tool.call      granted (tools read_file): to look [2J something up
  clock.now      not granted: to know when
`)
	require.Contains(t, b.err.String(), "grant.random.bytes has no effect: the plugin does not ask for it")

	require.Equal(t, exitOK, b.run("validate", "--output", "json"), &b.err)
	var doc struct {
		OK           bool              `json:"ok"`
		Capabilities []host.Capability `json:"capabilities"`
	}
	require.NoError(t, json.Unmarshal(b.out.Bytes(), &doc))
	require.True(t, doc.OK)
	require.Len(t, doc.Capabilities, 5)
	require.Equal(t, host.Capability{
		Middleware: "bad", Op: "tool.call", Reason: "to look [2J something up", Granted: true, Detail: "tools read_file",
	}, doc.Capabilities[3])

	require.Equal(t, exitUsage, b.run("validate", "--output", "xml"))
}

func TestAPluginUsesWhatItWasGranted(t *testing.T) {
	t.Parallel()
	b := granting(t)
	require.Equal(t, exitOK, b.run("run", "hi"), &b.err)
	require.Contains(t, b.err.String(), "echo and")
	require.Contains(t, b.err.String(), "a line of a file")
	require.Equal(t, exitFailed, b.run("run", "--set", "middleware[0].grant={kv: true}", "hi"), &b.err)
	require.Contains(t, b.err.String(), "EDENIED")
	require.Equal(t, exitUsage, b.run("validate", "--set", `middleware[0].grant["model.generate"].model=large`), &b.err)
	require.Contains(t, b.err.String(), `the agent has no model "large" under models; it has [small]`)
	require.Equal(t, exitUsage, b.run("validate", "--set", `middleware[0].grant["tool.call"]=[raed_file]`), &b.err)
	require.Contains(t, b.err.String(), `it may call the tool "raed_file", which the agent does not have`)
}
