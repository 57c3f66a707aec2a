package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// slowly is a provider whose first answer starts and never ends. Later answers say how many messages the request had.
func slowly(t *testing.T) (address string) {
	t.Helper()
	var calls atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Messages []json.RawMessage `json:"messages"`
		}
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		piece := func(delta, finish string) {
			fmt.Fprintf(w, `data: {"id":"1","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":%s,"finish_reason":%s}]}`+"\n\n", delta, finish)
			_ = http.NewResponseController(w).Flush()
		}
		if calls.Add(1) == 1 {
			piece(`{"role":"assistant","content":"It was a \u001b[2Jdark"}`, "null")
			<-r.Context().Done()
			return
		}
		piece(fmt.Sprintf(`{"role":"assistant","content":"%d messages"}`, len(asked.Messages)), "null")
		piece("{}", `"stop"`)
		fmt.Fprint(w, "data: [DONE]\n\n")
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestAChatIsStoppedAndGoesOn(t *testing.T) {
	t.Parallel()
	b := setup(t, "apiVersion: agenthost/v1\nmodel: {provider: openai, name: m, base_url: \""+slowly(t)+"/v1\"}\ncheckpoint: sqlite:agent.db\n")
	s := start(t, nil, "chat", "-f", b.path("agenthost.yaml"), "--thread", "ada")
	s.expect("model openai:m, thread ada (kept in the manifest's checkpoint)")
	s.expect("> ")
	s.typeIn("tell me a story\r")
	s.expect("It was a \uFFFD[2Jdark")
	s.typeIn("\x03")
	s.expect("· stopped before model: /retry continues, a new message abandons the run")
	s.expect("> ")
	s.typeIn("/retry\r")
	s.expect("1 messages")
	s.expect("> ")
	s.typeIn("and\x1b\rthen\r")
	s.expect("3 messages")
	s.expect("> ")
	s.typeIn("\x1b[A\r") // the arrow up
	s.expect("5 messages")
	s.expect("> ")
	s.typeIn("half a line\x03")
	s.typeIn("\x03")
	require.Equal(t, exitOK, s.exit(), s.seen.String())
	require.Contains(t, s.seen.String(), "· to continue this chat:\r\n  agenthost chat --thread ada -f "+b.path("agenthost.yaml")+"\r\n")
	messages := b.shown("ada").Messages
	require.Len(t, messages, 6)
	require.Equal(t, "and\nthen", messages[2].Content.Text())
	require.Equal(t, "and\nthen", messages[4].Content.Text())
}

func TestAChatOnAServerIsStoppedAndGoesOn(t *testing.T) {
	t.Parallel()
	b := setup(t, "apiVersion: agenthost/v1\nmodel: {provider: openai, name: m, base_url: \""+slowly(t)+"/v1\"}\ncheckpoint: sqlite:agent.db\n")
	address := b.serves()
	s := start(t, nil, "chat", "--server", address, "--thread", "ada")
	s.expect("agent agent of " + address + ", thread ada (kept by the server)")
	s.expect("> ")
	s.typeIn("tell me a story\r")
	s.expect("It was a \uFFFD[2Jdark")
	s.typeIn("\x03")
	s.expect("· stopped before model: /retry continues, a new message abandons the run")
	s.expect("> ")
	s.typeIn("/retry\r")
	s.expect("1 messages")
	s.expect("> ")
	s.typeIn("\x04")
	require.Equal(t, exitOK, s.exit(), s.seen.String())
	require.Contains(t, s.seen.String(), "· to continue this chat:\r\n  agenthost chat --thread ada --server "+address+" --agent agent\r\n")
}

func TestWhatIsTypedWhileTheAgentAnswersIsKept(t *testing.T) {
	t.Parallel()
	b := setup(t, "apiVersion: agenthost/v1\nmodel: {provider: openai, name: m, base_url: \""+slowly(t)+"/v1\"}\ncheckpoint: sqlite:agent.db\n")
	s := start(t, nil, "chat", "-f", b.path("agenthost.yaml"), "--thread", "ada")
	s.expect("> ")
	s.typeIn("tell me a story\r")
	s.expect("It was a")
	s.typeIn("日本語\x7f\x1b[De\u0301\x1b[200~\npasted\x1b[201~")
	s.typeIn("\x03")
	s.expect("· stopped before model: /retry continues, a new message abandons the run\r\n")
	between := s.read
	s.expect("> 日e\u0301⏎pasted本")
	require.NotContains(t, s.seen.String()[:between], "日")
	s.typeIn("\r")
	s.expect("2 messages")
	s.expect("> ")
	s.typeIn("\x04")
	require.Equal(t, exitOK, s.exit(), s.seen.String())
	require.Equal(t, "日e\u0301\npasted本", b.shown("ada").Messages[1].Content.Text())
}

func TestWhatIsTypedWhileTheAgentWorksAnswersNoQuestion(t *testing.T) {
	t.Parallel()
	b := threads(t, noting)
	s := start(t, nil, "chat", "-f", b.path("agenthost.yaml"), "--thread", "ada")
	s.expect("> ")
	s.typeIn("note a\ra\r") // the second line arrives before the question
	s.expect("[r]eject > ")
	s.typeIn("r\n\n")
	s.expect("> a\r\n")
	s.expect("> ")
	s.typeIn("\x04")
	require.Equal(t, exitOK, s.exit(), s.seen.String())
	require.NoFileExists(t, b.path("data/a"))
}

func TestAChatAsksAtTheTerminal(t *testing.T) {
	t.Parallel()
	b := threads(t, noting)
	s := start(t, []string{"VISUAL=" + b.path("edit")}, "chat", "-v", "-f", b.path("agenthost.yaml"), "--thread", "ada")
	b.write("edit", "#!/bin/sh\necho '{\"path\": \"edited\", \"content\": \"three\"}' >\"$1\"\n")
	require.NoError(t, os.Chmod(b.path("edit"), 0o700))
	s.expect("> ")
	s.typeIn("note a\r")
	s.expect("[r]eject > ")
	s.typeIn("\x03")
	s.expect("· the run waits before human_in_the_loop.after_model: /retry asks again, a new message abandons the run")
	s.expect("> ")
	s.typeIn("/ret\t\r")
	s.expect("[r]eject > ")
	s.typeIn("a\n")
	s.expect("· tool write_file {\"content\":\"one\",\"path\":\"a\"} → ")
	s.expect("written")
	s.expect("> ")
	s.typeIn("note b\r")
	s.expect("[r]eject > ")
	s.typeIn("e\n")
	s.expect("written")
	s.expect("> ")
	s.typeIn("/threads\r")
	s.expect("ada     8 ")
	s.expect("> ")
	s.typeIn("/state\r")
	s.expect("the last run is complete")
	s.expect("> ")
	s.typeIn("\x04")
	require.Equal(t, exitOK, s.exit(), s.seen.String())
	require.FileExists(t, b.path("data/a"))
	require.FileExists(t, b.path("data/edited"))
	require.NoFileExists(t, b.path("data/b"))
	require.Equal(t, 12, strings.Count(s.seen.String(), "\x1b[?2004h"), "pastes are bracketed at each prompt, and while the agent works")
	require.Equal(t, 12, strings.Count(s.seen.String(), "\x1b[?2004l"))
}

func TestAChatKeepsRules(t *testing.T) {
	t.Parallel()
	b := threads(t, noting)
	s := start(t, nil, "chat", "-f", b.path("agenthost.yaml"), "--thread", "ada")
	for _, step := range [][2]string{
		{"> ", "/rules\r"},
		{"the thread has no rules; answer 'always'", ""},
		{"> ", "note a\r"},
		{"[a]pprove  a[l]ways  [e]dit  [r]eject > ", "l\n"},
		{"  s: a call with the same arguments", ""},
		{"[b]ack > ", "s\n"},
		{"written", ""},
		{"> ", "note a\r"},
		{"written", ""},
		{"> ", "/rules\r"},
		{"  1  write_file, these arguments: human_in_the_loop does not ask", ""},
		{"> ", "/revoke 7\r"},
		{"the thread has no rule 7; /rules shows the rules", ""},
		{"> ", "/revoke x\r"},
		{"/revoke needs the number of a rule, or the word all", ""},
		{"> ", "/revoke\r"},
		{"/revoke needs an argument: /revoke NUMBER", ""},
		{"> ", "/revoke 1\r"},
		{"· calls of write_file need approval again", ""},
		{"> ", "note a\r"},
		{"[r]eject > ", "a\n"},
		{"written", ""},
		{"> ", "/revoke all\r"},
		{"· the thread has no rules", ""},
		{"> ", "\x04"},
	} {
		s.expect(step[0])
		s.typeIn(step[1])
	}
	require.Equal(t, exitOK, s.exit(), s.seen.String())
}

func TestAChatEndsWithASignal(t *testing.T) {
	t.Parallel()
	b := setup(t, say)
	s := start(t, []string{reportsInterrupts + "=1"}, "chat", "-f", b.path("agenthost.yaml"))
	s.expect("in memory until the chat ends")
	s.expect("> ")
	require.NoError(t, s.command.Process.Signal(os.Interrupt), "it is for a turn, and there is none")
	s.expect(interruptSeen)
	s.typeIn("hi\r")
	s.expect("hello")
	s.expect("> ")
	require.NoError(t, s.command.Process.Signal(syscall.SIGTERM))
	require.Equal(t, exitSignal, s.exit(), s.seen.String())
	require.Contains(t, s.seen.String(), "agenthost: interrupted")
}
