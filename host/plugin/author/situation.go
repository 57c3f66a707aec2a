package author

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
)

// situation is a place in a run in which plugins are measured: the place of their hook in a middleware that calls theirs.
type situation struct {
	name  string // of the middleware
	stage stage
	hook  abi.Hook
	all   []*benchedPlugin // the first decides which hooks there are
	each  time.Duration
	batch int // calls of one hook before the other's turn
	least int // calls of each hook, for which a slow one gets up to patience times as long
	most  int // calls of each hook
	turn  int // calls of the hook so far in the run
	done  bool
	fault error
}

// The agent of a situation.
const (
	situationMessages = 20
	situationRounds   = 2 // calls of the tool
	situationRound    = 2 // which call of a hook in the loop is measured, from 1
)

// How calls are measured.
const (
	benchBatch  = 64
	mostSamples = 1 << 20 // per hook
	warmUp      = 10      // a tenth of the time is not measured
	patience    = 50
)

// situationText is 1 KB of typical user text.
var situationText = strings.Repeat(
	"Please look into order 4711 of Jane Doe (jane.doe@example.com): it was sent on 2026-01-05, and has not arrived.\n", 9) + "Thank you."

// run runs an agent up to the place. The error is the fault of a plugin, or says that ctx ended.
func (s *situation) run(ctx context.Context) error {
	called := "lookup"
	if spec := s.all[0].plugin.Description().Hooks.Spec(s.hook); len(spec.Tools) > 0 {
		called = spec.Tools[0]
	}
	agent, err := host.New(s.stage.around(host.Config{
		Model: situationModel(called), State: s.stage.state(s.all[0].hooks),
		Tools: s.stage.tools(called, s.all[0].hooks.Tools, situationText), RecursionLimit: 20,
		Middleware: []host.Middleware{alone{s.name, s.hooks()}}, Logger: slog.New(slog.DiscardHandler),
	}))
	if err != nil {
		return err
	}
	defer func() { _ = agent.Close() }() // it holds nothing that needs closing
	var messages []abi.Message
	for range situationMessages / 2 {
		messages = append(messages, abi.Human(situationText), abi.AI(situationText))
	}
	_, err = agent.Run(ctx, host.Input{Thread: s.stage.thread(), Messages: append(messages[1:], abi.Human(situationText))})
	switch {
	case s.fault != nil:
		return s.fault
	case s.done:
		return nil
	case err != nil:
		return err
	default:
		return errors.New("the run ended before its hook " + string(s.hook) + " was called often enough")
	}
}

// hooks returns hooks with one hook of the measured kind.
func (s *situation) hooks() *host.Hooks {
	own := s.all[0].hooks
	h := &host.Hooks{State: own.State, Tools: own.Tools}
	node := func(pick func(*host.Hooks) host.NodeHook) host.NodeHook {
		return host.NodeHook{View: pick(own).View, Func: func(ctx context.Context, rt *host.Runtime) (*host.Update, error) {
			return nil, s.measure(ctx, func(h *host.Hooks) error {
				_, err := pick(h).Func(ctx, rt)
				return err
			})
		}}
	}
	switch s.hook {
	case abi.BeforeAgent:
		h.BeforeAgent = node(func(h *host.Hooks) host.NodeHook { return h.BeforeAgent })
	case abi.BeforeModel:
		h.BeforeModel = node(func(h *host.Hooks) host.NodeHook { return h.BeforeModel })
	case abi.AfterModel:
		h.AfterModel = node(func(h *host.Hooks) host.NodeHook { return h.AfterModel })
	case abi.AfterAgent:
		h.AfterAgent = node(func(h *host.Hooks) host.NodeHook { return h.AfterAgent })
	case abi.WrapModelCall:
		h.WrapModelCall = host.WrapModelHook{Func: s.wrapModel}
	case abi.WrapToolCall:
		h.WrapToolCall = host.WrapToolHook{Func: s.wrapTool}
	}
	return h
}

func (s *situation) wrapModel(
	ctx context.Context, rt *host.Runtime, req *model.Request, next host.ModelHandler,
) (*model.Response, *host.Update, error) {
	resp, err := next(ctx, req)
	if err != nil {
		return nil, nil, err
	}
	var answered host.ModelHandler = func(context.Context, *model.Request) (*model.Response, error) { return resp, nil }
	return resp, nil, s.measure(ctx, func(h *host.Hooks) error {
		_, _, err := h.WrapModelCall.Func(ctx, rt, req, answered)
		return err
	})
}

func (s *situation) wrapTool(
	ctx context.Context, rt *host.Runtime, req *host.ToolRequest, next host.ToolHandler,
) (*abi.Message, *host.Update, error) {
	answer, err := next(ctx, req)
	if err != nil {
		return nil, nil, err
	}
	var answered host.ToolHandler = func(context.Context, *host.ToolRequest) (*abi.Message, error) { return answer, nil }
	return answer, nil, s.measure(ctx, func(h *host.Hooks) error {
		_, _, err := h.WrapToolCall.Func(ctx, rt, req, answered)
		return err
	})
}

// measure calls the hooks of all plugins, batch by batch, if this is the turn to measure.
func (s *situation) measure(ctx context.Context, call func(*host.Hooks) error) error {
	s.turn++
	if s.turn != situationRound && s.hook != abi.BeforeAgent && s.hook != abi.AfterAgent {
		return nil
	}
	warm, start := false, time.Now()
	for len(s.all[0].times) < s.most {
		switch spent := time.Since(start); {
		case ctx.Err() != nil:
			s.fault = context.Cause(ctx)
			return s.fault
		case !warm && spent > s.each/warmUp:
			warm, start = true, time.Now()
			for _, m := range s.all {
				m.reset()
			}
		case warm && spent > s.each && (len(s.all[0].times) >= s.least || spent > patience*s.each):
			s.done = true
			return nil
		}
		for _, m := range s.all {
			for range s.batch {
				if s.fault = m.time(call); s.fault != nil {
					return s.fault
				}
			}
		}
	}
	s.done = true
	return nil
}

// situationModel calls the tool in each round and then says that it is done.
type situationModel string

func (m situationModel) Info() model.Info { return model.Info{Name: "situation"} }

func (m situationModel) Generate(_ context.Context, req *model.Request) (*model.Response, error) {
	answers := 0
	for _, message := range req.Messages.All() {
		if message.Role == abi.RoleTool {
			answers++
		}
	}
	if answers == situationRounds {
		return model.Reply(abi.AI(situationText)), nil
	}
	call := abi.Call("call-"+strconv.Itoa(answers), string(m), map[string]any{"text": "order 4711", "limit": 10})
	return model.Reply(abi.AI("I will look that up.", call)), nil
}
