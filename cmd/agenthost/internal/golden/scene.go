package golden

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/guestlog"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/plugin/cassette"
)

// scene is one performance of a case. Only one goroutine uses it at a time, because only one tool call reaches the plugin.
type scene struct {
	c       *Case
	shelf   *shelf
	name    string // of the plugin
	answers wire.Map

	active bool // whether the hook runs now; earlier calls only show it what it has seen
	staged bool // whether the state and history of this run are set
	asked  bool // whether the interrupts that the case answers were asked
	nexts  int
	calls  map[string]int // of scripted operations, by name

	recorded *cassette.Frame // what the guest did; nil until it has done it
	stored   wire.Raw        // the entries of the store after that
	unread   error           // why they could not be read
	failed   error           // the error of the hook
	refused  error           // why the host refused the update
	lacks    []string        // the calls that the case has no answer for

	log guestlog.Lines
}

// performs reports whether the hook should run now, and not be skipped.
func (s *scene) performs() bool { return s.active && s.recorded == nil }

// ask interrupts once with the keys that the case answers. The run is then resumed with the answers.
func (s *scene) ask(rt *host.Runtime) error {
	if len(s.c.Answers) == 0 || s.asked || len(rt.Answers()) > 0 {
		return nil
	}
	var err error
	if s.answers, err = wire.MapOf(s.c.Answers); err != nil {
		return err
	}
	s.asked = true
	interrupt := &host.InterruptError{}
	for _, pair := range s.answers {
		interrupt.Interrupts = append(interrupt.Interrupts, abi.Interrupt{Key: pair.Key, Value: wire.AppendNil(nil)})
	}
	return interrupt
}

// restrict returns the plugin's hooks reduced to the hook of the case, which the scene observes.
func (s *scene) restrict(all *host.Hooks) (*host.Hooks, error) {
	h := *all
	h.BeforeAgent, h.BeforeModel, h.AfterModel, h.AfterAgent = host.NodeHook{}, host.NodeHook{}, host.NodeHook{}, host.NodeHook{}
	h.WrapModelCall, h.WrapToolCall, h.Changed = host.WrapModelHook{}, host.WrapToolHook{}, nil
	var there bool
	switch abi.Hook(s.c.Hook) {
	case abi.BeforeAgent:
		h.BeforeAgent, there = s.node(all.BeforeAgent)
	case abi.BeforeModel:
		h.BeforeModel, there = s.node(all.BeforeModel)
	case abi.AfterModel:
		h.AfterModel, there = s.node(all.AfterModel)
	case abi.AfterAgent:
		h.AfterAgent, there = s.node(all.AfterAgent)
	case abi.WrapModelCall:
		h.WrapModelCall, there = s.wrapModel(all.WrapModelCall)
	case abi.WrapToolCall:
		h.WrapToolCall, there = s.wrapTool(all.WrapToolCall)
	default:
		h.Tools, there = s.tools(all.Tools)
	}
	if !there {
		return nil, fmt.Errorf("the plugin has no %s with this configuration", s.subject())
	}
	return &h, nil
}

// subject names the subject of the case.
func (s *scene) subject() string {
	if s.c.Hook == callTool {
		return "tool " + s.c.Call.call.Name
	}
	return "hook " + string(s.c.Hook)
}

func (s *scene) node(hook host.NodeHook) (host.NodeHook, bool) {
	perform := hook.Func
	hook.Func = func(ctx context.Context, rt *host.Runtime) (update *host.Update, err error) {
		if !s.performs() {
			return nil, nil
		}
		if err := s.ask(rt); err != nil {
			return nil, err
		}
		update, s.failed = perform(ctx, rt)
		return update, s.failed
	}
	return hook, perform != nil
}

func (s *scene) wrapModel(hook host.WrapModelHook) (host.WrapModelHook, bool) {
	perform := hook.Func
	hook.Func = func(
		ctx context.Context, rt *host.Runtime, req *model.Request, next host.ModelHandler,
	) (resp *model.Response, update *host.Update, err error) {
		if !s.performs() {
			resp, err = next(ctx, req)
			return resp, nil, err
		}
		if err := s.ask(rt); err != nil {
			return nil, nil, err
		}
		if req, err = s.request(req); err != nil {
			return nil, nil, err
		}
		resp, update, s.failed = perform(ctx, rt, req, s.nextModel)
		return resp, update, s.failed
	}
	return hook, perform != nil
}

// request returns the request of the case.
func (s *scene) request(req *model.Request) (*model.Request, error) {
	given := &s.c.Request
	out := *req
	if given.Model != "" {
		named := scripted.NewTurns()
		named.Name, out.Model = given.Model, named
	}
	out.ToolChoice, out.Tools = given.ToolChoice, nil
	for _, name := range given.Tools {
		out.Tools = append(out.Tools, abi.ToolSpec{Name: name})
	}
	if given.System != nil {
		if err := into(&out.System, given.System); err != nil {
			return nil, fmt.Errorf("request.system: %w", err)
		}
	}
	var err error
	out.Settings, err = wire.MapOf(given.Settings)
	return &out, err
}

// nextModel answers next instead of the inner layers.
func (s *scene) nextModel(context.Context, *model.Request) (*model.Response, error) {
	entry := s.next()
	if entry.err != nil {
		return nil, entry.err
	}
	out := entry.response
	out.Messages = slices.Clone(out.Messages)
	for i := range out.Messages {
		if out.Messages[i].ID == "" {
			out.Messages[i].ID = "reply-" + strconv.Itoa(i+1)
		}
	}
	return &out, nil
}

// next returns the result of the current call of next. The last entry repeats; without entries it is the text "done".
func (s *scene) next() nextEntry {
	s.nexts++
	if n := len(s.c.Next); n > 0 {
		return s.c.Next[min(s.nexts, n)-1]
	}
	return nextEntry{response: model.Response{Messages: []abi.Message{abi.AI("done")}}}
}

func (s *scene) wrapTool(hook host.WrapToolHook) (host.WrapToolHook, bool) {
	perform := hook.Func
	hook.Func = func(
		ctx context.Context, rt *host.Runtime, req *host.ToolRequest, next host.ToolHandler,
	) (answer *abi.Message, update *host.Update, err error) {
		if !s.performs() || req.Call.ID != s.c.Call.call.ID {
			answer, err = next(ctx, req)
			return answer, nil, err
		}
		if err := s.ask(rt); err != nil {
			return nil, nil, err
		}
		answer, update, s.failed = perform(ctx, rt, req, s.nextTool)
		return answer, update, s.failed
	}
	return hook, perform != nil
}

// nextTool answers next instead of the inner layers.
func (s *scene) nextTool(_ context.Context, req *host.ToolRequest) (*abi.Message, error) {
	entry := s.next()
	if entry.err != nil {
		return nil, entry.err
	}
	made := entry.response.Messages[len(entry.response.Messages)-1]
	answer := abi.ToolResult(req.Call, "")
	answer.ID, answer.Content, answer.Artifact, answer.Meta = made.ID, made.Content, made.Artifact, made.Meta
	if made.Status != "" {
		answer.Status = made.Status
	}
	return &answer, nil
}
