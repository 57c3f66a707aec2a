package main

import (
	"bytes"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// noticing is an output that calls a function when a given text is written to it.
type noticing struct {
	text string
	do   func()
	once sync.Once
	all  bytes.Buffer
}

func (n *noticing) String() string { return n.all.String() }

// Write stores the bytes and looks for the text.
func (n *noticing) Write(p []byte) (int, error) {
	defer func() {
		if strings.Contains(n.String(), n.text) {
			n.once.Do(n.do)
		}
	}()
	return n.all.Write(p)
}

func TestAThreadThatIsInAnotherRun(t *testing.T) {
	t.Parallel()
	b := threads(t, noting)
	b.must(exitWaiting, "run", "--thread", "ada", "note a")
	release := b.hold("ada")
	for _, args := range [][]string{
		{"run", "--thread", "ada", "hi"}, {"run", "--thread", "ada", "--continue"}, {"resume", "ada", "--approve", "call-1"},
	} {
		b.must(exitFailed, args...)
		require.Contains(t, b.err.String(), `thread "ada": another run has the thread open; wait until it has ended: process `)
		require.Contains(t, b.err.String(), "\n  add --wait 30s to wait for it\n")
	}
	b.must(exitFailed, "resume", "ada", "--approve", "call-1", "--wait", "20ms")
	require.Contains(t, b.err.String(), "· thread \"ada\": waiting up to 20ms: another run has the thread open")

	out := &noticing{text: "waiting up to 1m0s", do: release}
	args := []string{"resume", "-f", b.path("agenthost.yaml"), "ada", "--approve", "call-1", "--wait", "1m", "--output", "jsonl"}
	b.out.Reset()
	require.Equal(t, exitOK, execute(t.Context(), args, streams{in: strings.NewReader(""), out: &b.out, err: out}), out.String())
	require.Equal(t, 1, strings.Count(out.String(), "waiting up to"), "once")
	require.Equal(t, 1, strings.Count(b.out.String(), `"type":"run"`), "it has begun once")
}
