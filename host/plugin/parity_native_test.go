package plugin_test

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/tool"
)

// nativeParity is the middleware of testdata/guests/parity, written for the host.
type nativeParity struct{}

func (nativeParity) Name() string { return "parity" }

func (nativeParity) Hooks(context.Context, host.Env) (*host.Hooks, error) {
	field := func(name string, l host.Lifetime, r host.Reducer, hideInput, hideOutput bool) host.Field {
		return host.Field{Name: name, Lifetime: l, Reducer: r, HideInput: hideInput, HideOutput: hideOutput}
	}
	return &host.Hooks{
		State: []host.Field{
			field("seen", host.LifetimeThread, host.Append(), false, false),
			field("memory", host.LifetimeThread, host.Append(), true, false),
			field("review", host.LifetimeThread, host.Last(), false, false),
			field("count", host.LifetimeRun, host.Add(), true, false),
			field("tools", host.LifetimeRun, host.Add(), true, true),
			field("mode", host.LifetimeRun, host.Last(), true, false),
			field("note", host.LifetimeStep, host.Last(), true, false),
		},
		Tools:         []host.Tool{nativeRemember()},
		BeforeAgent:   host.NodeHook{Func: nativeBeforeAgent, View: abi.ViewAll()},
		BeforeModel:   host.NodeHook{Func: nativeBeforeModel, View: abi.ViewNew()},
		WrapModelCall: host.WrapModelHook{Func: nativeWrapModel},
		AfterModel: host.NodeHook{
			Func: nativeAfterModel, View: abi.ViewLast(1), CanJumpTo: []abi.Target{abi.JumpModel, abi.JumpEnd},
		},
		WrapToolCall: host.WrapToolHook{Func: nativeWrapTool},
		AfterAgent:   host.NodeHook{Func: nativeAfterAgent, View: abi.ViewAll()},
	}, nil
}

func listOf(items ...string) wire.Raw {
	raw, _ := wire.Of(items)
	return raw
}

func nativeBeforeAgent(_ context.Context, rt *host.Runtime) (*host.Update, error) {
	update := &host.Update{}
	view := rt.View()
	for _, m := range view.Items.All() {
		text := m.Content.Text()
		if text == "drop me" {
			update.Remove = append(update.Remove, m.ID)
		}
		if trimmed := strings.TrimSpace(text); trimmed != text {
			update.Patch = append(update.Patch, abi.NewPatch(m.ID).SetContent(abi.Text(trimmed)))
		}
	}
	update.State.Set("mode", wire.String("running"))
	update.State.Set("seen", listOf("start"))
	rt.Emit("started", wire.Int(int64(view.Total)))
	return update, nil
}

func nativeBeforeModel(_ context.Context, rt *host.Runtime) (*host.Update, error) {
	count, _ := rt.State().Get("count").AsInt()
	view := rt.View()
	seen := fmt.Sprintf("from %d items %d patch %d remove %d of %d reset %t",
		view.From, view.Items.Len(), view.Patch.Len(), len(view.Remove), view.Total, view.Reset)
	update := &host.Update{}
	update.State.Set("seen", listOf(seen))
	update.State.Set("count", wire.Int(1))
	update.State.Set("note", wire.String(fmt.Sprintf("call %d", count+1)))
	if count == 11 {
		meta := wire.Map{{Key: "flagged", Value: wire.Bool(true)}}
		update.Patch = append(update.Patch, abi.NewPatch(rt.State().Messages().At(0).ID).Set("meta", meta.Raw()))
	}
	return update, nil
}

func nativeAfterModel(_ context.Context, rt *host.Runtime) (*host.Update, error) {
	switch last, _ := rt.View().Items.Last(); last.Content.Text() {
	case "again":
		return &host.Update{JumpTo: abi.JumpModel, Messages: []abi.Message{abi.Human("go on")}}, nil
	case "stop":
		return &host.Update{JumpTo: abi.JumpEnd}, nil
	case "break":
		return nil, &abi.Error{Type: "broken", Message: "the model said so", Data: wire.Int(7)}
	default:
		return nil, nil
	}
}

func nativeAfterAgent(_ context.Context, rt *host.Runtime) (*host.Update, error) {
	state := rt.State()
	if review, _ := state.Get("review").AsBool(); review {
		value := wire.Map{
			{Key: "count", Value: state.Get("count")}, {Key: "memory", Value: state.Get("memory")}, {Key: "tools", Value: state.Get("tools")},
		}
		if _, err := rt.Interrupt("review", value.Raw()); err != nil {
			return nil, err
		}
	}
	update := &host.Update{Overwrite: true, Messages: rt.View().Items.Tail(1).Messages()}
	update.State.Set("mode", wire.String("done"))
	return update, nil
}

func nativeWrapModel(
	ctx context.Context, rt *host.Runtime, req *model.Request, next host.ModelHandler,
) (*model.Response, *host.Update, error) {
	note, _ := rt.State().Get("note").AsString()
	changed := *req
	changed.System = req.System.Append(abi.Text(" [" + note + "]"))
	changed.ToolChoice = "auto"
	changed.Settings = req.Settings.With(wire.Map{{Key: "count", Value: rt.State().Get("count")}})
	var patches []abi.Patch
	for _, m := range req.Messages.Tail(2).All() {
		if m.Role == abi.RoleHuman {
			patches = append(patches, abi.NewPatch(m.ID).SetContent(abi.Text(m.Content.Text()+"!")))
		}
	}
	messages, err := req.Messages.Apply(&abi.Update{Patch: patches})
	if err != nil {
		return nil, nil, err
	}
	changed.Messages = messages
	reply, err := next(ctx, &changed)
	if failed := new(host.ModelError); errors.As(err, &failed) && failed.Retryable {
		reply, err = next(ctx, req)
	}
	if err != nil {
		return nil, nil, err
	}
	update := &host.Update{}
	update.State.Set("count", wire.Int(10))
	answer := reply.Messages[len(reply.Messages)-1]
	if !strings.Contains(answer.Content.Text(), "secret") {
		return reply, update, nil
	}
	answer.Content = abi.Text("[hidden]")
	out := *reply
	out.Messages, out.StopReason = []abi.Message{answer}, "edited"
	return &out, update, nil
}

func nativeWrapTool(
	ctx context.Context, rt *host.Runtime, req *host.ToolRequest, next host.ToolHandler,
) (*abi.Message, *host.Update, error) {
	switch req.Call.Name {
	case "forbidden":
		mode, _ := rt.State().Get("mode").AsString()
		return nil, nil, &abi.Error{Type: "forbidden", Message: "not while " + mode}
	case "ask":
		if _, err := rt.Interrupt("approve", req.Call.Args); err != nil {
			return nil, nil, err
		}
	}
	if !req.Known() {
		m := abi.ToolFailure(req.Call, "no such tool")
		return &m, nil, nil
	}
	var args wire.Map
	if _, err := args.UnmarshalMsg(req.Call.Args); err != nil {
		return nil, nil, err
	}
	args.Set("by", wire.String("parity"))
	answer, err := next(ctx, req.WithArgs(args.Raw()))
	if failed := new(abi.Error); errors.As(err, &failed) && failed.Retryable {
		args.Set("attempt", wire.Int(2))
		answer, err = next(ctx, req.WithArgs(args.Raw()).WithName(req.Call.Name+"_again"))
	}
	if err != nil {
		return nil, nil, err
	}
	upper := *answer
	upper.Content = abi.Text(strings.ToUpper(answer.Content.Text()))
	update := &host.Update{}
	update.State.Set("tools", wire.Int(1))
	rt.Emit("wrapped", wire.String(req.Call.ID))
	return &upper, update, nil
}

func nativeRemember() host.Tool {
	parameters, _ := wire.Of(map[string]any{
		"type": "object", "required": []any{"key"},
		"properties": map[string]any{"key": map[string]any{"type": "string"}, "text": map[string]any{"type": "string"}},
	})
	spec := abi.ToolSpec{Name: "remember", Description: "Remembers a text.", Idempotent: true, Parameters: parameters}
	return tool.Raw(spec, func(_ context.Context, rt *host.Runtime, call *abi.ToolCall) (*host.ToolOutput, error) {
		var args wire.Map
		if _, err := args.UnmarshalMsg(call.Args); err != nil {
			return nil, err
		}
		key, _ := args.Get("key").AsString()
		text, _ := args.Get("text").AsString()
		switch {
		case key == "fail":
			return nil, &abi.Error{Type: "full", Message: "the memory is full"}
		case text == "":
			return &host.ToolOutput{Content: abi.Text("nothing to remember"), Failed: true}, nil
		}
		update := &host.Update{}
		update.State.Set("memory", listOf(text))
		rt.Emit("remembered", args.Raw())
		return &host.ToolOutput{Content: abi.Text("remembered " + key), Artifact: wire.Int(int64(len(text))), Update: update}, nil
	})
}
