//go:build unix

package crash_test

import (
	"fmt"
	"math/rand/v2"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
)

// plan is what an agent does in a thread. It follows entirely from a seed, so that every process has the same plan.
type plan struct {
	seed       uint64
	hooks      bool // the agent has middleware; without middleware, a single tool call is saved in another way
	durability host.Durability
	parallel   int
	turns      []turn
}

// turn is one input and the model's responses to it.
type turn struct {
	rounds  [][]abi.ToolCall // one for each response of the model except the last
	summary bool             // the history is rewritten at its end
}

// shape is the size of plans.
type shape struct {
	Turns  int `json:"turns"`
	Rounds int `json:"rounds"`
	Calls  int `json:"calls"`
}

var full = shape{Turns: 4, Rounds: 5, Calls: 5}

func newPlan(seed uint64, most shape) *plan {
	draw := rand.New(rand.NewPCG(seed, 1))
	p := &plan{seed: seed, hooks: draw.IntN(4) > 0, durability: host.DurabilityRound, parallel: 4, turns: make([]turn, most.Turns)}
	if draw.IntN(3) == 0 {
		p.durability = host.DurabilityStep
	}
	if draw.IntN(4) == 0 {
		p.parallel = 1
	}
	for at := range p.turns {
		t := &p.turns[at]
		t.summary = p.hooks && draw.IntN(3) == 0
		t.rounds = make([][]abi.ToolCall, 1+draw.IntN(most.Rounds))
		for round := range t.rounds {
			for n := range 1 + draw.IntN(most.Calls) {
				id := fmt.Sprintf("t%d.r%d.c%d", at, round, n)
				t.rounds[round] = append(t.rounds[round], p.call(draw, id))
			}
		}
	}
	return p
}

// sends returns a plan of one turn that does one thing after the other.
func sends() *plan {
	return &plan{durability: host.DurabilityRound, parallel: 1, turns: []turn{{rounds: [][]abi.ToolCall{
		{abi.Call("first", toolSend, nil)}, {abi.Call("second", toolSend, nil)},
	}}}}
}

// call draws a tool call.
func (p *plan) call(draw *rand.Rand, id string) abi.ToolCall {
	kinds := []string{toolSend, toolSend, toolSend, toolLook, toolAsk, toolBoth}
	if p.hooks {
		kinds = append(kinds, toolFlaky, toolFlaky)
	}
	name := kinds[draw.IntN(len(kinds))]
	args := map[string]any{"call": id}
	if name == toolFlaky {
		args["fails"] = draw.IntN(maxTries)
	}
	return abi.Call(id, name, args)
}

// input returns the input of a turn.
func (p *plan) input(at int) host.Input {
	return host.Input{
		Messages: []abi.Message{abi.Human(fmt.Sprintf("turn %d", at))},
		State:    map[string]any{fieldTurn: at + 1},
	}
}
