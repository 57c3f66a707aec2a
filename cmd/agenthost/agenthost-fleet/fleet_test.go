package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/testsuite"

	"github.com/agenthost/agenthost/test/pgtest"
)

// binary is where make temporal installs the command line with the development server.
const binary = "../../../.bin/servers/temporal/temporal"

// commandVariable makes the test's program the command itself.
const commandVariable = "AGENTHOST_TEST_FLEET"

func TestMain(m *testing.M) {
	if os.Getenv(commandVariable) != "" {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
		code := execute(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
		stop()
		os.Exit(code)
	}
	os.Exit(pgtest.Main(m.Run))
}

// lines is what a process has written.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// child is the command in a process of its own.
type child struct {
	*exec.Cmd

	said *lines
	gone chan struct{}
}

// spawn starts the command, and kills it when the test ends.
func spawn(t *testing.T, dir string, args ...string) *child {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	c := &child{exec.CommandContext(context.WithoutCancel(t.Context()), self, args...), &lines{}, make(chan struct{})}
	c.Dir, c.Env, c.Stdout, c.Stderr = dir, append(os.Environ(), commandVariable+"=1"), c.said, c.said
	require.NoError(t, c.Start())
	go func() {
		defer close(c.gone)
		_ = c.Wait()
	}()
	t.Cleanup(c.kill)
	return c
}

// says waits until the command says that it does its work.
func (c *child) says(t *testing.T, what string) {
	t.Helper()
	require.Eventually(t, func() bool { return strings.Contains(c.said.String(), what) }, time.Minute, 20*time.Millisecond, "%v: %s", c.Args, c.said)
}

func (c *child) kill() {
	_ = c.Process.Kill()
	<-c.gone
}

// begin starts the command, and waits until it says that it does its work. When the test ends, the command must stop without an error.
func begin(t *testing.T, dir, says string, args ...string) *lines {
	t.Helper()
	c := spawn(t, dir, args...)
	t.Cleanup(func() {
		_ = c.Process.Signal(syscall.SIGTERM)
		<-c.gone
		require.True(t, c.ProcessState.Success(), c.said)
	})
	c.says(t, says)
	return c.said
}

// health matches the address of a process for operators in its log.
var health = regexp.MustCompile(`serving metrics.*at=(http://[^/ ]+)/metrics`)

// ask returns what a process answers operators.
func (l *lines) ask(t *testing.T, path string) string {
	t.Helper()
	at := health.FindStringSubmatch(l.String())
	require.NotNil(t, at, l)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, at[1]+path, http.NoBody)
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer func() { require.NoError(t, response.Body.Close()) }()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, response.StatusCode, "%s", text)
	return string(text)
}

// run runs the command here.
func run(t *testing.T, args ...string) (code int, out string) {
	t.Helper()
	var text bytes.Buffer
	code = execute(t.Context(), args, strings.NewReader(""), &text, &text)
	return code, text.String()
}

func write(t *testing.T, path, text string) string {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// development starts a server of Temporal, and returns its address.
func development(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs(binary)
	require.NoError(t, err)
	server, err := testsuite.StartDevServer(t.Context(), testsuite.DevServerOptions{
		ExistingPath: path, LogLevel: "never", Stdout: io.Discard,
		ClientOptions: &client.Options{Logger: sdklog.NewStructuredLogger(slog.New(slog.DiscardHandler))},
		ExtraArgs:     []string{"--dynamic-config-value", "history.transferProcessorMaxPollRPS=2000"},
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Stop()) })
	return server.FrontendHostPort()
}

// listen listens at a free port of this machine.
func listen(t *testing.T) net.Listener {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	return listener
}

const agent = `
apiVersion: agenthost/v1
name: helper
model: {provider: scripted, turns: [{content: hello from a worker}], after_end: repeat_last}
`

func TestAFleet(t *testing.T) {
	t.Parallel()
	if os.Getenv("AGENTHOST_TEMPORAL") == "" {
		t.Skip("AGENTHOST_TEMPORAL is not set; make fleet-faults installs a server and sets it")
	}
	listener := listen(t)
	address := listener.Addr().String()
	require.NoError(t, listener.Close())
	dir := t.TempDir()
	manifest := write(t, filepath.Join(dir, "agent.yaml"), agent)
	serve := write(t, filepath.Join(dir, "serve.yaml"), fmt.Sprintf(`
listen: %s
storage: {postgres: "%s"}
log: {format: text}
metrics: {listen: "127.0.0.1:0"}
engine: {temporal: {address: %q, queue: test}}
`, address, pgtest.Address(t), development(t)))
	flags := []string{"-f", manifest, "--config", serve}

	code, found := run(t, append([]string{"doctor"}, flags...)...)
	require.Zero(t, code, found)
	require.Contains(t, found, "no worker waits at test, so runs wait too")
	require.Contains(t, found, "and its clock agrees with this machine's")
	require.Contains(t, found, "the first worker that starts promotes its own")

	worker := begin(t, dir, "working", append([]string{"worker"}, flags...)...)
	begin(t, dir, "serving", append([]string{"serve"}, flags...)...)
	thread := post(t, address, "/threads", `{}`)["thread_id"]
	values := post(t, address, fmt.Sprintf("/threads/%v/runs/wait", thread),
		`{"assistant_id": "helper", "input": {"messages": [{"role": "user", "content": "hi"}]}}`)
	text, err := json.Marshal(values)
	require.NoError(t, err)
	require.Contains(t, string(text), "hello from a worker")
	require.Equal(t, "ok\n", worker.ask(t, "/healthz"))
	require.Equal(t, "ok\n", worker.ask(t, "/readyz"))
	require.Contains(t, worker.ask(t, "/metrics"), `agenthost_runs_queued{gen_ai_agent_name="helper"} 0`)

	code, found = run(t, append([]string{"doctor"}, flags...)...)
	require.Zero(t, code, found)
	require.Contains(t, found, "new threads begin on the agents of these manifests")
	require.Contains(t, found, "workers at test: 1")

	write(t, manifest, agent+"middleware: [{model_call_limit: {run_limit: 20}}]\n")
	code, found = run(t, append([]string{"promote", "--wait", "1s"}, flags...)...)
	require.Equal(t, exitFailed, code)
	require.Contains(t, found, "no worker of this version has come to Temporal yet")
	begin(t, dir, "until you promote this one", append([]string{"worker"}, flags...)...)
	code, found = run(t, append([]string{"promote"}, flags...)...)
	require.Zero(t, code, found)
	require.Contains(t, found, "on the queue test")
}

func post(t *testing.T, address, path, body string) (out map[string]any) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address+path, strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer func() { require.NoError(t, response.Body.Close()) }()
	require.NoError(t, json.NewDecoder(response.Body).Decode(&out))
	require.Equal(t, http.StatusOK, response.StatusCode, out)
	return out
}

func TestWrongUsage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	manifest := write(t, filepath.Join(dir, "agent.yaml"), agent)
	nameless := write(t, filepath.Join(dir, "nameless.yaml"), "apiVersion: agenthost/v1\nmodel: {provider: scripted, echo: true}\n")
	database := "sqlite:" + filepath.Join(dir, "agents.db")
	keyless := write(t, filepath.Join(dir, "keyless.yaml"), "engine: {temporal: {api_key_env: AGENTHOST_TEST_NO_SUCH_KEY}}\n")
	for want, args := range map[string][]string{
		`there is no engine "river"; use process or temporal`:            {"serve", "-f", manifest, "--engine", "river"},
		"need a database that they share":                                {"worker", "-f", manifest},
		`"agent.yaml" is not a flag`:                                     {"worker", "agent.yaml"},
		"the agent has no name":                                          {"worker", "-f", nameless, "--storage", database},
		`another manifest has the name "helper" too`:                     {"worker", "-f", manifest, "-f", manifest, "--storage", database},
		"the environment variable AGENTHOST_TEST_NO_SUCH_KEY is not set": {"worker", "-f", manifest, "--storage", database, "--config", keyless},
		"missing.yaml: there is no such file (expected a manifest)":      {"worker", "-f", filepath.Join(dir, "missing.yaml"), "--storage", database},
		"none.yaml: there is no such file (expected a serve.yaml); name another one with --config FILE, or leave": {"worker", "-f", manifest, "--config", "none.yaml"},
		"unknown flag: --wrong": {"serve", "--wrong"},
	} {
		code, out := run(t, args...)
		require.Equal(t, exitUsage, code, out)
		require.Contains(t, out, want)
	}
}
