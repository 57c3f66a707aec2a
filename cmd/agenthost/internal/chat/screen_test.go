package chat_test

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/chat"
)

func TestAnswersInPieces(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	screen := &chat.Screen{Answers: &out, Notes: &out}
	for _, piece := range []string{"Gr", "\xc3", "\xbc\xc3", "\x9fe \xe5\xad", "\x97\x1b[2J", "\n", "", "\xff", "end"} {
		require.NoError(t, screen.Say(piece))
	}
	screen.Notef("a note")
	require.NoError(t, screen.Say("again\n"))
	require.NoError(t, screen.End())
	screen.Notef("another")
	require.Equal(t, "Grüße 字\uFFFD[2J\n\uFFFDend\na note\nagain\nanother\n", out.String())
}

func TestWhatGoesOnIsShown(t *testing.T) {
	t.Parallel()
	var out drawing
	ticks := make(chan time.Time)
	ended := 0
	screen := &chat.Screen{Answers: &out, Notes: &out, Ticks: func() (<-chan time.Time, func()) { return ticks, func() { ended++ } }}
	at := time.Unix(0, 0)
	tick := func(after time.Duration) {
		ticks <- at.Add(after)
		ticks <- at.Add(after) // the first was drawn
	}
	screen.Busy("model\x1b")
	tick(0)
	require.Contains(t, out.String(), "\r⠋ model  0s\x1b[K")
	screen.Busy("read_file")
	tick(3 * time.Second)
	require.Contains(t, out.String(), " read_file 3s\x1b[K")
	require.NoError(t, screen.Say("half"))
	before := out.String()
	require.True(t, strings.HasSuffix(before, "\r\x1b[Khalf"))
	tick(4 * time.Second)
	require.Equal(t, before, out.String(), "not in the middle of an answer")
	require.NoError(t, screen.End())
	tick(5 * time.Second)
	screen.Idle()
	screen.Idle()
	require.Equal(t, 1, ended)
	require.True(t, strings.HasSuffix(out.String(), "\r\x1b[K"))
	screen.Busy("again")
	tick(0)
	screen.Notef("a note")
	screen.Idle()
	require.Contains(t, out.String(), "\r\x1b[Ka note\n")
}

// drawing is a buffer for concurrent use.
type drawing struct {
	mu  sync.Mutex
	out bytes.Buffer
}

func (d *drawing) Write(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.out.Write(p)
}

func (d *drawing) String() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.out.String()
}
