package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/test/testservers"
)

// servedAt matches the address in the log of agenthost serve.
var servedAt = regexp.MustCompile(`"msg":"serving",.*"at":"(http://[^"]+)"`)

// listening is the log of a server. It tells the address that the server listens at.
type listening struct {
	mu      sync.Mutex
	all     bytes.Buffer
	address chan string
	told    bool
}

func (l *listening) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all.Write(p)
	if at := servedAt.FindSubmatch(l.all.Bytes()); at != nil && !l.told {
		l.told = true
		l.address <- string(at[1])
	}
	return len(p), nil
}

// serves runs agenthost serve for the agent of the bundle, and returns its address.
func (b *bundle) serves(args ...string) string {
	b.t.Helper()
	_, address := b.servesLogged(args...)
	return address
}

// servesLogged is like serves, and also returns the log.
func (b *bundle) servesLogged(args ...string) (*listening, string) {
	b.t.Helper()
	log := &listening{address: make(chan string, 1)}
	ctx, stop := context.WithCancel(context.WithoutCancel(b.t.Context()))
	ended := make(chan int, 1)
	go func() {
		args := append([]string{"serve", "-f", b.path("agenthost.yaml"), "--set", "name=agent", "--listen", "127.0.0.1:0"}, args...)
		ended <- execute(ctx, args, streams{in: strings.NewReader(""), out: log, err: log})
	}()
	b.t.Cleanup(func() {
		stop()
		require.Equal(b.t, exitOK, <-ended, &log.all)
	})
	select {
	case address := <-log.address:
		return log, address
	case code := <-ended:
		ended <- code
		b.t.Fatalf("the server ended: %s", &log.all)
	case <-time.After(time.Minute):
		b.t.Fatalf("the server does not listen: %s", &log.all)
	}
	return nil, ""
}

// text returns what was logged so far.
func (l *listening) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.String()
}

// there runs the command with the agent of a server, and requires the exit code.
func (b *bundle) there(code int, address string, args ...string) {
	b.t.Helper()
	args = append(args, "--server", address)
	require.Equal(b.t, code, b.runWith(b.t.Context(), "", args...), "%s\n%s%s", strings.Join(args, " "), &b.out, &b.err)
}

func TestARunOnAServer(t *testing.T) {
	t.Parallel()
	b := threads(t, noting)
	address := b.serves()
	b.there(exitOK, address, "run", "hi")
	require.Equal(t, "hello\n", b.out.String())
	require.Empty(t, b.err.String())

	b.there(exitWaiting, address, "run", "--thread", "ada", "note a")
	require.Empty(t, b.out.String())
	command := "agenthost resume ada --server " + address + " --agent agent --approve call-1\n"
	require.Contains(t, b.err.String(), "\nto continue it:\n  "+command)

	b.there(exitUsage, address, "run", "--thread", "ada", "hi")
	require.Contains(t, b.err.String(), `thread "ada": its run waits for an answer, and a new prompt would give it up:`)
	require.Contains(t, b.err.String(), command)
	b.there(exitWaiting, address, "resume", "ada")
	require.NoFileExists(t, b.path("data/a"))

	b.there(exitOK, address, "resume", "ada", "--approve", "call-1")
	require.Equal(t, "written\n", b.out.String())
	require.Equal(t, "· tool write_file {\"content\":\"one\",\"path\":\"a\"}\n", b.err.String())
	require.FileExists(t, b.path("data/a"))

	b.there(exitUsage, address, "resume", "bo")
	require.Equal(t, "agenthost: thread \"bo\": there is no such thread\n", b.err.String())
}

func TestARunOnAServerInDocuments(t *testing.T) {
	t.Parallel()
	b := threads(t, noting)
	address := b.serves()
	b.there(exitOK, address, "run", "-o", "json", "--thread", "ada", "hi")
	var result resultDocument
	require.NoError(t, json.Unmarshal(b.out.Bytes(), &result))
	require.Equal(t, host.Completed, result.Status)
	require.Equal(t, "hello", result.Answer)
	require.Equal(t, "ada", result.Thread)
	require.Len(t, result.Messages, 2)

	b.there(exitOK, address, "run", "-o", "jsonl", "--thread", "ada", "hi")
	var types []string
	text := ""
	for line := range strings.Lines(b.out.String()) {
		var e host.Event
		require.NoError(t, json.Unmarshal([]byte(line), &e))
		require.Equal(t, "ada", e.Thread)
		require.EqualValues(t, len(types)+1, e.Seq)
		types = append(types, string(e.Type))
		text += e.Text
	}
	require.Equal(t, "hello", text)
	require.Equal(t, []string{"run", "step", "step", "token", "model", "state", "step", "end"}, types)
}

func TestARunOnAServerAtATerminal(t *testing.T) {
	t.Parallel()
	b := threads(t, noting)
	address := b.serves()
	at := func(code int, typed string, args ...string) {
		t.Helper()
		b.out.Reset()
		b.err.Reset()
		args = append(args, "--server", address, "--agent", "agent")
		got := execute(t.Context(), args, streams{in: strings.NewReader(typed), out: &b.out, err: &b.err, terminal: true})
		require.Equal(t, code, got, "%s%s", &b.out, &b.err)
	}
	at(exitOK, "a\n", "run", "--thread", "ada", "note a")
	require.Equal(t, "written\n", b.out.String())
	require.NotContains(t, b.err.String(), "[A]lways", "a rule is kept in the thread, which only the server has")

	at(exitWaiting, "", "run", "--thread", "ada", "note b")
	at(exitWaiting, "n\n", "run", "--thread", "ada", "hi")
	require.Contains(t, b.err.String(), "Give up that run and send the prompt?")
	at(exitOK, "y\n", "run", "--thread", "ada", "hi")
	require.Equal(t, "hello\n", b.out.String())
	require.NoFileExists(t, b.path("data/b"))
}

func TestARunOnAServerStopsAtLimitsAndBreakpoints(t *testing.T) {
	t.Parallel()
	b := setup(t, calling+"interrupt_before: [tools]\n")
	address := b.serves()
	b.there(exitWaiting, address, "run", "--thread", "ada", "hi")
	require.Contains(t, b.err.String(), "the run is interrupted at a breakpoint, before tools\n")
	b.there(exitWaiting, address, "run", "--thread", "ada", "--continue")
	b.there(exitLimit, address, "run", "--max-steps", "1", "hi")
	require.Contains(t, b.err.String(), "recursion limit of 1 reached")

	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, `{"error": {"message": "there is no model m"}}`, http.StatusNotFound)
	}))
	t.Cleanup(provider.Close)
	failing := setup(t, "apiVersion: agenthost/v1\nmodel: {provider: openai, name: m, base_url: \""+provider.URL+"/v1\"}\n")
	failing.there(exitProvider, failing.serves(), "run", "--thread", "ada", "hi")
	require.Contains(t, failing.err.String(), "there is no model m")
	require.Contains(t, failing.err.String(), "the run stopped before model; to continue it:\n  agenthost resume ada --server ")
}

func TestAChatOnAServer(t *testing.T) {
	t.Parallel()
	b := threads(t, noting)
	address := b.serves()
	for _, test := range []struct {
		typed string
		code  int
		out   string
		err   string
	}{
		{"hi\nagain\n", exitOK, "hello\nhello\n", ""},
		{"two\n/state\n", exitOK, "hello\n", "\n  messages 2\n"},
		{"note a\n", exitWaiting, "", " --approve call-1\n"},
		{"/tools\n", exitUsage, "", "/tools is not there for an agent of a server"},
		{"/rules\n", exitUsage, "", "/rules is not there for an agent of a server"},
	} {
		args := []string{"chat", "--server", address, "--thread", strings.Fields(test.typed)[0][1:]}
		require.Equal(t, test.code, b.runWith(t.Context(), test.typed, args...), "%s\n%s%s", test.typed, &b.out, &b.err)
		require.Equal(t, test.out, b.out.String(), test.typed)
		require.Contains(t, b.err.String(), test.err, test.typed)
	}
	require.Equal(t, exitOK, b.runWith(t.Context(), "/threads\n", "chat", "--server", address))
	require.Regexp(t, `(?m)^ote +2 .* waiting \(1\)$`, b.err.String())
	require.Regexp(t, `(?m)^wo +2 .* done$`, b.err.String())
}

func TestAModelOfTheServer(t *testing.T) {
	t.Parallel()
	b := setup(t, say+"models: {fast: {provider: scripted, turns: [{content: quick}], after_end: repeat_last}}\n")
	address := b.serves()
	b.there(exitOK, address, "run", "--model", "fast", "hi")
	require.Equal(t, "quick\n", b.out.String())
	b.there(exitUsage, address, "run", "--model", "slow", "hi")
	require.Contains(t, b.err.String(), `"slow"`)
	require.Equal(t, exitOK, b.runWith(t.Context(), "/model fast\nhi\n", "chat", "--server", address))
	require.Equal(t, "quick\n", b.out.String())
}

func TestAServerIsUsedOnlyWithItsKey(t *testing.T) {
	b := threads(t, noting)
	b.write("serve.yaml", "auth: {keys: [{key_env: AGENTHOST_TEST_KEY, owner: ada, scopes: [threads, runs]}]}\n")
	t.Setenv("AGENTHOST_TEST_KEY", "0123456789abcdef")
	address := b.serves("--config", b.path("serve.yaml"))
	b.there(exitUsage, address, "run", "hi")
	require.Contains(t, b.err.String(), "put your key into the variable AGENTHOST_SERVER_KEY")
	b.there(exitUsage, address, "run", "--header", "x-api-key=${AGENTHOST_NOT_SET}", "hi")
	require.Equal(t, "agenthost: --header x-api-key: the environment variable AGENTHOST_NOT_SET is not set\n", b.err.String())

	b.there(exitWaiting, address, "run", "--thread", "ada", "--header", "x-api-key=${AGENTHOST_TEST_KEY}", "note a")
	require.Contains(t, b.err.String(), " --header 'x-api-key=${AGENTHOST_TEST_KEY}' --approve call-1\n")
	b.there(exitWaiting, address, "resume", "--header", "x-api-key=0123456789abcdef", "ada")
	require.Contains(t, b.err.String(), " --header x-api-key=SECRET --approve call-1\n")
	require.NotContains(t, b.err.String(), "0123456789abcdef")
	t.Setenv("AGENTHOST_SERVER_KEY", "0123456789abcdef")
	b.there(exitOK, address, "resume", "ada", "--approve", "call-1")
}

func TestMistakesAboutServers(t *testing.T) {
	t.Parallel()
	b := threads(t, noting)
	address := b.serves()
	for _, test := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"run", "--server", address, "--agent", "bo", "hi"}, exitUsage, `the server has no agent "bo"; it has: agent`},
		{[]string{"run", "--server", address, "--set", "a=b", "hi"}, exitUsage, "--set is about an agent of this machine; leave it out, or leave out --server"},
		{[]string{"run", "--server", address, "-f", "x.yaml", "hi"}, exitUsage, "--manifest is about an agent of this machine"},
		{[]string{"run", "--server", address, "--wait", "1s", "--thread", "t", "hi"}, exitUsage, "--wait is about an agent of this machine"},
		{[]string{"resume", "ada", "--server", address, "--always", "call-1"}, exitUsage, "--always is about an agent of this machine"},
		{[]string{"run", "--agent", "bo", "hi"}, exitUsage, "--agent says something about a server; name the server with --server URL"},
		{[]string{"run", "--server", "", "hi"}, exitUsage, "--server: the address is empty"},
		{[]string{"run", "--server", "here", "hi"}, exitUsage, "--server: url: the URL is invalid"},
		{[]string{"run", "--server", "http://127.0.0.1:1", "hi"}, exitFailed, "connection refused; start it with 'agenthost serve', or correct the address"},
		{[]string{"run", "--server", strings.Replace(address, "http:", "https:", 1), "hi"}, exitUsage, "--server: the server speaks HTTP without TLS; write http:// in place of https://"},
		{[]string{"run", "--server", address, "--header", "x", "hi"}, exitUsage, "--header: write it as NAME=VALUE"},
		{[]string{"run", "--server", address, "--header", "x y=z", "hi"}, exitUsage, "not a valid header name"},
		{[]string{"run", "--server", address, "--thread", "ffffffff-0000-4000-8000-000000000000", "hi"}, exitUsage, "the server refuses"},
		{[]string{"run", "--server", address, "--checkpoint", "7", "--thread", "none", "hi"}, exitUsage, `thread "none": there is no such thread`},
	} {
		require.Equal(t, test.code, b.runWith(t.Context(), "", test.args...), "%s\n%s", strings.Join(test.args, " "), &b.err)
		require.Contains(t, b.err.String(), test.want)
	}
}

// LangGraph's own server, which has neither our ids of checkpoints nor our names of stop reasons.
func TestARunOnLangGraphsServer(t *testing.T) {
	t.Parallel()
	address := testservers.LangGraph(t, filepath.Join("..", "..", "examples", "async-subagents", "server"))
	b := setup(t, say)
	b.there(exitOK, address, "run", "--thread", "ada", "hello")
	require.Equal(t, "I did this: hello\n", b.out.String())
	b.there(exitWaiting, address, "run", "--thread", "ada", "ask")
	answer := regexp.MustCompile(`--agent worker --respond ([0-9a-f]+) --message ANSWER\n`).FindStringSubmatch(b.err.String())
	require.NotNil(t, answer, &b.err)
	b.there(exitUsage, address, "run", "--thread", "ada", "hello")
	b.there(exitOK, address, "resume", "ada", "--respond", answer[1], "--message", "forty-two")
	require.Equal(t, "I did this: forty-two\n", b.out.String())
	b.there(exitFailed, address, "run", "--thread", "bo", "fail")
	require.Contains(t, b.err.String(), "agenthost: the agent failed\n  the run stopped before work; to continue it:\n")
	b.there(exitLimit, address, "run", "--timeout", "1s", "sleep")
	require.Contains(t, b.err.String(), "the run took longer than --timeout 1s")
	require.Equal(t, exitOK, b.runWith(t.Context(), "hello\n/state\n/threads\n", "chat", "--server", address, "--thread", "cy"))
	require.Equal(t, "I did this: hello\n", b.out.String())
	require.Contains(t, b.err.String(), "thread cy: the last run is complete\n  messages 2\n")
	require.Regexp(t, `(?m)^ada +4 .* done$`, b.err.String())
}
