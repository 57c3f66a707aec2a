package langgraph_test

import (
	"context"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
)

// graphs returns the nodes of the recorded graphs that are not agents: they count, and never ask a model. An agent comes close to them with a
// before_agent hook for each node, the last of which ends the run. Its steps have other names, and its state has messages too.
func graphs(held *gate) map[string][]host.Middleware {
	return map[string][]host.Middleware{
		"steps": {count(), ask(), end()},
		"slow":  {count(), pause(held), end()},
	}
}

// counters are the fields of the state.
var counters = []host.Field{
	{Name: "n"},
	{Name: "log", Reducer: host.Append()},
	{Name: "answer"},
}

// node makes a middleware with a step that changes the state.
func node(name string, fn host.NodeFunc, targets ...abi.Target) host.Middleware {
	return host.BeforeAgent(name, fn, host.WithFields(counters...), host.CanJumpTo(targets...))
}

// change is an update of the fields.
func change(values map[string]any) (*abi.Update, error) {
	state, err := wire.MapOf(values)
	return &abi.Update{State: state}, err
}

// count is the first node of both graphs.
func count() host.Middleware {
	return node("first", func(_ context.Context, rt *host.Runtime) (*abi.Update, error) {
		emitted, err := host.Encode(map[string]any{"at": "first"})
		if err != nil {
			return nil, err
		}
		rt.Emit("at", emitted)
		n, _ := rt.State().Get("n").AsInt() // 0 if there is none
		return change(map[string]any{"n": n + 1, "log": []any{"first"}})
	})
}

// ask stops for an answer of a person.
func ask() host.Middleware {
	return node("ask", func(_ context.Context, rt *host.Runtime) (*abi.Update, error) {
		question, err := host.Encode(map[string]any{"question": "go on?", "n": rt.State().Get("n")})
		if err != nil {
			return nil, err
		}
		answer, err := rt.Interrupt("go on", question)
		if err != nil {
			return nil, err
		}
		return change(map[string]any{"answer": answer, "log": []any{"ask"}})
	})
}

// pause waits at the gate.
func pause(g *gate) host.Middleware {
	return node("pause", func(ctx context.Context, _ *host.Runtime) (*abi.Update, error) {
		if err := g.wait(ctx); err != nil {
			return nil, err
		}
		return change(map[string]any{"log": []any{"pause"}})
	})
}

// end is the last node of both graphs.
func end() host.Middleware {
	return node("last", func(context.Context, *host.Runtime) (*abi.Update, error) {
		update, err := change(map[string]any{"log": []any{"last"}})
		update.JumpTo = abi.JumpEnd
		return update, err
	}, abi.JumpEnd)
}
