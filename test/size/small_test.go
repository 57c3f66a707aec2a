package size_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

const agent = `apiVersion: agenthost/v1
name: helper
model: {provider: scripted, rules: rules.yaml}
checkpoint: sqlite:agent.db
middleware:
  - {plugin: redact.wasm}
`

// bundle is a directory with an agent.
type bundle struct {
	*testing.T

	program, dir string
}

func setup(t *testing.T) *bundle {
	t.Helper()
	b := &bundle{t, small(t), t.TempDir()}
	b.write("agenthost.yaml", agent)
	b.write("rules.yaml", "rules: [{when: '', say: hello}]\n")
	plugin, err := os.ReadFile("../../plugins/redact/redact.wasm")
	require.NoError(t, err)
	b.write("redact.wasm", string(plugin))
	return b
}

func (b *bundle) write(name, content string) {
	b.Helper()
	require.NoError(b, os.WriteFile(filepath.Join(b.dir, name), []byte(content), 0o600))
}

// run runs the program, and returns its exit code and what it printed.
func (b *bundle) run(environment []string, args ...string) (code int, out string) {
	b.Helper()
	c := exec.CommandContext(b.Context(), b.program, args...)
	var said bytes.Buffer
	c.Dir, c.Stdout, c.Stderr = b.dir, &said, &said
	c.Env = append(append(os.Environ(), "XDG_CACHE_HOME="+b.dir), environment...)
	err := c.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode(), said.String()
	}
	require.NoError(b, err)
	return 0, said.String()
}

func TestTheSmallBuildRunsAgents(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"validate"}, ""},
		{[]string{"run", "--thread", "ada", "hi"}, "hello"},
		{[]string{"threads", "show", "ada"}, "hello"},
		{[]string{"plugin", "inspect", "redact.wasm"}, "redact"},
		{[]string{"plugin", "new", "try-it", "--lang", "tinygo"}, "try-it"},
		{[]string{"schema"}, "apiVersion"},
		{[]string{"graph"}, "model"},
		{[]string{"middleware", "list"}, "dynamic_prompt"},
		{[]string{"init", "--help"}, "Exit codes"},
	} {
		code, out := b.run(nil, test.args...)
		require.Zero(t, code, "%s\n%s", test.args, out)
		require.Contains(t, out, test.want, "%s", test.args)
	}
}

// Each part that is missing is named, with the tag that left it out. Nothing is ignored.
func TestTheSmallBuildNamesWhatItLacks(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("policy.py", "")
	mask, err := os.ReadFile("../../examples/extism/mask/mask.wasm")
	require.NoError(t, err)
	b.write("mask.wasm", string(mask))
	manifest := func(name, text string) { b.write(name+".yaml", "apiVersion: agenthost/v1\nname: helper\n"+text) }
	manifest("bedrock", "model: {provider: bedrock, name: x}\n")
	manifest("vertex", "model: google_vertexai:x\n")
	manifest("azure", "model: azure_openai:x\n")
	scripted := "model: {provider: scripted, rules: rules.yaml}\n"
	manifest("postgres", scripted+"checkpoint: postgres://localhost/x\n")
	manifest("python", scripted+"middleware: [{plugin: policy.py}]\n")
	manifest("extism", scripted+"middleware: [{plugin: mask.wasm}]\n")
	for tag, commands := range map[string][][]string{
		"no_serve":    {{"serve"}, {"serve", "--config", "x.yaml"}, {"dev"}, {"studio", "x"}, {"trace", "x"}, {"top", "http://x"}, {"schema", "serve"}, {"schema", "openapi"}},
		"no_cloud":    {{"run", "-f", "bedrock.yaml", "hi"}, {"validate", "-f", "vertex.yaml"}, {"run", "-f", "azure.yaml", "hi"}},
		"no_postgres": {{"run", "-f", "postgres.yaml", "--thread", "a", "hi"}},
		"no_scripts":  {{"run", "-f", "python.yaml", "hi"}, {"plugin", "inspect", "policy.py"}},
		"no_extism":   {{"run", "-f", "extism.yaml", "hi"}, {"plugin", "inspect", "mask.wasm"}},
		"no_registry": {{"plugin", "pull", "oci://localhost:1/x:1"}},
	} {
		for _, args := range commands {
			code, out := b.run(nil, args...)
			require.NotZero(t, code, "%s\n%s", args, out)
			require.Contains(t, out, "without the tag "+tag, "%s", args)
		}
	}
	code, out := b.run([]string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:4318"}, "run", "hi")
	require.Zero(t, code, "a run goes on, because the variables may be meant for other programs")
	require.Contains(t, out, "without the tag no_otel")
}
