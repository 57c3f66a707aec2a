package builtin_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
)

func TestLoopControlEndsARunThatCostsTooMuch(t *testing.T) {
	t.Parallel()
	turn := scripted.CallTools(abi.Call("1", "look", nil))
	turn.Message.Usage = &abi.Usage{InputTokens: 1000, TotalTokens: 1000}
	look := tool.Func("look", "looks", func(context.Context, struct{}) (string, error) { return "nothing", nil })
	config := host.Config{
		Model: &scripted.Turns{Name: "m", Script: []scripted.Turn{turn}, AfterEnd: scripted.EndRepeat}, Tools: []host.Tool{look},
		Middleware: []host.Middleware{builtin.LoopControl{MaxContinues: new(0), MaxCost: "2.5"}},
		Prices:     &model.Prices{Currency: "USD", Models: map[string]model.Price{"m": {Input: 1000 * 1_000_000_000}}},
	}
	agent, err := host.New(config)
	require.NoError(t, err)
	result, err := agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("hi")}})
	require.NoError(t, err)
	require.Equal(t, "Stopped: the run has cost 3 USD; max_cost is 2.5.", result.Text())
	require.Equal(t, 7, result.Messages.Len()-1, "three calls were answered")

	for name, test := range map[string]struct {
		change func(c *host.Config)
		want   string
	}{
		"no prices":        {func(c *host.Config) { c.Prices = nil }, `the model "m": its price is unknown`},
		"of a named model": {func(c *host.Config) { c.Models = map[string]model.Model{"x": scripted.NewTurns()} }, `the model "scripted": its price is unknown`},
		"no amount": {func(c *host.Config) {
			c.Middleware = []host.Middleware{builtin.LoopControl{MaxCost: "much"}}
		}, `"much" is not an amount`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := config
			test.change(&c)
			_, err := host.New(c)
			require.ErrorContains(t, err, test.want)
		})
	}
	silent := config
	silent.Model = &scripted.Turns{Name: "m", Script: []scripted.Turn{scripted.CallTools(abi.Call("1", "look", nil)), scripted.Say("x")}}
	agent, err = host.New(silent)
	require.NoError(t, err)
	_, err = agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("hi")}})
	require.ErrorContains(t, err, "nobody knows what the model \"m\" has cost")
}
