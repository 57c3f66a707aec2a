package builtin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
)

// ToolCallLimit blocks tool calls beyond a limit, of one tool or of all tools together. An agent may have several.
//
// It looks at the unanswered calls of the model's answer in their order, and blocks those that exceed a limit. The thread's
// count includes the calls that were let through; the run's count includes the blocked ones, too. A limit of 0 blocks the
// first call.
//
// Behaviour and texts are those of LangChain 1.5.0's ToolCallLimitMiddleware, with two differences: a call that another
// limiter or a review has answered is neither counted nor answered again, and the run's count survives interrupts. Calls
// that hooks and tools make by themselves count too; beyond the limit, such a call is answered with the error, or fails the
// run.
type ToolCallLimit struct {
	ToolName    string `yaml:"tool_name"`    // the tool whose calls count; "": all
	ThreadLimit *int   `yaml:"thread_limit"` // calls in the thread; nil: no limit
	RunLimit    *int   `yaml:"run_limit"`    // calls in a run; nil: no limit

	// ExitBehavior is what happens when a call is blocked. "continue" (or ""): blocked calls are answered with an error, the
	// others run, and the model goes on. "end": no call of the answer runs, each is answered with an error, and the run ends
	// with a message. "error": the run fails with a LimitError, and the calls stay open.
	ExitBehavior string `yaml:"exit_behavior" schema:"default=continue,enum=continue|end|error"`
	// Optional permits a tool_name that the agent does not have. Without it that is an error, because a misspelt name would limit
	// nothing. Set it for a tool that appears only while the agent runs.
	Optional bool `yaml:"optional"`
}

var toolCallLimitEntry = Entry{
	Name:    "tool_call_limit",
	Summary: "limits the tool calls of a run or thread, of all tools or of one",
	Example: `- tool_call_limit:
    tool_name: search
    run_limit: 5
    exit_behavior: continue
`,
	Needs: needsSearch,
	New:   func() host.Middleware { return &ToolCallLimit{} },
}

// The counts are maps from a tool, or allTools, to a number. All limiters share them: each runs in a step of its own and
// changes only its own key.
var (
	threadToolCalls = host.NewField[map[string]int]("thread_tool_call_count", host.Hidden)
	runToolCalls    = host.NewField[map[string]int]("run_tool_call_count", host.Hidden, host.Lives(host.LifetimeRun))
)

// allTools is the key of limiters without a tool name.
const allTools = "__all__"

// stoppedText answers the calls within the limit when a limiter ends the run.
const stoppedText = "Execution stopped before this tool call could run because another tool call in the same batch " +
	"exceeded the limit."

// Name returns "tool_call_limit", followed by the tool's name in brackets if the limit is for one tool.
func (l ToolCallLimit) Name() string {
	if l.ToolName == "" {
		return "tool_call_limit"
	}
	return "tool_call_limit[" + l.ToolName + "]"
}

// Hooks checks the limits.
func (l ToolCallLimit) Hooks(context.Context, host.Env) (*host.Hooks, error) {
	if err := checkLimits(l.ThreadLimit, l.RunLimit); err != nil {
		return nil, err
	}
	if l.ThreadLimit != nil && l.RunLimit != nil && *l.RunLimit > *l.ThreadLimit {
		//nolint:staticcheck // the text is LangChain's
		return nil, fmt.Errorf("run_limit (%d) cannot exceed thread_limit (%d). "+
			"The run limit should be less than or equal to the thread limit.", *l.RunLimit, *l.ThreadLimit)
	}
	switch l.ExitBehavior {
	case "", "continue", "error", "end":
	default:
		return nil, fmt.Errorf("invalid exit_behavior: '%s'. Must be one of ('continue', 'error', 'end')", l.ExitBehavior)
	}
	limiter := &toolCallLimiter{ToolCallLimit: l}
	hooks := &host.Hooks{
		AfterModel:   host.NodeHook{Func: limiter.check, CanJumpTo: []abi.Target{abi.JumpEnd}},
		WrapToolCall: host.WrapToolHook{Func: limiter.wrap, Nested: true},
		State:        []host.Field{threadToolCalls.Field, runToolCalls.Field},
		End:          func(_ context.Context, run string) { limiter.forget(run) },
		Order: []host.Order{{
			Outside: "tool_retry", Reason: "inside of a retry it looks as if it counted attempts, but it counts calls in any position",
		}},
	}
	if l.ToolName != "" {
		hooks.WrapToolCall.Tools = []string{l.ToolName}
		if l.Optional {
			hooks.MayGuard = hooks.WrapToolCall.Tools
		} else {
			hooks.Guards = hooks.WrapToolCall.Tools
		}
	}
	return hooks, nil
}

// key returns the key of the limiter's counts.
func (l *ToolCallLimit) key() string {
	if l.ToolName == "" {
		return allTools
	}
	return l.ToolName
}

// toolCallLimiter is a [ToolCallLimit] in its agent. The after_model hook sees neither the calls that hooks and tools make
// by themselves, nor the calls that a review has changed into calls of another tool. A wrap limits these, and the next
// after_model hook adds them to the counts.
type toolCallLimiter struct {
	ToolCallLimit

	mu    sync.Mutex
	calls map[string]map[string]bool // by run and id, the calls that are not in the counts yet: whether they were let through
}

// check counts the open calls and blocks those beyond a limit.
func (l *toolCallLimiter) check(_ context.Context, rt *host.Runtime) (*host.Update, error) {
	messages := rt.State().Messages()
	open := slices.Collect(messages.OpenCalls(messages.LastAI()))
	nested := l.uncounted(rt.RunID())
	if len(open) == 0 && nested.all == 0 {
		return nil, nil
	}
	threadCounts, runCounts, err := toolCalls(rt)
	if err != nil {
		return nil, err
	}
	key := l.key()
	before := threadCounts[key] + nested.through
	thread, run := before, runCounts[key]+nested.all
	var blocked, others []*abi.ToolCall
	counted := nested.all > 0
	for _, call := range open {
		switch {
		case l.ToolName != "" && call.Name != l.ToolName:
			others = append(others, call)
		case exceeds(thread+1, l.ThreadLimit) || exceeds(run+1, l.RunLimit):
			blocked, counted = append(blocked, call), true
		default:
			thread, run = thread+1, run+1
			others, counted = append(others, call), true
		}
	}
	if !counted {
		return nil, nil
	}
	run += len(blocked)
	update := &host.Update{}
	if len(blocked) > 0 {
		switch l.ExitBehavior {
		case "error":
			return nil, l.failure(rt.Step(), thread+len(blocked), run)
		case "end":
			update.JumpTo = abi.JumpEnd
			update.Messages = append(l.answers(blocked, others), abi.AI(l.notice(thread+len(blocked), run)))
			thread = before // no call will run
		default:
			update.Messages = l.answers(blocked, nil)
		}
	}
	l.forget(rt.RunID())
	threadCounts, runCounts = with(threadCounts, key, thread), with(runCounts, key, run)
	return update, errors.Join(threadToolCalls.Set(update, threadCounts), runToolCalls.Set(update, runCounts))
}

// failure returns the error of a run that exceeds a limit. The counts include the blocked calls.
func (l *ToolCallLimit) failure(step string, thread, run int) *host.LimitError {
	return &host.LimitError{
		Code: host.CodeToolCallLimit, Message: l.notice(thread, run), Step: step, Tool: l.ToolName,
		ThreadCount: thread, ThreadLimit: l.ThreadLimit, RunCount: run, RunLimit: l.RunLimit,
	}
}

// answers returns an answer for each id. Two calls with one id get one answer.
func (l *ToolCallLimit) answers(blocked, stopped []*abi.ToolCall) []abi.Message {
	text := "Tool call limit exceeded. Do not make additional tool calls."
	if l.ToolName != "" {
		text = fmt.Sprintf("Tool call limit exceeded. Do not call '%s' again.", l.ToolName)
	}
	out := make([]abi.Message, 0, len(blocked)+len(stopped)+1)
	answered := make(map[string]bool, len(blocked)+len(stopped))
	for i, call := range slices.Concat(blocked, stopped) {
		if answered[call.ID] {
			continue
		}
		answered[call.ID] = true
		if i >= len(blocked) {
			text = stoppedText
		}
		out = append(out, abi.ToolFailure(*call, text))
	}
	return out
}

// notice says which limit was exceeded. The counts include the blocked calls.
func (l *ToolCallLimit) notice(thread, run int) string {
	subject := "Tool"
	if l.ToolName != "" {
		subject = fmt.Sprintf("'%s' tool", l.ToolName)
	}
	var exceeded []string
	if exceeds(thread, l.ThreadLimit) {
		exceeded = append(exceeded, fmt.Sprintf("thread limit exceeded (%d/%d calls)", thread, *l.ThreadLimit))
	}
	if exceeds(run, l.RunLimit) {
		exceeded = append(exceeded, fmt.Sprintf("run limit exceeded (%d/%d calls)", run, *l.RunLimit))
	}
	return fmt.Sprintf("%s call limit reached: %s.", subject, strings.Join(exceeded, " and "))
}

func exceeds(count int, limit *int) bool { return limit != nil && count > *limit }

// with sets a key of a map, which may be nil.
func with(counts map[string]int, key string, value int) map[string]int {
	if counts == nil {
		counts = map[string]int{}
	}
	counts[key] = value
	return counts
}

func toolCalls(rt *host.Runtime) (thread, run map[string]int, err error) {
	thread, _, threadErr := threadToolCalls.Get(rt.State())
	run, _, runErr := runToolCalls.Get(rt.State())
	return thread, run, errors.Join(threadErr, runErr)
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
