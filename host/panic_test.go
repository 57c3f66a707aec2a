package host_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// A panic of whoever consumes the events is his own: no hook turns it into its error, and nothing is left running.
func TestAPanicOfTheConsumerGoesOn(t *testing.T) {
	t.Parallel()
	for _, at := range []host.EventType{host.EventRun, host.EventCustom, host.EventTool, host.EventEnd} {
		t.Run("at "+string(at), func(t *testing.T) {
			t.Parallel()
			build := func() *host.Agent {
				b := setup(t, calls("work", "work"), scripted.Say("done")).answering("work", "W")
				return b.use(host.BeforeAgent("x", func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
					rt.Emit("custom", nil)
					return nil, nil
				})).build()
			}
			handle := func(event host.Event) {
				if event.Type == at {
					panic("mine")
				}
			}
			require.PanicsWithValue(t, "mine", func() {
				for event, err := range build().Stream(t.Context(), hi()) {
					require.NoError(t, err)
					handle(event)
				}
			})
			require.PanicsWithValue(t, "mine", func() {
				_, _ = build().RunEvents(t.Context(), hi(), func(event host.Event) error {
					handle(event)
					return nil
				})
			})
		})
	}
}

// Nor is anything left running when the consumer's goroutine ends in the middle, as in a test that fails.
func TestTheGoroutineOfTheConsumerEnds(t *testing.T) {
	t.Parallel()
	b := setup(t, calls("work", "work", "work")).answering("work", "W")
	agent := b.build()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for event, err := range agent.Stream(t.Context(), hi()) {
			if err != nil || event.Type == host.EventTool {
				runtime.Goexit()
			}
		}
	}()
	<-ended
}

func TestAPanicBecomesATypedError(t *testing.T) {
	t.Parallel()
	node := func(context.Context, *host.Runtime) (*host.Update, error) { panic("oops") }
	for _, test := range []struct {
		name string
		add  func(b *bundle)
		want string
	}{
		{"before_agent", func(b *bundle) { b.use(host.BeforeAgent("x", node)) }, `middleware "x": before_agent: panic: oops`},
		{"before_model", func(b *bundle) { b.use(host.BeforeModel("x", node)) }, `middleware "x": before_model: panic: oops`},
		{"after_model", func(b *bundle) { b.use(host.AfterModel("x", node)) }, `middleware "x": after_model: panic: oops`},
		{"after_agent", func(b *bundle) { b.use(host.AfterAgent("x", node)) }, `middleware "x": after_agent: panic: oops`},
		{"wrap_model_call", func(b *bundle) {
			b.use(host.WrapModelCall("x", func(
				context.Context, *host.Runtime, *model.Request, host.ModelHandler,
			) (*model.Response, *host.Update, error) {
				panic("oops")
			}))
		}, `middleware "x": wrap_model_call: panic: oops`},
		{"wrap_tool_call", func(b *bundle) {
			b.use(host.WrapToolCall("x", func(
				context.Context, *host.Runtime, *host.ToolRequest, host.ToolHandler,
			) (*abi.Message, *host.Update, error) {
				panic("oops")
			}))
		}, `middleware "x": wrap_tool_call: panic: oops`},
		{"tool", func(b *bundle) {
			b.Tools = nil
			b.tool("work", func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) { panic("oops") })
		}, `tool "work": call "1": panic: oops`},
		{"model", func(b *bundle) {
			b.Model = modelFunc(func(context.Context) (*model.Response, error) { panic("oops") })
		}, `model "func": panic: oops`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, calls("work", "work"), scripted.Say("done")).answering("work", "W")
			test.add(b)

			result, err := b.run()

			require.EqualError(t, err, test.want)
			var caught *host.PanicError
			require.ErrorAs(t, err, &caught)
			require.Equal(t, "oops", caught.Value)
			require.Contains(t, string(caught.Stack), "panic_test.go")
			require.Equal(t, host.Failed, result.Status)
		})
	}
}
