//go:build !no_serve

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// editorSettings are the settings of an editor.
type editorSettings struct {
	AgentServers map[string]struct {
		Type    string            `json:"type"`
		Command string            `json:"command"`
		Args    []string          `json:"args"`
		Env     map[string]string `json:"env"`
	} `json:"agent_servers"`
}

func TestTheDocumentedSettingsOfEditors(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/acp.md")
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?s)```json\n(.*?)```").FindAllSubmatch(text, -1)
	require.Len(t, blocks, 2)
	for i, block := range blocks {
		decoder := json.NewDecoder(bytes.NewReader(block[1]))
		decoder.DisallowUnknownFields()
		var settings editorSettings
		require.NoError(t, decoder.Decode(&settings), "%s", block[1])
		coder := settings.AgentServers["Coder"]
		require.Equal(t, []string{"custom", ""}[i], coder.Type, "only Zed has a type")
		require.True(t, filepath.IsAbs(coder.Command))
		require.NotEmpty(t, coder.Env)
		requireCommand(t, strings.Join(coder.Args, " "), "docs/acp.md")
	}
	lua := regexp.MustCompile(`args = \{ (.*) \}`).FindSubmatch(text)
	require.NotNil(t, lua)
	var args []string
	require.NoError(t, json.Unmarshal([]byte("["+string(lua[1])+"]"), &args))
	requireCommand(t, strings.Join(args, " "), "docs/acp.md")
}

func TestAnEditorAndTheCommand(t *testing.T) {
	t.Parallel()
	b := setup(t, "apiVersion: agenthost/v1\nname: parrot\nmodel: {provider: scripted, echo: true}\n")
	first := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}` + "\n"
	require.Zero(t, b.runWith(t.Context(), first, "acp", "-f", b.path("agenthost.yaml")))
	require.Contains(t, b.out.String(), `"agentInfo":{"name":"parrot"`)
	require.Equal(t, 1, strings.Count(b.out.String(), "\n"), "nothing but the protocol is printed")

	b.write("agenthost.yaml", "apiVersion: agenthost/v1\nname: parrot\nmodel: {provider: nobody, name: x}\n")
	require.Equal(t, exitUsage, b.runWith(t.Context(), first, "acp", "-f", b.path("agenthost.yaml")))
	require.Contains(t, b.out.String(), `"error":{"code":-32603`, "the editor learns it, too")
	require.Contains(t, b.err.String(), "nobody")

	require.Equal(t, exitUsage, b.run("acp", "-f", b.path("agenthost.yaml"), "--editor-tools", "some"))
	require.Contains(t, b.err.String(), "write all, read or none")
}
