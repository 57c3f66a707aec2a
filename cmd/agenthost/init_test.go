package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// initialised runs init in a new directory, and returns the directory with the output.
func initialised(t *testing.T, code int, typed string, terminal bool, args ...string) *bundle {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "helper")
	b := &bundle{t: t, dir: dir}
	in := append([]string{"init", dir}, args...)
	got := execute(t.Context(), in, streams{in: strings.NewReader(typed), out: &b.out, err: &b.err, terminal: terminal})
	require.Equal(t, code, got, &b.err)
	return b
}

func (b *bundle) holds(name string) string {
	b.t.Helper()
	content, err := os.ReadFile(b.path(name))
	require.NoError(b.t, err)
	return string(content)
}

func TestWhatInitWritesWorks(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{
		"scripted":               {"--yes"},
		"scripted, alone":        {"--yes", "--tools", "none", "--checkpoint", "none"},
		"openai":                 {"--provider", "openai"},
		"anthropic, with a name": {"--provider", "anthropic", "--model", `claude "x": #1 $y`, "--name", "123", "--checkpoint", "memory"},
		"gemini":                 {"--provider", "gemini", "--tools", "files", "--checkpoint", "sqlite:my data/agent.db", "-y"},
		"openrouter":             {"--provider", "openrouter"},
		"ollama":                 {"--provider", "ollama", "--tools", "none"},
		"litellm":                {"--provider", "litellm_proxy"},
		"mistral":                {"--provider", "mistral", "--yes"},
		"postgres":               {"--yes", "--checkpoint", "postgres://agent:${PGPASS:-x}@db/agent"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := initialised(t, exitOK, "", false, args...)
			require.Empty(t, b.out.String())
			require.Contains(t, b.err.String(), "· wrote "+b.path("agenthost.yaml")+"\n")
			require.Contains(t, b.err.String(), "\nNext:\n  cd "+b.dir+"\n")
			require.Contains(t, b.holds("agenthost.yaml"), "\nmiddleware:\n  - patch_tool_calls ")
			require.Contains(t, b.holds(".gitignore"), ".env\n")
			require.Equal(t, exitOK, b.run("validate"), &b.err)
			require.Equal(t, exitOK, b.run("graph"), &b.err)
		})
	}
}

func TestAScriptedAgentRunsAtOnce(t *testing.T) {
	t.Parallel()
	b := initialised(t, exitOK, "", false, "--yes")
	require.Equal(t, exitOK, b.run("run", "hello"), &b.err)
	require.Equal(t, "Hello! I am a script. Ask me to list the files, or to read welcome.md.\n", b.out.String())
	document, err := os.ReadFile("../../docs/cli.md")
	require.NoError(t, err)
	require.Contains(t, string(document), "$ agenthost run hello\n"+b.out.String())
	require.Equal(t, exitOK, b.run("run", "--thread", "ada", "list the files"), &b.err)
	require.Contains(t, b.out.String(), "welcome.md")
	require.Equal(t, exitOK, b.run("run", "read welcome.md"), &b.err)
	require.Contains(t, b.out.String(), "The agent can read")
	require.Equal(t, ".env\nagent.db\nagent.db-shm\nagent.db-wal\n", b.holds(".gitignore"))
}

func TestKeysHaveAFileOfTheirOwn(t *testing.T) {
	t.Parallel()
	b := initialised(t, exitOK, "", false, "--provider", "anthropic")
	require.Contains(t, b.holds(".env.example"), "\nANTHROPIC_API_KEY=\n")
	info, err := os.Stat(b.path(".env"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode())
	require.Contains(t, b.err.String(), "\n  write your key into .env, as ANTHROPIC_API_KEY\n  agenthost doctor --online\n")

	b.write(".env", "ANTHROPIC_API_KEY=secret\n")
	b.write(".gitignore", "/agent.db\n*.tmp")
	require.Equal(t, exitUsage, b.runWith(t.Context(), "", "init", b.dir, "--provider", "gemini"))
	require.Contains(t, b.err.String(), "agenthost: init: "+b.path("agenthost.yaml")+" already exists, and nothing was written; add --force to overwrite it\n")
	require.Equal(t, exitOK, b.runWith(t.Context(), "", "init", b.dir, "--provider", "gemini", "--force"), &b.err)
	require.Contains(t, b.holds("agenthost.yaml"), "provider: gemini")
	require.Equal(t, "ANTHROPIC_API_KEY=secret\n", b.holds(".env"))
	require.Equal(t, "/agent.db\n*.tmp\n.env\nagent.db-shm\nagent.db-wal\n", b.holds(".gitignore"))
	require.Equal(t, exitOK, b.runWith(t.Context(), "", "init", b.dir, "--provider", "gemini", "--force"), &b.err)
	require.NotContains(t, b.err.String(), ".gitignore")
}

func TestInitAsks(t *testing.T) {
	t.Parallel()
	b := initialised(t, exitOK, "two words\nada\nopen\nopenai\n\n\nredis:x\nmemory\n", true)
	all := strings.Join(providers(), ", ")
	asked, _, _ := strings.Cut(b.err.String(), "· wrote")
	require.Equal(t, "Name of the agent [helper]   a name consists of 1 to 64 letters, digits, dashes and underscores\n"+
		"Name of the agent [helper] Provider of its model: "+all+" [scripted]   "+
		`there is no provider "open"; did you mean "openai"?`+"\n"+
		"Provider of its model: "+all+" [scripted] Name of the model [gpt-5.2] Tools: files (to read the files in data), none [files] "+
		"Where to keep threads: sqlite:PATH, memory, none [sqlite:agent.db]   "+
		"this kind of store is unknown; use one of memory, sqlite:PATH, postgres://USER@HOST/DATABASE\n"+
		"Where to keep threads: sqlite:PATH, memory, none [sqlite:agent.db] ", asked)
	require.Contains(t, b.holds("agenthost.yaml"), "name: \"ada\"\n")
	require.Contains(t, b.holds("agenthost.yaml"), "model: {provider: openai, name: \"gpt-5.2\"}\n")
	require.Contains(t, b.holds("agenthost.yaml"), "checkpoint: memory ")

	b = initialised(t, exitSignal, "ada\n", true, "--provider", "scripted")
	require.NoDirExists(t, b.dir)
	require.Contains(t, b.err.String(), "agenthost: init: nothing was written\n")
	b = initialised(t, exitOK, "", true, "--yes")
	require.FileExists(t, b.path("agenthost.yaml"))
}

func TestInitMistakes(t *testing.T) {
	t.Parallel()
	for want, args := range map[string][]string{
		"init: there is no terminal to ask at; choose a provider with --provider, or add --yes for the suggested one":  nil,
		`init: --provider: there is no provider "acme"; choose one of openai, anthropic, gemini, `:                     {"--provider", "acme"},
		"init: --name: a name consists of 1 to 64 letters":                                                             {"--yes", "--name", "a b"},
		"init: --model: the model needs a name":                                                                        {"--provider", "openai", "--model", ""},
		"init: --model: a scripted model has no name; choose a provider with --provider, or leave --model out":         {"--yes", "--model", "gpt-5.2"},
		`init: --tools: there are no tools "shell" to start with; choose files or none`:                                {"--yes", "--tools", "shell"},
		"init: --checkpoint: this kind of store is unknown; use one of memory, sqlite:PATH, postgres://USER@HOST/DATA": {"--yes", "--checkpoint", "redis:x"},
	} {
		b := initialised(t, exitUsage, "", false, args...)
		require.Contains(t, b.err.String(), want)
		require.NoDirExists(t, b.dir)
	}
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	b := &bundle{t: t}
	require.Equal(t, exitUsage, b.runWith(t.Context(), "", "init", file, "--yes"))
	require.Contains(t, b.err.String(), "not a directory")
}

func TestTheModelOfBedrockFitsTheRegion(t *testing.T) { //nolint:paralleltest // it sets variables
	for region, want := range map[string]string{"eu-west-1": "eu.", "us-east-2": "us.", "ap-northeast-1": "global.", "": "global."} {
		t.Setenv("AWS_REGION", "")
		t.Setenv("AWS_DEFAULT_REGION", region)
		b := initialised(t, exitOK, "", false, "--provider", "bedrock")
		require.Contains(t, b.holds("agenthost.yaml"), `model: {provider: bedrock, name: "`+want+`anthropic.claude-`, region)
	}
}
