package main

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/internal/toolchain"
	"github.com/agenthost/agenthost/manifest"
	"github.com/agenthost/agenthost/test/pgtest"
)

// scratch is a directory that all tests share, with the user's cache of compiled plugins and a guest.
var scratch string

// asCommand is the environment variable that turns the test binary into the command.
const asCommand = "AGENTHOST_TEST_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		reportInterrupts()
		main()
	}
	if os.Getenv(asCounted) != "" {
		os.Exit(countedStart())
	}
	if len(os.Args) > 1 && os.Args[1] == compileCommand { // the test binary is the child that compiles
		os.Exit(execute(context.Background(), os.Args[1:], streams{in: os.Stdin, out: os.Stdout, err: os.Stderr}))
	}
	os.Exit(testMain(m))
}

func testMain(m *testing.M) int {
	for _, p := range manifest.Providers() { // init and doctor would find what the developer has
		for _, name := range append(p.KeyVariables, p.BaseURLVariable) {
			_ = os.Unsetenv(name)
		}
	}
	_ = os.Setenv("OLLAMA_HOST", "127.0.0.1:1") // nothing answers there
	var err error
	if scratch, err = os.MkdirTemp("", "agenthost"); err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	// Go's own cache stays where it is: in the directory of the tests, each guest would compile the standard library again.
	goCache, err := exec.CommandContext(context.Background(), "go", "env", "GOCACHE").Output()
	if err != nil {
		panic(err)
	}
	for name, value := range map[string]string{"XDG_CACHE_HOME": scratch, "GOCACHE": strings.TrimSpace(string(goCache))} {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	return pgtest.Main(m.Run)
}

// badGuest and forgerGuest build the plugins of testdata/guests with Go alone, once.
var (
	badGuest    = sync.OnceValues(func() (string, error) { return buildGuest("bad") })
	forgerGuest = sync.OnceValues(func() (string, error) { return buildGuest("forger") })
)

func buildGuest(name string) (string, error) {
	build := toolchain.Build{Dir: filepath.Join("testdata", "guests", name), Output: filepath.Join(scratch, name+".wasm"), Log: os.Stderr}
	module, err := build.Run(context.Background(), toolchain.Go)
	if err != nil {
		return "", err
	}
	// Compile it once, before parallel tests need it.
	execute(context.Background(), []string{"plugin", "check", module}, streams{in: os.Stdin, out: io.Discard, err: os.Stderr})
	return module, nil
}

func TestAPluginThatMisbehaves(t *testing.T) {
	t.Parallel()
	module, err := badGuest()
	require.NoError(t, err)
	tests := []struct {
		how    string
		policy string
		code   int
		says   []string
	}{
		{"trap", "closed", exitPlugin, []string{`plugin "bad"`, "after_model: trap", "panic: out of order"}},
		{"jump", "closed", exitPlugin, []string{"protocol", `jump_to "tools" is not declared in can_jump_to`}},
		{"state", "closed", exitPlugin, []string{"protocol", `field "secret" is not declared`}},
		{"error", "closed", exitFailed, []string{`middleware "bad": after_model: refused: not today`}},
		{"error", "open", exitFailed, []string{"refused: not today"}},
		{"ask", "closed", exitWaiting, []string{"waits for an answer", "approve of bad.after_model (id ask-", `  "shall I?"`}},
		{"trap", "open", exitOK, []string{"on_failure is open", "out of order"}},
		{"", "closed", exitOK, nil},
	}
	for _, test := range tests {
		t.Run(test.how+" "+test.policy, func(t *testing.T) {
			t.Parallel()
			b := setup(t, say+"middleware:\n  - plugin: "+module+"\n    config: {how: \""+test.how+"\"}\n    on_failure: "+test.policy+"\n")
			require.Equal(t, test.code, b.run("run", "--output", "json", "hi"), &b.err)
			for _, text := range test.says {
				require.Contains(t, b.err.String(), text)
			}
			require.Contains(t, b.out.String(), `"content": "hello"`, "the answer that the run had is not lost")
		})
	}
}

func TestInvalidUTF8InAFileIsShownAsSuch(t *testing.T) {
	t.Parallel()
	b := setup(t, "apiVersion: agenthost/v1\n"+
		"model: {provider: scripted, turns: [{tool_calls: [{id: a, name: read_file, args: {path: a.txt}}]}, {content: done}]}\n"+
		"tools:\n  - files: {root: ./data}\n")
	b.write("data/a.txt", "caf\xe9 au lait\n")
	require.Equal(t, exitOK, b.run("run", "--output", "json", "hi"), &b.err)
	require.Contains(t, b.out.String(), "caf\uFFFD au lait")
	require.Contains(t, b.out.String(), "UTF-8")
}
