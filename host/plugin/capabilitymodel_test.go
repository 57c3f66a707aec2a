package plugin_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/internal/guestkit"
)

var generate = guestkit.Document(&abi.GenerateRequest{Messages: []abi.Message{abi.Human("hi")}})

func TestModelCapability(t *testing.T) {
	t.Parallel()
	var got *model.Request
	g := capable(abi.OpModelGenerate)
	g.On("before_agent", show(g, abi.OpModelGenerate, guestkit.Document(&abi.GenerateRequest{
		Model: "small", Messages: []abi.Message{abi.Human("spam?")}, System: abi.Text("yes or no"),
		Settings: wire.Map{{Key: "max_tokens", Value: wire.Int(5)}},
	})))
	b := setup(t, plugin.Wasm{Bytes: g.Bytes(), Grant: everything()}, func(c *host.Config) {
		withSmall(c)
		small := c.Models["small"]
		c.Models["small"] = spy{small, func(r *model.Request) { got = r }}
	})
	events, err := b.run(t)
	require.NoError(t, err)
	require.Regexp(t, `^\[\{"messages":\[\{"content":"small talk","id":"msg-[0-9a-f]+-1","role":"ai","usage":\{.*\}\}\]\}\]$`, shown(t, events))
	require.Equal(t, "spam?", got.Messages.At(0).Content.Text())
	require.Equal(t, 1, got.Messages.Len(), "the history is not added")
	require.Equal(t, "yes or no", got.System.Text())
	require.Equal(t, `{"max_tokens":5}`, got.Settings.Raw().JSON())
	require.Empty(t, got.Tools)
	result, err := b.agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("hi")}})
	require.NoError(t, err)
	require.EqualValues(t, 7, result.Usage.TotalTokens, "it costs the run")
}

func TestModelCapabilityIsLimited(t *testing.T) {
	t.Parallel()
	g := capable(abi.OpModelGenerate)
	other := guestkit.Document(&abi.GenerateRequest{Messages: []abi.Message{abi.Human("hi")}, Model: "large"})
	g.On("before_agent",
		g.HostCall(abi.OpModelGenerate, other, abi.EDENIED),
		guestkit.Repeat(3, g.HostCall(abi.OpModelGenerate, generate, abi.StatusOK)...),
		guestkit.Repeat(2, g.HostCall(abi.OpModelGenerate, generate, abi.ELIMIT)...), guestkit.Nothing)
	grant := everything()
	grant.ModelGenerate.Calls = 3
	b, _ := grants(t, g, grant)
	_, err := b.run(t)
	require.NoError(t, err, "the next run has calls of its own")
}

// The calls of a run are counted over its interrupts.
func TestModelCapabilityCountsOverInterrupts(t *testing.T) {
	t.Parallel()
	g := guestkit.New(abi.Description{
		Capabilities: asking(abi.OpModelGenerate), Hooks: abi.HookSpecs{BeforeAgent: &abi.HookSpec{}, AfterAgent: &abi.HookSpec{}},
	})
	g.On("before_agent", guestkit.Repeat(10, g.HostCall(abi.OpModelGenerate, generate, abi.StatusOK)...), guestkit.Nothing)
	g.On("after_agent", g.HostCall(abi.OpModelGenerate, generate, abi.ELIMIT), guestkit.Nothing)
	b := setup(t, plugin.Wasm{Bytes: g.Bytes(), Grant: everything()}, withSmall, func(c *host.Config) {
		c.Checkpointer, c.InterruptBefore = memory.New(), []string{"tools"}
	})
	for range 2 {
		result, err := b.agent.Run(t.Context(), host.Input{Thread: "one", Messages: []abi.Message{abi.Human("hi")}})
		require.NoError(t, err)
		require.Equal(t, host.Interrupted, result.Status)
		result, err = b.agent.Run(t.Context(), host.Input{Thread: "one", Continue: true})
		require.NoError(t, err)
		require.Equal(t, host.Completed, result.Status)
	}
}

func TestModelCapabilityOfAModelThatFails(t *testing.T) {
	t.Parallel()
	g := capable(abi.OpModelGenerate)
	g.On("before_agent", show(g, abi.OpModelGenerate, generate))
	_, events := grants(t, g, everything(), func(c *host.Config) {
		c.Models["small"] = failingModel{errors.New("no connection")}
	})
	require.Equal(t, `[{"message":"model \"failing\": no connection","type":"model_error"}]`, shown(t, events))
}

func TestModelCapabilityIsCancelledWithTheRun(t *testing.T) {
	t.Parallel()
	g := capable(abi.OpModelGenerate)
	g.On("before_agent",
		g.HostCall(abi.OpModelGenerate, generate, abi.StatusCancelled),
		g.HostCall(abi.OpModelGenerate, generate, abi.StatusCancelled), guestkit.Trap)
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	b := setup(t, plugin.Wasm{Bytes: g.Bytes(), Grant: everything()}, withSmall, func(c *host.Config) {
		c.Models["small"] = spy{failingModel{context.Canceled}, func(*model.Request) {
			calls++
			cancel()
		}}
	})
	result, err := b.agent.Run(ctx, host.Input{Messages: []abi.Message{abi.Human("hi")}})
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, host.Cancelled, result.Status)
	require.NotErrorAs(t, err, new(*plugin.Error), "a fault in a closed frame is discarded")
	require.Equal(t, 1, calls)
}

// spy is a model that shows what it is asked.
type spy struct {
	model.Model
	look func(*model.Request)
}

func (s spy) Generate(ctx context.Context, req *model.Request) (*model.Response, error) {
	s.look(req)
	return s.Model.Generate(ctx, req)
}
