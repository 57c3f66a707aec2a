package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// examined returns the checks that doctor --json prints.
func (b *bundle) examined(code int, args ...string) map[string]check {
	b.t.Helper()
	require.Equal(b.t, code, b.run(append([]string{"doctor", "--json"}, args...)...), &b.err)
	var doc struct {
		OK     bool    `json:"ok"`
		Checks []check `json:"checks"`
	}
	require.NoError(b.t, json.Unmarshal(b.out.Bytes(), &doc))
	require.Equal(b.t, code == exitOK, doc.OK)
	out := map[string]check{}
	for _, c := range doc.Checks {
		out[c.Subject] = c
	}
	return out
}

func TestDoctorOfAnAgentThatIsFine(t *testing.T) {
	t.Parallel()
	b := threads(t, noting)
	found := b.examined(exitOK)
	require.Equal(t, check{"manifest", checkOK, b.path("agenthost.yaml") + " is readable", ""}, found["manifest"])
	require.Equal(t, check{"agent", checkOK, "builds, with 4 tools of its own and 2 middleware", ""}, found["agent"])
	require.Equal(t, check{"model", checkOK, "rules, which needs no provider", ""}, found["model"])
	require.Equal(t, check{"checkpoint", checkOK, "sqlite:" + b.path("agent.db") + " does not exist yet; the first run creates it", ""}, found["checkpoint"])
	require.NoFileExists(t, b.path("agent.db"))
	require.Equal(t, check{"cache", checkOK, filepath.Join(scratch, "agenthost", "wasm") + " keeps compiled plugins", ""}, found["cache"])
	require.Contains(t, found["go"].Found, "go version go1.")

	b.must(exitOK, "run", "--thread", "ada", "hi")
	found = b.examined(exitOK)
	require.Equal(t, "sqlite:"+b.path("agent.db")+" opens, is writable, and has the tables of this version", found["checkpoint"].Found)
	for _, address := range []string{"memory", "none"} {
		file := strings.Replace(noting, "checkpoint: sqlite:agent.db", map[string]string{"memory": "checkpoint: memory", "none": ""}[address], 1)
		b.write("agenthost.yaml", file)
		require.Equal(t, checkNote, b.examined(exitOK)["checkpoint"].Outcome)
	}
}

func TestDoctorOfAScriptThatIsCutOff(t *testing.T) {
	t.Parallel()
	b := threads(t, noting)
	b.write("agenthost.yaml", "apiVersion: agenthost/v1\nmodel: {provider: scripted, turns: [{content: hi}], on_cut_off: fail}\n")
	require.Equal(t, check{"model", checkOK, "scripted, which needs no provider", ""}, b.examined(exitOK)["model"])
}

func TestDoctorOfAStoreThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	b := threads(t, noting)
	b.write("text.db", "this is not a database, and it is long enough to be read as one by its head")
	found := b.examined(exitUsage, "--set", "checkpoint=sqlite:text.db")
	require.Equal(t, checkFailed, found["checkpoint"].Outcome)
	require.Contains(t, found["checkpoint"].Found, "text.db")
	found = b.examined(exitUsage, "--set", "checkpoint=sqlite:none/agent.db")
	require.Equal(t, "create the directory, or name another place", found["checkpoint"].Remedy)
	found = b.examined(exitUsage, "--set", "checkpoint=postgres://nobody:s3cret@127.0.0.1:1/agent")
	require.Equal(t, checkFailed, found["checkpoint"].Outcome)
	require.NotContains(t, b.out.String(), "s3cret")
}

func TestDoctorOfAManifestWithMistakes(t *testing.T) {
	t.Parallel()
	b := setup(t, say+"middlewear: []\n")
	require.Equal(t, exitUsage, b.run("doctor"))
	require.Regexp(t, `(?m)^failed  manifest +\S+agenthost\.yaml:3:1: `, b.out.String())
	require.Contains(t, b.out.String(), "        → docs/manifest.md describes every key\n")
	require.Equal(t, "agenthost: doctor: one check failed\n", b.err.String())
	require.Equal(t, exitUsage, b.runWith(t.Context(), "", "doctor", "-f", b.path("none.yaml")))
	require.Contains(t, b.out.String(), "name another one with -f FILE, or write one with 'agenthost init'")
	require.NotContains(t, b.out.String(), "checkpoint")

	b = threads(t, noting)
	found := b.examined(exitUsage, "--set", "tools[0].files.root=none")
	require.Equal(t, checkFailed, found["agent"].Outcome)
	require.Contains(t, found["agent"].Found, "none")
	require.Equal(t, "correct this, and run doctor again: the models are not checked yet", found["agent"].Remedy)
}

func TestDoctorOfPlugins(t *testing.T) {
	t.Parallel()
	module, err := badGuest()
	require.NoError(t, err)
	b := setup(t, say+"middleware:\n  - plugin: "+module+"\n  - plugin: {path: "+module+"}\n    id: second\n")
	found := b.examined(exitOK)
	require.Equal(t, checkNote, found["plugin bad"].Outcome)
	require.Regexp(t, `^bad \S+, ABI 1; it is not pinned, so any file at its path is accepted$`, found["plugin bad"].Found)
	pin := found["plugin bad"].Remedy[strings.LastIndex(found["plugin bad"].Remedy, " ")+1 : len(found["plugin bad"].Remedy)-1]
	require.Equal(t, checkNote, found["plugin second"].Outcome)

	found = b.examined(exitOK, "--set", "middleware[1].plugin.sha256="+pin)
	require.Equal(t, checkOK, found["plugin second"].Outcome)
	require.Contains(t, found["plugin second"].Found, "its digest is as the manifest demands")

	found = b.examined(exitUsage, "--set", "middleware[1].plugin.sha256="+strings.Repeat("ab", 32))
	require.Equal(t, checkFailed, found["plugin second"].Outcome)
	require.Contains(t, found["plugin second"].Found, pin, "what it is")
	require.Equal(t, checkFailed, found["agent"].Outcome)
	const key = "RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3"
	for _, keys := range []string{key, "[" + key + "]"} {
		found = b.examined(exitUsage, "--set", "middleware[1].plugin.minisign="+keys)
		require.Equal(t, checkFailed, found["plugin second"].Outcome)
	}
}

func TestDoctorOfKeys(t *testing.T) { //nolint:paralleltest // it changes the environment
	for _, name := range []string{"OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "GEMINI_API_KEY", "GOOGLE_API_KEY"} {
		t.Setenv(name, "")
		require.NoError(t, os.Unsetenv(name))
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer s3cret" {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"error": {"message": "wrong key", "code": "invalid_api_key"}}`)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"id":"1","object":"chat.completion","model":"m","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"ok"}}]}`)
	}))
	defer server.Close()
	b := setup(t, fmt.Sprintf(`apiVersion: agenthost/v1
env_file: keys.env
model: openai:gpt-5.2
models:
  claude: anthropic:claude-sonnet-4-5
  gemini: {provider: gemini, name: gemini-2.5-flash, api_key_env: MY_KEY}
  local: {provider: openai, name: m, base_url: "%[1]s/v1"}
  proxy: {provider: anthropic, name: m, base_url: "%[1]s"}
  header: {provider: openai, name: m, base_url: "%[1]s/v1", headers: {authorization: Bearer s3cret}}
`, server.URL))
	b.write("keys.env", "ANTHROPIC_API_KEY=s3cret\n")
	found := b.examined(exitUsage)
	host := strings.TrimPrefix(server.URL, "http://")
	require.Equal(t, check{
		"model", checkFailed, "openai:gpt-5.2; there is no key",
		"set OPENAI_API_KEY in the environment or in the file that env_file names in the manifest",
	}, found["model"])
	require.Equal(t, check{"model claude", checkOK, "anthropic:claude-sonnet-4-5; ANTHROPIC_API_KEY is sent to api.anthropic.com", ""}, found["model claude"])
	require.Contains(t, found["model gemini"].Remedy, "set MY_KEY in ")
	require.Equal(t, check{
		"model local", checkNote, "openai:m; there is no key for " + host + ", which may not need one",
		"if the server needs a key, name the variable that holds it with api_key_env, and set it in the environment or in env_file",
	}, found["model local"])
	require.Equal(t, check{"model header", checkOK, "openai:m; the key in its headers is sent to " + host, ""}, found["model header"])
	require.Equal(t, check{
		"model proxy", checkNote, "anthropic:m; ANTHROPIC_API_KEY is not sent to " + host + ", because base_url is not the provider's own address",
		"correct base_url; or, if this server needs the key, add api_key_env: ANTHROPIC_API_KEY to the model",
	}, found["model proxy"])
	require.NotContains(t, b.out.String(), "s3cret")
	require.NotContains(t, b.out.String(), "asked")

	b.write("keys.env", "OPENAI_KEY=s3cret\n")
	require.Equal(t, check{
		"model", checkFailed, "openai:gpt-5.2; there is no key", "rename OPENAI_KEY, which is set, to OPENAI_API_KEY",
	}, b.examined(exitUsage)["model"])
	b.write("keys.env", "")
	require.Equal(t, "if the server needs a key, set MY_KEY, which api_key_env names, in the environment or in env_file",
		b.examined(exitUsage, "--set", "models.local.api_key_env=MY_KEY")["model local"].Remedy)
	require.NotContains(t, b.out.String(), "s3cret")

	b.write("agenthost.yaml", strings.Join([]string{
		"apiVersion: agenthost/v1", "env_file: keys.env", `model: {provider: openai, name: m, base_url: "` + server.URL + `/v1", api_key_env: MY_KEY}`,
	}, "\n"))
	b.write("keys.env", "MY_KEY=s3cret\n")
	found = b.examined(exitOK, "--online")
	require.Regexp(t, `^the model answered in \S+s$`, found["model, asked"].Found)
	b.write("keys.env", "MY_KEY=s3cret2\n")
	found = b.examined(exitUsage, "--online")
	require.Contains(t, found["model, asked"].Found, "authentication (HTTP 401)")
	require.NotContains(t, b.out.String(), "s3cret")
}

// The key of a server on this machine may be in env_file, which doctor sends to it as a run does.
func TestDoctorAsksALocalServerWithAKeyInEnvFile(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer s3cret-key" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = io.WriteString(w, `{"data": [{"id": "there"}]}`)
	}))
	t.Cleanup(server.Close)
	b := setup(t, "apiVersion: agenthost/v1\nenv_file: keys.env\nmodel: {provider: vllm, name: there, base_url: \""+server.URL+"/v1\", api_key_env: DOCTORS_KEY}\n")
	b.write("keys.env", "DOCTORS_KEY=s3cret-key\n")
	host := strings.TrimPrefix(server.URL, "http://")
	require.Equal(t, check{"model, server", checkOK, host + " has the model", ""}, b.examined(exitOK)["model, server"])
	found := b.examined(exitUsage, "--set", "model.name=gone")["model, server"]
	require.Equal(t, host+" does not have the model gone", found.Found)
	b.write("keys.env", "DOCTORS_KEY=another\n")
	require.Contains(t, b.examined(exitOK)["model, server"].Found, "HTTP 401")
	require.NotContains(t, b.out.String(), "s3cret")
}

func TestDoctorOfAddresses(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "s3cret-key")
	t.Setenv("OPENAI_BASE_URL", "http://me:s3cret-pw@127.0.0.1:9/v1?key=s3cret-q")
	t.Setenv("ANTHROPIC_API_KEY", "s3cret-key")
	t.Setenv("ANTHROPIC_BASE_URL", "")
	b := setup(t, "apiVersion: agenthost/v1\nenv_file: .env\nmodel: openai:gpt-5.2\nmodels:\n  claude: {provider: anthropic, name: claude-haiku-4-5}\n")
	b.write(".env", "ANTHROPIC_BASE_URL=http://127.0.0.1:10\nOPENAI_BASE_URL=http://127.0.0.1:10\n")
	found := b.examined(exitOK)
	require.Equal(t, check{
		"model", checkOK, "openai:gpt-5.2; OPENAI_API_KEY is sent to 127.0.0.1:9 (the address in OPENAI_BASE_URL, set in the environment)", "",
	}, found["model"])
	require.Equal(t, check{
		"model claude", checkNote, "anthropic:claude-haiku-4-5; ANTHROPIC_API_KEY is not sent to 127.0.0.1:10 (the address in ANTHROPIC_BASE_URL, set in env_file), " +
			"because a file of the project may not redirect a key",
		"set ANTHROPIC_BASE_URL in the environment; or, if this server needs the key, set base_url and api_key_env in the manifest",
	}, found["model claude"])

	require.Equal(t, exitOK, b.run("config", "show", "--origin"), &b.err)
	file := b.path("agenthost.yaml")
	require.Equal(t, "apiVersion=agenthost/v1  # "+file+":1:13\n"+
		"env_file=.env  # "+file+":2:11\n"+
		"model=openai:gpt-5.2  # "+file+":3:8\n"+
		"model.base_url=http://127.0.0.1:9/v1  # OPENAI_BASE_URL in the environment\n"+
		"models.claude.provider=anthropic  # "+file+":5:22\n"+
		"models.claude.name=claude-haiku-4-5  # "+file+":5:39\n"+
		"models.claude.base_url=http://127.0.0.1:10  # ANTHROPIC_BASE_URL in env_file\n", b.out.String())
	require.NotContains(t, b.out.String(), "s3cret")

	t.Setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
	require.Equal(t, exitOK, b.run("config", "show", "--resolved", "--origin", "--model", "gemini:g"), &b.err)
	require.Contains(t, b.out.String(), "\nmodel.base_url=https://generativelanguage.googleapis.com  # default\n")
	b.write(".env", "")
	require.Equal(t, exitOK, b.run("config", "show", "--resolved", "--origin"), &b.err)
	require.Contains(t, b.out.String(), "\nmodels.claude.base_url=https://api.anthropic.com  # default\n")
}

func TestDoctorOfToolchains(t *testing.T) {
	dir := t.TempDir()
	program := func(name, script string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script), 0o700))
	}
	program("go", "echo go version go9")
	program("rustc", `[ "$1" = --version ] && echo rustc 9 || echo `+dir)
	t.Setenv("PATH", dir)
	for _, name := range []string{"TINYGO", "RUSTC"} {
		t.Setenv(name, "")
	}
	t.Setenv("TINYGOROOT", filepath.Join(dir, "tinygo"))
	b := setup(t, say)
	found := b.examined(exitOK)
	require.Equal(t, check{"go", checkOK, "go version go9", ""}, found["go"])
	require.Equal(t, checkNote, found["tinygo"].Outcome)
	require.Contains(t, found["tinygo"].Found, filepath.Join(dir, "tinygo", "bin", "tinygo")+" cannot be run: ")
	require.Equal(t, check{"rustc", checkOK, "rustc 9", ""}, found["rustc"])
	require.Equal(t, checkNote, found["rust target"].Outcome)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "libstd-1.rlib"), nil, 0o600))
	require.Equal(t, checkOK, b.examined(exitOK)["rust target"].Outcome)
	for said, enough := range map[string]bool{
		"rustc 1.84.1 (e71f9a9a9 2025-01-27)": false, "rustc 1.85.0 (4d91de4e4 2025-02-17)": true, "rustc 2.0.0": true, "rustc 0.99.0": false,
	} {
		program("rustc", "echo '"+said+"'")
		is := b.examined(exitOK)["rustc"]
		if enough {
			require.Equal(t, check{"rustc", checkOK, said, ""}, is)
		} else {
			require.Equal(t, check{"rustc", checkNote, said + "; plugins need 1.85 or later", "to build plugins in Rust, install it from https://rustup.rs"}, is)
		}
	}
	program("rustc", `[ "$1" = --version ] && echo rustc 9 && exit; echo "error: no such target" >&2; exit 3`)
	found = b.examined(exitOK)
	require.Equal(t, check{
		"rust target", checkNote, "rustc --print target-libdir failed: exit status 3: error: no such target",
		"to build plugins in Rust, install it from https://rustup.rs",
	}, found["rust target"])
	program("rustc", `echo "rustc: libLLVM.so is missing" >&2; exit 127`)
	require.Equal(t, "rustc cannot be run: exit status 127: rustc: libLLVM.so is missing", b.examined(exitOK)["rustc"].Found)
	program("rustc", `echo "error: rustup could not choose a version of rustc to run, and no default is configured.
Stack backtrace:" >&2; exit 1`)
	require.Equal(t, check{"rustc", checkNote, "rustup's default toolchain is missing", "to build plugins in Rust, run: rustup default stable"},
		b.examined(exitOK)["rustc"])
	require.NoError(t, os.Remove(filepath.Join(dir, "rustc")))
	require.Equal(t, checkNote, b.examined(exitOK)["rustc"].Outcome)
}

// A server whose program is missing would only be noticed by a run.
func TestDoctorOfMCPServers(t *testing.T) {
	t.Parallel()
	b := setup(t, say+`tools:
  - mcp: {name: missing, command: [no-such-program, --token, s3cret]}
  - mcp: {name: here, command: [./server]}
  - mcp: {name: plain, command: [./plain]}
  - mcp: {name: far, url: "https://example.com/mcp"}
  - mcp: {name: known, command: [sh, -c, "exit 1"]}
  - agent: {file: inner.yaml, name: inner, description: another agent}
`)
	b.write("inner.yaml", say+"tools: [{mcp: {name: inside, command: [none-either]}}]\n")
	b.write("plain", "#!/bin/sh\n")
	b.write("server", "#!/bin/sh\n")
	require.NoError(t, os.Chmod(b.path("server"), 0o700))
	require.Equal(t, exitOK, b.run("validate"), &b.err)
	for _, flags := range [][]string{nil, {"--online"}} {
		found := b.examined(exitUsage, flags...)
		require.Equal(t, check{
			"MCP server missing", checkFailed, `exec: "no-such-program": executable file not found in $PATH`,
			"install the program, or correct the command in the manifest",
		}, found["MCP server missing"])
		require.Equal(t, check{"MCP server here", checkOK, b.path("server") + " can be executed; doctor does not start it", ""}, found["MCP server here"])
		require.Contains(t, found["MCP server plain"].Found, "permission denied")
		require.Equal(t, checkOK, found["MCP server known"].Outcome)
		require.Equal(t, checkFailed, found["MCP server inside"].Outcome, "the server of an agent that is a tool")
		require.NotContains(t, found, "MCP server far")
		require.Equal(t, checkOK, found["agent"].Outcome)
		require.NotContains(t, b.out.String(), "s3cret")
	}
}

// A database or recording that others can read gives away conversations.
func TestDoctorOfFilesThatOthersCanRead(t *testing.T) {
	t.Parallel()
	b := threads(t, noting)
	b.must(exitOK, "run", "--thread", "ada", "hi")
	b.write("run.cassette", "x")
	b.write("notes.txt", "x")
	for _, file := range []string{"agent.db", "run.cassette"} {
		require.NotContains(t, b.examined(exitOK), "access to "+file)
	}
	for _, test := range []struct {
		file string
		mode os.FileMode
		says string
	}{
		{"agent.db", 0o644, " has the mode 0644, so others than its owner can read it; it holds conversations"},
		{"agent.db", 0o620, " has the mode 0620, so others than its owner can read and change it; it holds conversations"},
		{"run.cassette", 0o640, " has the mode 0640, so others than its owner can read it; it holds conversations"},
		{"run.cassette", 0o602, " has the mode 0602, so others than its owner can read and change it; it holds conversations"},
	} {
		require.NoError(t, os.Chmod(b.path(test.file), test.mode))
		require.NoError(t, os.Chmod(b.path("notes.txt"), test.mode))
		found := b.examined(exitOK)
		require.Equal(t, check{
			"access to " + test.file, checkNote, b.path(test.file) + test.says, "chmod 600 " + b.path(test.file),
		}, found["access to "+test.file])
		require.NotContains(t, found, "access to notes.txt")
	}
}
