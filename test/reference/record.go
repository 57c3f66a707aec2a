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

// recorder records the requests to the models and tools of an agent. Concurrent calls share it.
type recorder struct {
	atOnce    bool // calls of a batch may run concurrently
	mu        sync.Mutex
	requests  []*request
	decided   []*decided
	moderated []moderated
	remote    []remoteRequest
	runs      []toolRun
	asked     abi.Message           // the last AI message that entered the history
	turns     map[string]int        // AI messages whose tools ran, in the order in which they ran
	running   map[int]int           // slow tools that are running, by turn
	most      map[int]int           // the largest number of them that ran at once
	slow      map[int]int           // the total number of them
	met       map[int]chan struct{} // closed when two of them ran at once
}

// request is one recorded model call.
type request struct {
	model      string
	messages   []abi.Message // system prompt first
	tools      []string
	deferred   []string   // the tools that the model has to look for
	served     []wire.Map // the provider's tools
	toolChoice string
	settings   wire.Map
	native     bool // the provider is asked for a structured answer
	structured bool // a structured value is requested outside the conversation
}

// toolRun is one recorded execution of a tool.
type toolRun struct {
	id, name string
	args     wire.Raw
	turn     int // turn of the AI message that requested it
	position int // position of the call in that message
}

func newRecorder() *recorder {
	r := &recorder{}
	r.reset()
	return r
}

// reset drops everything, because a new run starts.
func (r *recorder) reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests, r.decided, r.moderated, r.remote, r.runs = nil, nil, nil, nil, nil
	r.turns, r.running, r.most, r.slow = map[string]int{}, map[int]int{}, map[int]int{}, map[int]int{}
	r.met = map[int]chan struct{}{}
}

func recordOf(spec *ModelSpec, req *model.Request) *request {
	out := &request{
		model: spec.Label, toolChoice: req.ToolChoice, settings: req.Settings,
		native: req.Format != nil && req.Response != nil, structured: req.Format != nil && req.Response == nil,
	}
	if !req.System.IsZero() {
		out.messages = append(out.messages, abi.Message{Role: abi.RoleSystem, Content: req.System})
	}
	out.messages = append(out.messages, req.Messages.Messages()...)
	for i := range req.Tools {
		out.tools = append(out.tools, req.Tools[i].Name)
		if deferred, _ := req.Tools[i].Extras.Get("defer_loading").AsBool(); deferred {
			out.deferred = append(out.deferred, req.Tools[i].Name)
		}
	}
	out.addProviderTools(spec, req)
	if out.structured = asksForSelection(req); out.structured {
		out.tools, out.served, out.toolChoice = nil, nil, ""
	}
	return out
}

// asksForSelection reports whether a request comes from a tool selector. It asks for a response format or, instead of that,
// for the call of a tool.
func asksForSelection(req *model.Request) bool {
	const name = "ToolSelectionResponse"
	return req.Format != nil && req.Format.Name == name || req.ToolChoice == name && len(req.Tools) == 1 && req.Tools[0].Name == name
}

func (r *recorder) request(asked *request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests = append(r.requests, asked)
}

func (r *recorder) decision(asked *decided) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.decided = append(r.decided, asked)
}

func (r *recorder) moderation(asked moderated) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.moderated = append(r.moderated, asked)
}

func (r *recorder) remoteRequest(asked remoteRequest) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.remote = append(r.remote, asked)
}

// tool records an execution of a tool and returns its turn.
func (r *recorder) tool(name string, rt *host.Runtime, call *abi.ToolCall) int {
	var ai abi.Message
	messages := rt.State().Messages()
	if at := messages.LastAI(); at >= 0 {
		ai = messages.At(at)
	}
	return r.executed(name, call, &ai)
}

// executed records an execution of a tool that an AI message requested.
func (r *recorder) executed(name string, call *abi.ToolCall, ai *abi.Message) int {
	run := toolRun{
		id: call.ID, name: name, args: call.Args,
		position: slices.IndexFunc(ai.ToolCalls, func(c abi.ToolCall) bool { return c.ID == call.ID }),
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	key := ai.ID // a file may give the same id to several messages
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

// working records that a slow tool of a turn starts or, with -1, that it has ended.
func (r *recorder) working(turn, change int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.running[turn] += change
	r.most[turn] = max(r.most[turn], r.running[turn])
	r.slow[turn] += max(0, change)
	if met := r.meeting(turn); r.running[turn] == 2 && change > 0 {
		select {
		case <-met: // they have already met
		default:
			close(met)
		}
	}
}

// meeting returns the channel that is closed when two slow tools of a turn have run at once. The caller holds mu.
func (r *recorder) meeting(turn int) chan struct{} {
	if r.met[turn] == nil {
		r.met[turn] = make(chan struct{})
	}
	return r.met[turn]
}

// patience is how long a slow tool waits for another one of its turn. It is long enough to make a plugin's instance on
// a busy machine; the tool's own sleep may be too short for that.
const patience = 5 * time.Second

// wait blocks a slow tool until another one of its turn is also running, or has had enough time to start.
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

// overlapped reports whether slow tools of one batch always ran concurrently.
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

// into puts the records into an outcome. Tool runs are in the order of the model's turns, and then of the calls in their message.
func (r *recorder) into(out *Outcome) {
	r.mu.Lock()
	defer r.mu.Unlock()
	runs := slices.Clone(r.runs)
	slices.SortStableFunc(runs, func(a, b toolRun) int {
		return cmp.Or(cmp.Compare(a.turn, b.turn), cmp.Compare(a.position, b.position))
	})
	out.requests, out.decisions, out.moderated, out.runs = slices.Clone(r.requests), slices.Clone(r.decided), slices.Clone(r.moderated), runs
	out.remote = slices.Clone(r.remote)
}

// event handles an event of a run.
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
