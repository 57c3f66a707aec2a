package host

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/history"
)

var targets = []abi.Target{abi.JumpModel, abi.JumpTools, abi.JumpEnd}

// drawProgram draws middleware with any hooks that declare any jumps, and compiles it.
func drawProgram(t *rapid.T) *program {
	hasTools := rapid.Bool().Draw(t, "has tools")
	var all []*boundMiddleware
	for i := range rapid.IntRange(0, 4).Draw(t, "middleware") {
		h := &Hooks{}
		for _, hook := range []*NodeHook{&h.BeforeAgent, &h.BeforeModel, &h.AfterModel, &h.AfterAgent} {
			if !rapid.Bool().Draw(t, "has hook") {
				continue
			}
			hook.Func = func(context.Context, *Runtime) (*Update, error) { return nil, nil }
			for _, target := range targets {
				if rapid.Bool().Draw(t, "declares "+string(target)) && (hasTools || target != abi.JumpTools) {
					hook.CanJumpTo = append(hook.CanJumpTo, target)
				}
			}
		}
		all = append(all, &boundMiddleware{name: fmt.Sprintf("m%d", i), hooks: h})
	}
	p, err := compileProgram(all, hasTools)
	if err != nil {
		t.Fatal(err)
	}
	if hasTools && rapid.Bool().Draw(t, "returns directly") {
		p.returns = map[string]bool{"direct": true, "work": false}
	}
	return p
}

// drawState draws a history of AI messages with calls, some of them answered.
func drawState(t *rapid.T) *State {
	var messages []abi.Message
	for range rapid.IntRange(0, 5).Draw(t, "messages") {
		id := rapid.SampledFrom([]string{"1", "2", "3"})
		name := rapid.SampledFrom([]string{"direct", "work", "nobody", ""})
		switch rapid.IntRange(0, 2).Draw(t, "role") {
		case 0:
			messages = append(messages, abi.Human("x"))
		case 1:
			m := abi.AI("x")
			for range rapid.IntRange(0, 3).Draw(t, "calls") {
				m.ToolCalls = append(m.ToolCalls, abi.ToolCall{ID: id.Draw(t, "id"), Name: name.Draw(t, "name")})
			}
			messages = append(messages, m)
		default:
			messages = append(messages, abi.ToolResult(abi.ToolCall{ID: id.Draw(t, "answered"), Name: name.Draw(t, "by")}, "x"))
		}
	}
	log, err := (history.Log{}).Apply(&abi.Update{Messages: messages}, &idSource{})
	if err != nil {
		t.Fatal(err)
	}
	return &State{log: log}
}

// What the graph shows is what can happen: the transition function goes only along edges.
func TestNextGoesOnlyAlongEdges(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := drawProgram(t)
		s := drawState(t)
		for at := range p.steps {
			edges := p.edges(at)
			for _, jump := range append([]abi.Target{"", "moon"}, targets...) {
				to, err := p.next(at, jump, s, false)
				declared := jump == "" || slices.Contains(p.steps[at].hook.CanJumpTo, jump)
				switch {
				case (err == nil) != declared:
					t.Fatalf("step %d, jump %q: declared %v, error %v", at, jump, declared, err)
				case err == nil && !slices.ContainsFunc(edges, func(e edge) bool { return e.to == to }):
					t.Fatalf("step %d, jump %q: to %d, but the edges are %v", at, jump, to, edges)
				}
			}
			for _, e := range edges {
				if e.to < endStep || e.to >= len(p.steps) {
					t.Fatalf("step %d has an edge to %d of %d", at, e.to, len(p.steps))
				}
			}
		}
	})
}

// Every step can be reached, and from every step the end: no program is stuck by construction.
func TestProgramsHaveNoDeadEnds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := drawProgram(t)
		reached := map[int]bool{}
		var visit func(at int)
		visit = func(at int) {
			if at == endStep || reached[at] {
				return
			}
			reached[at] = true
			for _, e := range p.edges(at) {
				visit(e.to)
			}
		}
		visit(p.entry)
		if len(reached) != len(p.steps) {
			t.Fatalf("of %d steps only %v can be reached", len(p.steps), reached)
		}
		ends := map[int]bool{endStep: true}
		for range p.steps {
			for at := range p.steps {
				ends[at] = ends[at] || slices.ContainsFunc(p.edges(at), func(e edge) bool { return ends[e.to] })
			}
		}
		for at := range p.steps {
			if !ends[at] {
				t.Fatalf("from step %d the end cannot be reached", at)
			}
		}
	})
}
