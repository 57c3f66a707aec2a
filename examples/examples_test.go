// Package examples_test runs what the README and the examples promise.
package examples_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/script"
	"github.com/agenthost/agenthost/host/tool"
	"github.com/agenthost/agenthost/internal/testcache"
	"github.com/agenthost/agenthost/internal/toolchain"
	"github.com/agenthost/agenthost/internal/toolchain/toolchaintest"
	"github.com/agenthost/agenthost/test/programs"
	"github.com/agenthost/agenthost/test/testservers"
)

// run runs a program from the project's root and returns its standard output.
func run(t *testing.T, env []string, name string, args ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), name, args...)
	c.Dir = ".."
	c.Env = append(os.Environ(), env...)
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	require.NoError(t, c.Run(), "%s %s\n%s", name, strings.Join(args, " "), &errs)
	return out.String()
}

// bin returns the directory with the command and the program that embeds an agent.
var bin = sync.OnceValues(func() (string, error) { return programs.Build("cmd/agenthost", "examples/embed") })

// program runs one of the two from the project's root and returns its standard output.
func program(t *testing.T, env []string, name string, args ...string) string {
	t.Helper()
	dir, err := bin()
	require.NoError(t, err)
	return run(t, env, filepath.Join(dir, name), args...)
}

func TestREADMESnippetsAreTheExamples(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	snippets := regexp.MustCompile("(?s)<!-- snippet: (\\S+) -->\n```\\w+\n(.*?)```").FindAllSubmatch(readme, -1)
	require.Len(t, snippets, 4)
	for _, snippet := range snippets {
		source, err := os.ReadFile(filepath.Join("..", string(snippet[1])))
		require.NoError(t, err)
		require.Equal(t, string(source), string(snippet[2]), "README.md differs from %s", snippet[1])
	}
}

func TestSnippetsInDocumentsArePartsOfExamples(t *testing.T) {
	t.Parallel()
	for name, sources := range map[string][]string{
		"threads.md": {"thread_example_test.go"},
		"store.md":   {"store_example_test.go", "store/example_test.go", "store/semantic/example_test.go"},
	} {
		document, err := os.ReadFile("../docs/" + name)
		require.NoError(t, err)
		indentation := regexp.MustCompile(`(?m)^\t+`)
		examples := ""
		for _, path := range sources {
			source, err := os.ReadFile("../host/" + path)
			require.NoError(t, err)
			examples += indentation.ReplaceAllString(string(source), "")
		}
		snippets := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllSubmatch(document, -1)
		require.NotEmpty(t, snippets)
		for _, snippet := range snippets {
			require.Contains(t, examples, indentation.ReplaceAllString(string(snippet[1]), ""))
		}
	}
}

func TestREADMECommandsRunTheQuickstart(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	command := regexp.MustCompile(`(?m)^go run \./cmd/agenthost run .*$`).Find(readme)
	require.NotEmpty(t, command)
	// The plugin is compiled anew, but Go's own cache stays where it is: it would follow XDG_CACHE_HOME.
	gocache := strings.TrimSpace(run(t, nil, "go", "env", "GOCACHE"))
	answer := run(t, []string{"XDG_CACHE_HOME=" + t.TempDir(), "GOCACHE=" + gocache}, "sh", "-c", string(command))
	require.Contains(t, answer, "payment declined")
	require.Contains(t, answer, "app.log:19:")
	for _, secret := range secrets {
		require.NotContains(t, answer, secret)
	}
}

func TestPluginsInTypeScript(t *testing.T) {
	t.Parallel()
	const manifest = "examples/typescript/agenthost.yaml"
	require.Contains(t, program(t, nil, "agenthost", "run", "-f", manifest, "which files?"), "notes.txt")
	require.Contains(t, program(t, nil, "agenthost", "run", "-f", manifest, "read app.log"), "The tool read_file is not allowed.")
	require.Contains(t, program(t, nil, "agenthost", "run", "-f", manifest, "--state", "tenant=trial", "which files?"),
		"The budget of trial is used up: 0 of 0 tokens.")
	for _, name := range []string{"policy", "budget", "router"} {
		source, err := os.ReadFile(filepath.Join("typescript", name, name+".ts"))
		require.NoError(t, err)
		require.LessOrEqual(t, strings.Count(string(source), "\n"), 40, name)
		require.Contains(t, program(t, nil, "agenthost", "plugin", "test", "examples/typescript/"+name), " 0 failed")
	}
}

func TestAPolicyInPython(t *testing.T) {
	t.Parallel()
	const manifest = "examples/python/agenthost.yaml"
	require.Contains(t, program(t, nil, "agenthost", "run", "-f", manifest, "which files?"), "notes.txt")
	require.Contains(t, program(t, nil, "agenthost", "run", "-f", manifest, "read app.log"), "The tool read_file is not allowed.")
	for _, name := range []string{"budget", "policy", "router"} {
		source, err := os.ReadFile(filepath.Join("python", name, name+".py"))
		require.NoError(t, err)
		require.LessOrEqual(t, strings.Count(string(source), "\n"), 40, name)
		require.Contains(t, program(t, nil, "agenthost", "plugin", "test", "examples/python/"+name), " 0 failed")
	}
}

func TestTheREADMEsManifestIsValid(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	found := regexp.MustCompile("(?s)<!-- manifest -->\n```yaml\n(.*?)```").FindSubmatch(readme)
	require.NotNil(t, found)
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "notes"), 0o700))
	path := filepath.Join(dir, "agenthost.yaml")
	require.NoError(t, os.WriteFile(path, found[1], 0o600))
	require.Equal(t, path+": ok\n", program(t, nil, "agenthost", "validate", "-f", path))
}

func TestTheREADMESaysWhatMaskingLeaves(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	log, err := os.ReadFile("quickstart/data/app.log")
	require.NoError(t, err)
	answer := program(t, nil, "agenthost", "run", "-f", "examples/quickstart/agenthost.yaml", "which errors are in app.log?")
	rows := regexp.MustCompile("(?m)^\\| `(\\w+=.*)` \\| `(.*)` \\|$").FindAllSubmatch(readme, -1)
	require.Len(t, rows, 4)
	for _, row := range rows {
		require.Contains(t, string(log), string(row[1]))
		require.Contains(t, answer, string(row[2]))
	}
}

// secrets stand in the ERROR lines of the quickstart's app.log.
var secrets = []string{
	"4111 1111 1111 1111", "elena.rossi@mail.example", "wJalrXUtnFEMI/K7MDENG", "EXAMPLE-db-pass-1", "sk-proj-EXAMPLE0000",
	"198.51.100.77", "2001:db8:7a1::42", "378282246310005",
}

func TestQuickstartWithoutThePluginShowsTheSecrets(t *testing.T) {
	t.Parallel()
	manifest, err := os.ReadFile("quickstart/agenthost.yaml")
	require.NoError(t, err)
	without := regexp.MustCompile(`(?m)^  - plugin: .*\n    config: .*\n    on_failure: .*\n`).ReplaceAll(manifest, nil)
	require.NotEqual(t, manifest, without)
	dir := t.TempDir()
	data, err := filepath.Abs("quickstart/data")
	require.NoError(t, err)
	rules, err := filepath.Abs("quickstart/rules.yaml")
	require.NoError(t, err)
	without = bytes.Replace(without, []byte("./data"), []byte(data), 1)
	without = bytes.Replace(without, []byte("rules.yaml"), []byte(rules), 1)
	path := filepath.Join(dir, "agenthost.yaml")
	require.NoError(t, os.WriteFile(path, without, 0o600))
	answer := program(t, nil, "agenthost", "run", "-f", path, "which errors are in app.log?")
	for _, secret := range secrets {
		require.Contains(t, answer, secret)
	}
}

func TestEmbedPrintsItsAnswer(t *testing.T) {
	t.Parallel()
	require.Equal(t, "Take sunglasses.\n", program(t, []string{"OPENAI_API_KEY="}, "embed"))
}

// The same program with a model of a server that others wrote.
func TestEmbedAsksAModel(t *testing.T) {
	t.Parallel()
	env := []string{"OPENAI_API_KEY=any", "OPENAI_BASE_URL=" + testservers.Aimock(t, filepath.Join("embed", "testdata", "aimock.json")) + "/v1"}
	require.Equal(t, "It is sunny: take a hat.\n", program(t, env, "embed"))
}

func greet(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
	return host.TextOutput("hello"), nil
}

func TestShoutIsTheSamePluginInEachLanguage(t *testing.T) {
	t.Parallel()
	module, err := toolchain.Build{Dir: "shout", Output: filepath.Join(t.TempDir(), "shout.wasm"), Log: t.Output()}.Run(t.Context(), toolchain.Go)
	require.NoError(t, err)
	engine, err := plugin.NewEngine(plugin.EngineConfig{Dir: testcache.Dir(), Loaders: []plugin.Loader{script.Loader{}}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, engine.Close()) })
	for _, path := range []string{module, "shout/shout.py", "shout/shout.ts"} {
		agent, err := host.New(host.Config{
			Model:      scripted.NewTurns(scripted.CallTools(abi.Call("1", "greet", nil)), scripted.Say("done")),
			Tools:      []host.Tool{tool.Raw(abi.ToolSpec{Name: "greet"}, greet)},
			Middleware: []host.Middleware{plugin.Wasm{Path: path, Engine: engine}},
		})
		require.NoError(t, err)
		result, err := agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("hi")}})
		require.NoError(t, err, path)
		answer := result.Messages.At(2)
		require.Equal(t, "HELLO", answer.Content.Text(), path)
		require.NoError(t, agent.Close())
	}
}

// TestNotesBuiltWithTinyGo shows that tools of a plugin, and the code that sdk/go/gen writes for their arguments, need nothing
// that TinyGo has not.
func TestNotesBuiltWithTinyGo(t *testing.T) {
	t.Parallel()
	toolchaintest.Need(t)
	module, err := toolchain.Build{Dir: "notes", Output: filepath.Join(t.TempDir(), "notes.wasm"), Log: t.Output()}.Run(t.Context(), toolchain.TinyGo)
	require.NoError(t, err)
	note := abi.Call("1", "write_note", map[string]any{"text": "buy milk", "tags": []any{"home"}})
	agent, err := host.New(host.Config{
		Model: scripted.NewTurns(
			scripted.CallTools(note, abi.Call("2", "write_note", map[string]any{"text": ""})),
			scripted.CallTools(abi.Call("3", "list_notes", nil)), scripted.Say("done"),
		),
		Middleware: []host.Middleware{plugin.Wasm{Path: module, Grant: plugin.Grant{KV: &plugin.KVGrant{}}}},
	})
	require.NoError(t, err)
	defer func() { require.NoError(t, agent.Close()) }()
	result, err := agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("hi")}})
	require.NoError(t, err)
	var answers []string
	for _, m := range result.Messages.All() {
		if m.Role == abi.RoleTool {
			answers = append(answers, m.Content.Text())
		}
	}
	require.Equal(t, "noted", answers[0])
	require.Contains(t, answers[1], "minLength", "the host checks arguments against the schema")
	require.Equal(t, "1 notes\n- buy milk (fact)", answers[2])
}
