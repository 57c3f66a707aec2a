package question_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/question"
)

func value(t testing.TB, json string) wire.Raw {
	t.Helper()
	v, err := wire.FromJSON([]byte(json), wire.Limits{})
	require.NoError(t, err, json)
	return v
}

// The values of interrupts, as those who ask write them.
const (
	review = `{"action_requests":[
		{"name":"write","args":{"path":"a"},"description":"Writes.\n\nTool: write\nArgs: {\"path\":\"a\"}"},
		{"name":"mail","args":{"to":"ada"},"description":"Sends."}],
	"review_configs":[
		{"action_name":"write","allowed_decisions":["approve","edit","reject"],"args_schema":{"type":"object","required":["path"]}},
		{"action_name":"mail","allowed_decisions":["approve","respond"]}]}`
	reviewOne  = `{"action_requests":[{"name":"write","args":{"path":"a"}}],"review_configs":[{"action_name":"write","allowed_decisions":["approve","reject"]}]}`
	approval   = `{"type":"tool_approval","tool_call_id":"call-3","name":"write","args":{"path":"a"},"description":"Writes."}`
	unfinished = `{"type":"unfinished_tool_call","tool_call_id":"call-4","name":"pay","args":{"sum":3},"started":1700000000000,"allowed_decisions":["retry","skip","respond"]}`
)

// calls is a history whose last AI message asks for calls of which the first is answered.
func calls() history.List {
	return history.Of(abi.Human("hi"),
		abi.AI("", abi.Call("call-0", "write", map[string]any{"path": "a"}), abi.Call("call-1", "write", map[string]any{"path": "a"}),
			abi.Call("call-2", "mail", map[string]any{"to": "ada"}), abi.Call("call-3", "write", map[string]any{"path": "b"})),
		abi.ToolResult(abi.Call("call-0", "write", nil), "done"))
}

// read reads interrupts with these values, whose ids are ask-1, ask-2 and so on.
func read(t testing.TB, values ...string) []*question.Question {
	t.Helper()
	interrupts := make([]host.Interrupt, len(values))
	for i, json := range values {
		interrupts[i] = host.Interrupt{ID: "ask-" + string(rune('1'+i)), Step: "x.after_model", Key: "ok?", Value: value(t, json)}
	}
	return question.OfResult(&host.Result{Messages: calls(), Interrupts: interrupts})
}
