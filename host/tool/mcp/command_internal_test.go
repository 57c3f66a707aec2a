package mcp

import (
	"io"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A connection that fails is closed while the last words of its command may still be unread.
func TestEndLeavesTimeToReadTheLastWords(t *testing.T) {
	t.Parallel()
	started := make(chan *process, 1)
	var once sync.Once
	// What the reader does not hold yet when the process ends: the first line fills its buffer.
	first := strings.Repeat("x", 8<<10)
	p, err := start(&Config{Command: []string{"sh", "-c", `echo "$FIRST" >&2; echo "there is no config" >&2; exit 1`}, Env: map[string]string{"FIRST": first}},
		func(string) {
			once.Do(func() {
				p := <-started
				<-p.Exited()
				go p.end() //nolint:errcheck // it never fails
				closed := func() bool { return p.stderr.SetReadDeadline(time.Time{}) != nil }
				for wait := time.Now().Add(100 * time.Millisecond); time.Now().Before(wait) && !closed(); {
					runtime.Gosched()
				}
			})
		})
	require.NoError(t, err)
	started <- p

	require.True(t, strings.HasSuffix(p.fate(), " / there is no config"), "the last line was lost")
	require.NoError(t, p.end())
	require.ErrorIs(t, p.stderr.Close(), os.ErrClosed)
}

// A program that ends at once may be found out by a failed write, before its output has been read to the end.
func TestAClosedOutputIsAnEnd(t *testing.T) {
	t.Parallel()
	read, write, err := os.Pipe()
	require.NoError(t, err)
	defer func() { _ = write.Close() }() // a pipe
	l := newLines(read, io.Discard, read.Close, func(string, ...any) {})
	require.NoError(t, l.Close())
	<-l.over
	require.Equal(t, io.EOF, l.fault)
}
