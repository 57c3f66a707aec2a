package builtin

import (
	"context"
	"sync"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
)

// toolCallLimiter is a [ToolCallLimit] in its agent. The after_model hook sees neither the calls that hooks and tools make
// by themselves, nor the calls that a review has changed into calls of another tool. A wrap limits these, and the next
// after_model hook adds them to the counts.
type toolCallLimiter struct {
	ToolCallLimit

	mu    sync.Mutex
	calls map[string]map[string]bool // by run and id, the calls that are not in the counts yet: whether they were let through
}

// uncountedCalls are the numbers of a run's calls that are not in the counts yet.
type uncountedCalls struct{ through, all int }

func (l *toolCallLimiter) uncounted(run string) uncountedCalls {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.count(run)
}

// count counts the calls of a run. The caller holds the lock.
func (l *toolCallLimiter) count(run string) (n uncountedCalls) {
	for _, through := range l.calls[run] {
		n.all++
		if through {
			n.through++
		}
	}
	return n
}

// forget forgets the calls of a run, because they are in the counts or the run has ended.
func (l *toolCallLimiter) forget(run string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.calls, run)
}

// wrap counts a call that check has not seen, and answers it if it is beyond the limit. A call that is repeated, for
// example after an interrupt, counts once.
func (l *toolCallLimiter) wrap(
	ctx context.Context, rt *host.Runtime, req *host.ToolRequest, next host.ToolHandler,
) (*abi.Message, *host.Update, error) {
	if !rt.Nested() && (l.ToolName == "" || req.Asked.Name == l.ToolName) {
		message, err := next(ctx, req) // check has counted it as the call that the model asked for
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

// admit records a call and reports whether it is within the limit.
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
