package host_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
)

func TestBreakpoints(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name          string
		before, after []string
		stops         []string // what comes next, at each stop
	}{
		{"before the model", []string{"model"}, nil, []string{"model", "model"}},
		{"before the tools", []string{"tools"}, nil, []string{"tools"}},
		{"after the model", nil, []string{"model"}, []string{"x.after_model", "x.after_model"}},
		{"after the last step", nil, []string{"x.after_model"}, []string{"tools"}},
		{"before and after", []string{"tools"}, []string{"x.after_model"}, []string{"tools"}},
		{"every step", []string{"model", "tools", "x.after_model"}, []string{"model", "tools"}, []string{
			"model", "x.after_model", "tools", "model", "x.after_model",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, calls("search"), scripted.Say("done")).keeps().answering("search", "found")
			b.use(host.AfterModel("x", constant(nil, nil)))
			b.InterruptBefore, b.InterruptAfter = test.before, test.after
			agent := b.build()
			var stops []string
			result, err := agent.Run(t.Context(), say("hi"))
			for ; err == nil && result.Status == host.Interrupted; result, err = agent.Run(t.Context(), goOn()) {
				require.Empty(t, result.Interrupts)
				stops = append(stops, result.Next)
			}
			require.NoError(t, err)
			require.Equal(t, host.Completed, result.Status)
			require.Equal(t, test.stops, stops)
			require.Equal(t, []string{"human: hi", "ai: ", "tool 1: found", "ai: done"}, lines(result.Messages))
			require.Equal(t, []string{"search"}, b.log)
			require.Equal(t, 5, result.Steps)
		})
	}
}

func TestABreakpointStopsAStepThatFailsOnce(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Fail(errors.New("down")), scripted.Say("done")).keeps()
	b.InterruptBefore = []string{"model"}
	agent := b.build()
	stopped, err := agent.Run(t.Context(), say("hi"))
	require.NoError(t, err)
	require.Equal(t, host.Interrupted, stopped.Status)

	_, err = agent.Run(t.Context(), resume(host.Answer{Value: 1}))
	require.ErrorIs(t, err, host.ErrNotWaiting)
	_, err = agent.Run(t.Context(), goOn())
	require.EqualError(t, err, `model "scripted": down`)
	done, err := agent.Run(t.Context(), goOn())
	require.NoError(t, err)
	require.Equal(t, host.Completed, done.Status)
}

func TestABreakpointWithoutAThreadEndsTheRun(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.InterruptBefore = []string{"model"}
	result, err := b.run()
	require.NoError(t, err)
	require.Equal(t, host.Interrupted, result.Status)
	require.Equal(t, "model", result.Next)
}

func TestABreakpointAtAnUnknownStep(t *testing.T) {
	t.Parallel()
	b := setup(t).use(host.AfterModel("x", constant(nil, nil)))
	b.InterruptAfter = []string{"tools"}
	_, err := host.New(b.Config)
	require.EqualError(t, err, `breakpoint "tools": there is no such step; the steps are model, x.after_model`)
}

func TestBreakpointsOfOneRun(t *testing.T) {
	t.Parallel()
	b := setup(t, calls("search"), scripted.Say("done"), scripted.Say("again")).keeps().answering("search", "found")
	b.InterruptBefore = []string{"tools"}
	agent := b.build()
	in := say("hi")
	in.InterruptAfter = []string{"tools"}
	require.Equal(t, "tools", outcome(t, agent, in).Next, "that of the agent holds, too")
	in = goOn()
	in.InterruptAfter = []string{"tools"}
	require.Equal(t, "model", outcome(t, agent, in).Next)
	in = goOn()
	in.InterruptBefore = []string{host.AllSteps}
	require.Equal(t, "done", completed(t, agent, in).Text(), "it has stopped before the model already")
	require.Equal(t, []string{"search"}, b.log)

	in = say("more")
	in.InterruptBefore = []string{host.AllSteps}
	require.Equal(t, "model", outcome(t, agent, in).Next)
	require.Equal(t, "again", completed(t, agent, goOn()).Text(), "another input has none")

	in.InterruptBefore = []string{"nowhere"}
	_, err := agent.Run(t.Context(), in)
	require.EqualError(t, err, `breakpoint "nowhere": there is no such step; the steps are model, tools`)
}
