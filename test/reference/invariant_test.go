package reference_test

import (
	"errors"
	"fmt"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/test/reference"
)

// thread is the content of one thread, as reconstructed from the events of its runs.
type thread struct {
	messages []abi.Message
	excused  map[string]bool // open calls that need no answer, by the id of their message and their own id
	counts   map[string]int  // thread counters
	problems []string
}

func newThread() *thread { return &thread{excused: map[string]bool{}, counts: map[string]int{}} }

func (th *thread) problemf(format string, args ...any) {
	th.problems = append(th.problems, fmt.Sprintf(format, args...))
}

// run checks one run. If a step stopped in the middle, the result shows more than the events.
func (th *thread) run(spec *reference.RunSpec, out *reference.Outcome, patches bool) {
	if fresh := len(spec.Messages) > 0; fresh {
		th.excuse() // calls that an earlier run, or the input, left open
	}
	for i := range out.Events {
		th.event(&out.Events[i])
	}
	if len(out.Messages) < len(th.messages) || (out.Status == host.Completed && len(out.Messages) > len(th.messages)) {
		th.problemf("the events tell of %d messages, the result has %d", len(th.messages), len(out.Messages))
	}
	for i := range min(len(out.Messages), len(th.messages)) {
		if out.Messages[i].ID != th.messages[i].ID || out.Messages[i].Content.Text() != th.messages[i].Content.Text() {
			th.problemf("message %d is not as the events tell", i)
		}
	}
	answers(th, out.Messages) // includes the results of calls whose siblings are not done, which events report later
	switch out.Status {
	case host.Completed:
		for _, call := range th.open() {
			if !th.excused[call] {
				th.problemf("the run is completed, but the call %s is open", call)
			}
		}
	case host.Failed:
		th.failed(out.Err())
	default:
	}
	if requests := out.ModelRequests(); patches && len(spec.Messages) > 0 && len(requests) > 0 {
		th.validRequest(requests[0])
	}
}

func (th *thread) event(e *host.Event) {
	switch e.Type {
	case host.EventHook:
		if e.Update != nil && (e.Update.JumpTo == abi.JumpModel || e.Update.JumpTo == abi.JumpEnd) {
			th.excuse()
		}
	case host.EventState:
		th.state(e)
	default:
	}
}

// state applies a state event.
func (th *thread) state(e *host.Event) {
	if e.Reset {
		th.messages = nil
	}
	th.messages = slices.DeleteFunc(slices.Clone(th.messages), func(m abi.Message) bool { return slices.Contains(e.Remove, m.ID) })
	for _, changed := range e.Patch {
		at := slices.IndexFunc(th.messages, func(m abi.Message) bool { return m.ID == changed.ID })
		if at < 0 {
			th.problemf("a state event patches the message %s, which is not there", changed.ID)
			continue
		}
		th.messages[at] = changed
	}
	th.messages = append(th.messages, e.Messages...)
	if e.Step == "input" {
		th.excuse()
	}
	th.count("model calls", e.State.Get("thread_model_call_count"))
	for tool, n := range e.State.Get("thread_tool_call_count").Pairs() {
		th.count("calls of "+string(tool), n)
	}
}

// count checks that a thread counter does not go backwards.
func (th *thread) count(what string, value wire.Raw) {
	n, ok := value.AsInt()
	if !ok {
		return
	}
	if int(n) < th.counts[what] {
		th.problemf("the thread's count of %s goes from %d to %d", what, th.counts[what], n)
	}
	th.counts[what] = int(n)
}

// open returns the unanswered calls.
func (th *thread) open() (calls []string) {
	for i := range th.messages {
		m := &th.messages[i]
		for _, id := range callIDs(m) {
			if countAnswers(th.messages[i+1:], id, true) == 0 {
				calls = append(calls, m.ID+" "+id)
			}
		}
	}
	return calls
}

// callIDs returns the ids of a message's calls, malformed ones included.
func callIDs(m *abi.Message) []string {
	ids := make([]string, 0, len(m.ToolCalls))
	for i := range m.ToolCalls {
		ids = append(ids, m.ToolCalls[i].ID)
	}
	for i := range m.InvalidToolCalls {
		ids = append(ids, m.InvalidToolCalls[i].ID)
	}
	return ids
}

// countAnswers counts the messages that answer an earlier call. It stops at a later message that makes a call with the
// same id or, unless far is set, at the next AI message.
func countAnswers(behind []abi.Message, id string, far bool) int {
	n := 0
	for i := range behind {
		if behind[i].Role == abi.RoleAI && (!far || slices.Contains(callIDs(&behind[i]), id)) {
			return n
		}
		if behind[i].Role == abi.RoleTool && behind[i].ToolCallID == id {
			n++
		}
	}
	return n
}

func (th *thread) excuse() {
	for _, call := range th.open() {
		th.excused[call] = true
	}
}

// answers checks that no call is answered twice, and that every answer follows its call.
func answers(th *thread, messages []abi.Message) {
	for i := range messages {
		m := &messages[i]
		for _, id := range callIDs(m) {
			if n := countAnswers(messages[i+1:], id, true); n > 1 {
				th.problemf("the call %s %s is answered %d times", m.ID, id, n)
			}
		}
		if m.Role == abi.RoleTool && !slices.ContainsFunc(messages[:i], func(before abi.Message) bool {
			return slices.Contains(callIDs(&before), m.ToolCallID)
		}) {
			th.problemf("the message %s answers the call %s, which nobody made before it", m.ID, m.ToolCallID)
		}
	}
}

// failed checks a run that the agent's own limits ended. It must not leave a call open that it would have run.
func (th *thread) failed(err error) {
	limit, ok := errors.AsType[*host.LimitError](err)
	if !ok || limit.Code != host.CodeToolCallLimit || (limit.Step != host.ModelStep && limit.Step != host.ToolsStep) {
		return
	}
	for _, call := range th.open() {
		if !th.excused[call] {
			th.problemf("the run ended by a limit, but the call %s is open", call)
		}
	}
}

// validRequest checks that a provider would accept these messages. Each call must be answered once, before the next
// message of the model, and nothing else may be answered.
func (th *thread) validRequest(messages []abi.Message) {
	answers := 0
	for i := range messages {
		if messages[i].Role == abi.RoleTool {
			answers++
		}
		for _, id := range callIDs(&messages[i]) {
			if n := countAnswers(messages[i+1:], id, false); n != 1 {
				th.problemf("the first request of a run has %d answers to the call %s", n, id)
			}
			answers--
		}
	}
	if answers != 0 {
		th.problemf("the first request of a run has %d answers too many", answers)
	}
}
