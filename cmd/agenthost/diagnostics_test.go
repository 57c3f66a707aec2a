package main

import (
	"archive/zip"
	"encoding/base64"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// unzipped returns the files of a zip file.
func unzipped(t *testing.T, path string) map[string]string {
	t.Helper()
	archive, err := zip.OpenReader(path)
	require.NoError(t, err)
	defer func() { require.NoError(t, archive.Close()) }()
	files := map[string]string{}
	for _, file := range archive.File {
		r, err := file.Open()
		require.NoError(t, err)
		content, err := io.ReadAll(r)
		require.NoError(t, err)
		require.NoError(t, r.Close())
		files[file.Name] = string(content)
	}
	return files
}

// planted are secrets and private texts, none of which may be in a diagnostics file.
var planted = []string{
	"header-hunter2", "env-hunter2", "config-hunter2", "pw-hunter2", "prompt-hunter2", "argument-hunter2", "user-hunter2", "query-hunter2", "set-hunter2",
	"environment-hunter2", "reference-hunter2", "dotenv-hunter2", "unused-hunter2", "conversation-hunter2", "rules-hunter2", "comment-hunter2",
	"host-hunter2", "word-hunter2", "helper-hunter2",
}

// secretive is a manifest full of secrets.
const secretive = `apiVersion: agenthost/v1
env_file: .env
model: {provider: openai, name: gpt-5.2, base_url: "http://${HOST_PART}.invalid/v1", headers: {X-Api-Key: header-hunter2}}
models: {other: {provider: openai, name: "${REFERENCE}", base_url: "https://user:user-hunter2@example.invalid/?key=query-hunter2"}}
system_prompt: The password is prompt-hunter2.  # comment-hunter2
tools:
  - agent: {file: helper.yaml, name: help, description: word-hunter2}
  - mcp: {name: a, command: [cat, --token=argument-hunter2], env: {TOKEN: env-hunter2, OTHER: "${IN_FILE}"}}
middleware:
  - plugin: PLUGIN
    config: {password: config-hunter2, pw: pw-hunter2, how: ""}
checkpoint: sqlite:agent.db
`

func TestDiagnosticsHoldNoSecrets(t *testing.T) {
	module, err := badGuest()
	require.NoError(t, err)
	t.Setenv("OPENAI_API_KEY", "environment-hunter2")
	t.Setenv("REFERENCE", "reference-hunter2")
	t.Setenv("HOST_PART", "host-hunter2")
	t.Setenv("SOME_TOKEN", "unused-hunter2")
	t.Setenv("NO_COLOR", "")
	t.Setenv("DOOR_PASSWORD", "1234")
	b := setup(t, strings.ReplaceAll(secretive, "PLUGIN", module))
	b.write(".env", "IN_FILE=dotenv-hunter2\nUNUSED=unused-hunter2\n")
	b.write("helper.yaml", say+"env_file: helper.env\nname: \"${HELPER}\"\n")
	b.write("helper.env", "HELPER=helper-hunter2\n")
	b.write("rules.yaml", "rules: [{when: '', say: rules-hunter2}]\n")
	b.write("talk.yaml", "apiVersion: agenthost/v1\nmodel: {provider: scripted, rules: rules.yaml}\ncheckpoint: sqlite:agent.db\n")
	require.Equal(t, exitOK, b.runWith(t.Context(), "", "run", "-f", b.path("talk.yaml"), "--thread", "ada", "conversation-hunter2"), &b.err)
	zipFile := b.path("report.zip")
	require.Equal(t, exitOK, b.run("diagnostics", "-o", zipFile, "--set", "model.headers.X-Token=set-hunter2", "--set", "name=helper"), &b.err)
	require.Contains(t, b.out.String(), "report.zip; look at it before you publish it\n")
	require.Contains(t, b.err.String(), "· the values of DOOR_PASSWORD have fewer than 6 bytes and are not hidden")
	info, err := os.Stat(zipFile)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	files := unzipped(t, zipFile)
	require.Len(t, files, 6)
	for name, content := range files {
		for _, secret := range planted {
			require.NotContains(t, content, secret, name)
			require.NotContains(t, content, base64.StdEncoding.EncodeToString([]byte(secret)), name)
		}
		require.NotContains(t, content, "hunter2", name)
	}
	require.Contains(t, files["version.txt"], versionLine())
	require.Contains(t, files["doctor.txt"], "openai:gpt-5.2; OPENAI_API_KEY ")
	require.Contains(t, files["doctor.txt"], "***.invalid")
	for _, line := range []string{
		"model.name=gpt-5.2  # ", "model.headers.X-Api-Key=***  # ", "models.other.name=${REFERENCE}  # ", "tools[1].mcp.command[0]=cat  # ",
		"system_prompt=(text of ", "tools[1].mcp.command[1]=(text of 11 characters)  # ", "middleware[0].config.pw=(text of 10 characters)", "name=helper  # --set name\n",
		"recursion_limit=10000  # default\n", "models.other.base_url=https://***@example.invalid/?***  # ",
	} {
		require.Contains(t, files["config.txt"], line)
	}
	require.Contains(t, files["plugins.txt"], ": bad ")
	for _, line := range []string{"IN_FILE              not set, in env_file\n", "REFERENCE            set\n", "NO_COLOR             empty\n"} {
		require.Contains(t, files["environment.txt"], line)
	}
	require.NotContains(t, files["environment.txt"], "SOME_TOKEN", "it does not matter")

	require.Equal(t, exitUsage, b.run("diagnostics", "-o", zipFile))
	require.Contains(t, b.err.String(), "report.zip exists already; name another file with -o FILE")
}

// The configuration of a plugin is left out of the errors about it, too.
func TestDiagnosticsOfAPluginThatRefusesItsConfiguration(t *testing.T) {
	t.Parallel()
	b := setup(t, say+"middleware: [{plugin: redact.wasm, config: {types: [email], strategy: word-hunter2}}]\n")
	module, err := os.ReadFile(filepath.Join("..", "..", "plugins", "redact", "redact.wasm"))
	require.NoError(t, err)
	b.write("redact.wasm", string(module))
	require.Equal(t, exitOK, b.run("diagnostics", "-o", b.path("a.zip")), &b.err)
	files := unzipped(t, b.path("a.zip"))
	require.Contains(t, files["doctor.txt"], "middleware[0].config.strategy: enum: *** does not equal any of: [redact mask hash block]")
	require.Contains(t, files["config.txt"], "middleware[0].config.strategy=(text of 12 characters)")
	for name, content := range files {
		require.NotContains(t, content, "hunter2", name)
	}
}

func TestDiagnosticsOfABrokenManifest(t *testing.T) {
	t.Parallel()
	b := setup(t, "apiVersion: agenthost/v1\nmodel: {provider: scripted, echo: true}\nsystem_promt: my private-hunter2\nenv_file: none\n")
	require.Equal(t, exitOK, b.run("diagnostics", "-o", b.path("a.zip")), &b.err)
	files := unzipped(t, b.path("a.zip"))
	for _, name := range []string{"config.txt", "doctor.txt"} {
		require.Contains(t, files[name], "none: there is no such file")
		require.NotContains(t, files[name], "hunter2")
	}
	b.write("agenthost.yaml", "apiVersion: agenthost/v1\nmodel: {provider: scripted, echo: true}\nsystem_promt: my private-hunter2\n")
	require.Equal(t, exitOK, b.run("diagnostics", "-o", b.path("b.zip")), &b.err)
	files = unzipped(t, b.path("b.zip"))
	for _, name := range []string{"config.txt", "doctor.txt"} {
		require.Contains(t, files[name], "system_promt")
		require.Contains(t, files[name], `did you mean "system_prompt"`)
		require.NotContains(t, files[name], "hunter2")
	}
	require.NoError(t, os.Remove(b.path("agenthost.yaml")))
	require.Equal(t, exitOK, b.run("diagnostics", "-o", b.path("c.zip")), &b.err)
	require.Contains(t, unzipped(t, b.path("c.zip"))["doctor.txt"], "there is no such file")
}
