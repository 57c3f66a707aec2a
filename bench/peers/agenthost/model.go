package main

import (
	"context"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/tool"
)

// rounds is a model that asks for the tool search, so many times at once, in each of n rounds, and then says "done". What it says is made
// beforehand.
type rounds struct {
	n, calls int
	says     []*model.Response
}

func newRounds(n, width int) *rounds {
	m := &rounds{n: n}
	for round := range n {
		calls := make([]abi.ToolCall, width)
		for i := range calls {
			calls[i] = abi.Call(fmt.Sprintf("%d-%d", round, i), "search", map[string]any{"q": "x"})
		}
		m.says = append(m.says, model.Reply(abi.AI("", calls...)))
	}
	m.says = append(m.says, model.Reply(abi.AI("done")))
	return m
}

func (m *rounds) Info() model.Info { return model.Info{Name: "rounds"} }

func (m *rounds) Generate(context.Context, *model.Request) (*model.Response, error) {
	m.calls++
	return m.says[min(m.calls-1, m.n)], nil
}

// query are the arguments of search.
type query struct {
	Q string `json:"q"`
}

// search is a tool that answers each time the same, and counts how often.
func search(answer string, executions *int) host.Tool {
	return tool.Func("search", "Searches.", func(context.Context, query) (string, error) {
		*executions++
		return answer, nil
	})
}

// constant is the tool search for runs at once: it answers each time the same.
func constant(answer string) host.Tool {
	return tool.Func("search", "Searches.", func(context.Context, query) (string, error) { return answer, nil })
}
