package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// waiting is a provider that begins each answer when it may begin, and ends it when it may end.
func waiting(t *testing.T, begin, end <-chan struct{}) (manifest string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		wait := func(may <-chan struct{}) {
			select {
			case <-may:
			case <-r.Context().Done():
			}
		}
		piece := func(delta, finish string) {
			fmt.Fprintf(w, `data: {"id":"1","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":%s,"finish_reason":%s}]}`+"\n\n", delta, finish)
			_ = http.NewResponseController(w).Flush()
		}
		w.Header().Set("Content-Type", "text/event-stream")
		wait(begin)
		piece(`{"role":"assistant","content":"It was a dark "}`, "null")
		wait(end)
		piece(`{"content":"night."}`, "null")
		piece("{}", `"stop"`)
		fmt.Fprint(w, "data: [DONE]\n\n")
	}))
	t.Cleanup(server.Close)
	return "apiVersion: agenthost/v1\nmodel: {provider: openai, name: m, base_url: \"" + server.URL + "/v1\"}\ncheckpoint: sqlite:agent.db\n"
}

func TestARunStreamsAtATerminal(t *testing.T) {
	t.Parallel()
	begin, end := make(chan struct{}), make(chan struct{})
	b := setup(t, waiting(t, begin, end))
	s := start(t, []string{"TERM=xterm", "NO_COLOR="}, "run", "-f", b.path("agenthost.yaml"), "--thread", "ada", "a story")
	s.expect(" model 1s")
	close(begin)
	s.expect("It was a dark ")
	close(end)
	require.Equal(t, exitOK, s.exit(), s.seen.String())
	require.True(t, strings.HasSuffix(s.seen.String(), "\r\x1b[KIt was a dark night.\r\n"), "%q", s.seen.String())

	s = start(t, []string{"TERM=xterm"}, "run", "-q", "-f", b.path("agenthost.yaml"), "a story")
	require.Equal(t, exitOK, s.exit())
	require.Equal(t, "It was a dark night.\r\n", s.seen.String())
}

func TestNoColorLeavesOutTheProgressIndicator(t *testing.T) {
	t.Parallel()
	for _, environment := range [][]string{{"NO_COLOR=1", "TERM=xterm"}, {"NO_COLOR=", "TERM=dumb"}} {
		begin, end := make(chan struct{}), make(chan struct{})
		close(begin)
		b := setup(t, waiting(t, begin, end))
		s := start(t, environment, "run", "-f", b.path("agenthost.yaml"), "a story")
		s.expect("It was a dark ")
		close(end)
		require.Equal(t, exitOK, s.exit())
		require.Equal(t, "It was a dark night.\r\n", s.seen.String())
	}
}

func TestAQuestionAndResumeAtATerminalThatStreams(t *testing.T) {
	t.Parallel()
	b := threads(t, noting)
	s := start(t, []string{"NO_COLOR=1"}, "run", "-f", b.path("agenthost.yaml"), "--thread", "ada", "note a b")
	s.expect("[r]eject > ")
	s.typeIn("\x04")
	require.Equal(t, exitWaiting, s.exit(), s.seen.String())

	s = start(t, []string{"NO_COLOR=1"}, "resume", "-v", "-f", b.path("agenthost.yaml"), "ada")
	s.expect("[r]eject > ")
	s.typeIn("a\n")
	s.expect("[r]eject > ")
	s.typeIn("r\nnot this\n")
	require.Equal(t, exitOK, s.exit(), s.seen.String())
	require.Contains(t, s.seen.String(), "· tool write_file {\"content\":\"one\",\"path\":\"a\"} → ")
	require.True(t, strings.HasSuffix(s.seen.String(), "\r\nwritten\r\n"), "%q", s.seen.String())
}
