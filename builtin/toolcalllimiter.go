package builtin

import (
	"context"
	"sync"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
)

// toolCallLimiter is a limit in its agent. The calls that hooks and tools make by themselves no after_model hook sees, nor
// those that a review has made into calls of another tool: a wrap holds the limit there, and the next check of the model's
// calls adds them to the counts.
type toolCallLimiter struct {
	ToolCallLimit

	mu    sync.Mutex
	calls map[string]map[string]bool // that are not in the counts yet, by run and id: whether they were let through
}

// uncountedCalls are the calls of a run that are not in the counts yet.
type uncountedCalls struct{ through, all int }

func (l *toolCallLimiter) uncounted(run string) uncountedCalls {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.count(run)
}

// count counts while the lock is held.
func (l *toolCallLimiter) count(run string) (n uncountedCalls) {
	for _, through := range l.calls[run] {
		n.all++
		if through {
			n.through++
		}
	}
	return n
}

// forget forgets the calls of a run: they are counted, or the run is over.
func (l *toolCallLimiter) forget(run string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.calls, run)
}

// wrap counts a call that check did not see, and answers one beyond the limit. A call that is made again, after an
// interrupt say, counts once.
func (l *toolCallLimiter) wrap(
	ctx context.Context, rt *host.Runtime, req *host.ToolRequest, next host.ToolHandler,
) (*abi.Message, *host.Update, error) {
	if !rt.Nested() && (l.ToolName == "" || req.Asked.Name == l.ToolName) {
		message, err := next(ctx, req) // check has counted it, as what the model asked for
		return message, nil, err
	}
	threadCounts, runCounts, err := toolCalls(rt)
	if err != nil {
		return nil, nil, err
	}
	if !l.admit(rt.RunID(), req.Call.ID, threadCounts[l.key()], runCounts[l.key()]) {
		if l.ExitBehavior == "error" {
			n := l.uncounted(rt.RunID())
			return nil, nil, l.failure(rt.Step(), threadCounts[l.key()]+n.through+1, runCounts[l.key()]+n.all)
		}
		return &l.answers([]*abi.ToolCall{&req.Call}, nil)[0], nil, nil
	}
	message, err := next(ctx, req)
	return message, nil, err
}

// admit notes a call and reports whether it is within the limit.
func (l *toolCallLimiter) admit(run, id string, thread, inRun int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if through, again := l.calls[run][id]; again {
		return through
	}
	n := l.count(run)
	through := !exceeds(thread+n.through+1, l.ThreadLimit) && !exceeds(inRun+n.all+1, l.RunLimit)
	if l.calls == nil {
		l.calls = map[string]map[string]bool{}
	}
	if l.calls[run] == nil {
		l.calls[run] = map[string]bool{}
	}
	l.calls[run][id] = through
	return through
}
