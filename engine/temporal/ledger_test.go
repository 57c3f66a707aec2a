package temporal_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// effect is one start of a tool.
type effect struct {
	key, tool, thread string
	pid               int
	began             time.Time
	ended             bool
}

// ledger notes what tools really did, in all processes.
type ledger struct {
	*httptest.Server

	mu      sync.Mutex
	effects []effect
}

func newLedger(t *testing.T) *ledger {
	t.Helper()
	l := &ledger{}
	l.Server = httptest.NewServer(http.HandlerFunc(l.note))
	t.Cleanup(l.Close)
	return l
}

func (l *ledger) note(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	l.mu.Lock()
	defer l.mu.Unlock()
	if id := q.Get("ends"); id != "" {
		if at, err := strconv.Atoi(id); err == nil && at < len(l.effects) {
			l.effects[at].ended = true
		}
		return
	}
	pid, _ := strconv.Atoi(q.Get("pid"))
	l.effects = append(l.effects, effect{q.Get("key"), q.Get("tool"), q.Get("thread"), pid, time.Now(), false})
	_, _ = w.Write([]byte(strconv.Itoa(len(l.effects) - 1)))
}

// of returns the effects of a thread.
func (l *ledger) of(thread string) (out []effect) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.effects {
		if e.thread == thread {
			out = append(out, e)
		}
	}
	return out
}

// began waits until a thread has started a tool, and returns the first start.
func (l *ledger) began(t *testing.T, thread string) effect {
	t.Helper()
	require.Eventually(t, func() bool { return len(l.of(thread)) > 0 }, time.Minute, 5*time.Millisecond, "tools of %s", thread)
	return l.of(thread)[0]
}

// starts returns how often the tool calls of a thread started, the most often started first. Each has a key of its own.
func (l *ledger) starts(thread string) (counts []int) {
	by := map[string]int{}
	for _, e := range l.of(thread) {
		by[e.key]++
	}
	for _, n := range by {
		counts = append(counts, n)
	}
	slices.SortFunc(counts, func(a, b int) int { return b - a })
	return counts
}
