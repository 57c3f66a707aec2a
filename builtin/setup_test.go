package builtin_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
)

// bundle is an agent with the middleware under test, whose model asks for the tool "work" again and again.
type bundle struct {
	agent *host.Agent
	model *scripted.Turns
}

func setup(t *testing.T, middleware ...host.Middleware) *bundle {
	t.Helper()
	b := &bundle{model: &scripted.Turns{
		Script: []scripted.Turn{scripted.CallTools(abi.Call("1", "work", nil))}, AfterEnd: scripted.EndRepeat,
	}}
	var err error
	b.agent, err = host.New(host.Config{
		Model: b.model, Middleware: middleware, RecursionLimit: 100,
		Tools: []host.Tool{tool.Func("work", "", func(context.Context, struct{}) (string, error) { return "worked", nil })},
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, b.agent.Close()) })
	return b
}

func (b *bundle) run(t *testing.T) (*host.Result, error) {
	t.Helper()
	return b.agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("go")}})
}
