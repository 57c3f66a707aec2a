package reference

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
)

// recorder notes what models and tools of an agent are asked to do. It is shared by calls that run at once.
type recorder struct {
	atOnce   bool // the calls of a batch may run at once
	mu       sync.Mutex
	requests []*request
	runs     []toolRun
	asked    abi.Message           // the last AI message that got into the history
	turns    map[string]int        // AI messages whose tools ran, in the order in which they did
	running  map[int]int           // slow tools at work, by turn
	most     map[int]int           // how many of them there were at once, at the most
	slow     map[int]int           // how many of them there were in all
	met      map[int]chan struct{} // closed when two of them were at work at once
}

// request is one recorded model call.
type request struct {
	model      string
	messages   []abi.Message // the system prompt first
	tools      []string
	toolChoice string
	settings   wire.Map
	native     bool // the provider is asked for a structured answer
	structured bool // a structured value is asked for, beside the conversation
}

// toolRun is one recorded execution of a tool.
type toolRun struct {
	id, name string
	args     wire.Raw
	turn     int // of the AI message that asked for it
	position int // of the call in that message
}

func newRecorder() *recorder {
	r := &recorder{}
	r.reset()
	return r
}

// reset forgets everything: a new run starts.
func (r *recorder) reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests, r.runs = nil, nil
	r.turns, r.running, r.most, r.slow = map[string]int{}, map[int]int{}, map[int]int{}, map[int]int{}
	r.met = map[int]chan struct{}{}
}

func recordOf(label string, req *model.Request) *request {
	out := &request{
		model: label, toolChoice: req.ToolChoice, settings: req.Settings,
		native: req.Format != nil && req.Response != nil, structured: req.Format != nil && req.Response == nil,
	}
	if !req.System.IsZero() {
		out.messages = append(out.messages, abi.Message{Role: abi.RoleSystem, Content: req.System})
	}
	out.messages = append(out.messages, req.Messages.Messages()...)
	for i := range req.Tools {
		out.tools = append(out.tools, req.Tools[i].Name)
	}
	if out.structured = asksForSelection(req); out.structured {
		out.tools, out.toolChoice = nil, ""
	}
	return out
}

// asksForSelection reports whether a request is one of a tool selector: for a format, or in its place for the call of a tool.
func asksForSelection(req *model.Request) bool {
	const name = "ToolSelectionResponse"
	return req.Format != nil && req.Format.Name == name || req.ToolChoice == name && len(req.Tools) == 1 && req.Tools[0].Name == name
}

func (r *recorder) request(asked *request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests = append(r.requests, asked)
}

// tool notes an execution of a tool and returns the turn that it belongs to.
func (r *recorder) tool(name string, rt *host.Runtime, call *abi.ToolCall) int {
	var ai abi.Message
	messages := rt.State().Messages()
	if at := messages.LastAI(); at >= 0 {
		ai = messages.At(at)
	}
	return r.executed(name, call, &ai)
}

// executed notes an execution of a tool that an AI message asked for.
func (r *recorder) executed(name string, call *abi.ToolCall, ai *abi.Message) int {
	run := toolRun{
		id: call.ID, name: name, args: call.Args,
		position: slices.IndexFunc(ai.ToolCalls, func(c abi.ToolCall) bool { return c.ID == call.ID }),
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	key := ai.ID // which a file may give to several messages
	if len(ai.ToolCalls) > 0 {
		key += " " + ai.ToolCalls[0].ID
	}
	turn, known := r.turns[key]
	if !known {
		turn = len(r.turns)
		r.turns[key] = turn
	}
	run.turn = turn
	r.runs = append(r.runs, run)
	return turn
}

// working notes that a slow tool of a turn starts to work, or with -1 that it has ended.
func (r *recorder) working(turn, change int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.running[turn] += change
	r.most[turn] = max(r.most[turn], r.running[turn])
	r.slow[turn] += max(0, change)
	if met := r.meeting(turn); r.running[turn] == 2 && change > 0 {
		select {
		case <-met: // they met before
		default:
			close(met)
		}
	}
}

// meeting returns the channel that is closed when two slow tools of a turn were at work at once. The caller holds mu.
func (r *recorder) meeting(turn int) chan struct{} {
	if r.met[turn] == nil {
		r.met[turn] = make(chan struct{})
	}
	return r.met[turn]
}

// patience is how long a slow tool waits for another one of its turn: long enough to make a plugin's instance on a busy
// machine, where its own sleep may not be.
const patience = 5 * time.Second

// wait lets a slow tool go on when another one of its turn is at work too, or has had time to be.
func (r *recorder) wait(ctx context.Context, turn int) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	r.mu.Lock()
	met := r.meeting(turn)
	r.mu.Unlock()
	select {
	case <-met:
	case <-ctx.Done():
	}
}

// overlapped reports whether slow tools of one batch always worked side by side.
func (r *recorder) overlapped() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for turn, slow := range r.slow {
		if slow > 1 && r.most[turn] < 2 {
			return false
		}
	}
	return true
}

// taken returns what was recorded: tool runs in the order of the model's turns, then of the calls in their message.
func (r *recorder) taken() (requests []*request, runs []toolRun) {
	r.mu.Lock()
	defer r.mu.Unlock()
	runs = slices.Clone(r.runs)
	slices.SortStableFunc(runs, func(a, b toolRun) int {
		return cmp.Or(cmp.Compare(a.turn, b.turn), cmp.Compare(a.position, b.position))
	})
	return slices.Clone(r.requests), runs
}

// event looks at what a run reports.
func (r *recorder) event(e *host.Event) {
	switch {
	case e.Type == host.EventState:
		for i := range e.Messages {
			if e.Messages[i].Role == abi.RoleAI {
				r.mu.Lock()
				r.asked = e.Messages[i]
				r.mu.Unlock()
			}
		}
	case e.Type == host.EventCustom && e.Name == toolRunEvent:
		r.guestToolRun(e.Data)
	}
}
