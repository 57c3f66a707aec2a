package host_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// asking is a node hook that asks one question after the other and notes the answers.
func (b *bundle) asking(keys ...string) host.NodeFunc {
	return func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
		b.notef("asks, seed %x", rt.Seed()>>48)
		for _, key := range keys {
			answer, err := rt.Interrupt(key, wire.String(key+"?"))
			if err != nil {
				return nil, err
			}
			b.notef("%s: %s", key, answer.JSON())
		}
		return nil, nil
	}
}

// askingTool adds the tool ask, which asks before it answers.
func (b *bundle) askingTool() *bundle {
	return b.tool("ask", func(_ context.Context, rt *host.Runtime, call *abi.ToolCall) (*host.ToolOutput, error) {
		b.notef("ask %s", call.ID)
		answer, err := rt.Interrupt("ok", wire.String("may I "+call.ID))
		if err != nil {
			return nil, err
		}
		return host.TextOutput(answer.JSON()), nil
	})
}

// interrupted runs the agent and returns the ids of what it waits for.
func interrupted(t *testing.T, agent *host.Agent, in host.Input) []string {
	t.Helper()
	result, err := agent.Run(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, host.Interrupted, result.Status)
	ids := make([]string, 0, len(result.Interrupts))
	for _, asked := range result.Interrupts {
		ids = append(ids, asked.ID)
	}
	return ids
}

func completed(t *testing.T, agent *host.Agent, in host.Input) *host.Result {
	t.Helper()
	result, err := agent.Run(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, host.Completed, result.Status)
	return result
}

func TestEveryHookAndToolCanAskAndIsAnswered(t *testing.T) {
	t.Parallel()
	wrapModel := func(ctx context.Context, rt *host.Runtime, req *model.Request, next host.ModelHandler) (*model.Response, *host.Update, error) {
		answer, err := rt.Interrupt("q", wire.String("?"))
		if err != nil {
			return nil, nil, err
		}
		resp, err := next(ctx, req)
		return resp, setting("answer", answer), err
	}
	wrapTool := func(ctx context.Context, rt *host.Runtime, req *host.ToolRequest, next host.ToolHandler) (*abi.Message, *host.Update, error) {
		m, err := next(ctx, req) // the tool runs again with the hook
		if err != nil {
			return nil, nil, err
		}
		answer, err := rt.Interrupt("q", wire.String("?"))
		return m, setting("answer", answer), err
	}
	node := func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
		answer, err := rt.Interrupt("q", wire.String("?"))
		return setting("answer", answer), err
	}
	for name, use := range map[string]func(b *bundle){
		"x.before_agent":    func(b *bundle) { b.use(host.BeforeAgent("x", node)) },
		"x.before_model":    func(b *bundle) { b.use(host.BeforeModel("x", node)) },
		"x.wrap_model_call": func(b *bundle) { b.use(host.WrapModelCall("x", wrapModel)) },
		"x.after_model":     func(b *bundle) { b.use(host.AfterModel("x", node)) },
		"x.wrap_tool_call":  func(b *bundle) { b.use(host.WrapToolCall("x", wrapTool)) },
		"x.after_agent":     func(b *bundle) { b.use(host.AfterAgent("x", node)) },
		"tools": func(b *bundle) {
			b.tool("asks", func(_ context.Context, rt *host.Runtime, _ *abi.ToolCall) (*host.ToolOutput, error) {
				answer, err := rt.Interrupt("q", wire.String("?"))
				return &host.ToolOutput{Update: setting("answer", answer)}, err
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			turn := calls("search")
			if name == "tools" {
				turn = calls("asks")
			}
			b := setup(t, turn, turn, turn, scripted.Say("done"), scripted.Say("done"), scripted.Say("done")).keeps()
			b.State = []host.Field{{Name: "answer", Reducer: host.Append()}}
			b.answering("search", "found")
			use(b)
			agent := b.build()
			result, err := agent.Run(t.Context(), say("hi"))
			require.NoError(t, err)
			asked := map[string]bool{}
			for n := 1; result.Status == host.Interrupted; n++ {
				require.Len(t, result.Interrupts, 1)
				require.Equal(t, name, result.Interrupts[0].Step)
				require.False(t, asked[result.Interrupts[0].ID], "a new question has a new id")
				asked[result.Interrupts[0].ID] = true
				again := outcome(t, agent, goOn())
				nothingHappened(t, result, again)
				result = outcome(t, agent, resume(host.Answer{Value: []int{n}}))
			}
			require.NotEmpty(t, asked)
			answers := make([]int, 0, len(asked))
			for n := range len(asked) {
				answers = append(answers, n+1)
			}
			want, err := host.Encode(map[string]any{"answer": answers})
			require.NoError(t, err)
			require.Equal(t, want.JSON(), stateOf(result))
			distinct(t, result)
		})
	}
}

func outcome(t *testing.T, agent *host.Agent, in host.Input) *host.Result {
	t.Helper()
	result, err := agent.Run(t.Context(), in)
	require.NoError(t, err)
	return result
}

func TestAResumedHookRunsAgainWithAllAnswersSoFar(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Say("done")).keeps()
	b.use(host.BeforeModel("x", b.asking("a", "b")))
	agent := b.build()

	first := interrupted(t, agent, say("hi"))
	second := interrupted(t, agent, resume(host.Answer{Value: 1}))
	require.NotEqual(t, first, second)
	result := completed(t, agent, resume(host.Answer{Interrupt: second[0], Value: 2}))

	require.Equal(t, []string{"asks, seed 2286", "asks, seed 2286", "a: 1", "asks, seed 2286", "a: 1", "b: 2"}, b.log)
	require.Equal(t, 2, result.Steps, "a step that was interrupted counts once")
}

func TestToolCallsAskAtOnceAndAreAnsweredOneByOne(t *testing.T) {
	t.Parallel()
	for _, parallel := range []int{1, 8} {
		t.Run(fmt.Sprint("parallel ", parallel), func(t *testing.T) {
			t.Parallel()
			b := setup(t, calls("ask", "search", "ask"), scripted.Say("done")).keeps()
			b.ToolCalls.Parallel = parallel
			b.askingTool().answering("search", "found")
			agent := b.build()

			ids := interrupted(t, agent, say("hi"))
			require.Len(t, ids, 2)
			b.log = nil
			require.Equal(t, ids, interrupted(t, agent, goOn()))
			require.Empty(t, b.log)
			require.Equal(t, ids[:1], interrupted(t, agent, resume(host.Answer{Interrupt: ids[1], Value: "yes"})))
			require.Equal(t, []string{"ask 3"}, b.log, "what has no answer does not run again, what finished neither")
			result := completed(t, agent, resume(host.Answer{Value: "no"}))

			require.Equal(t, []string{"human: hi", "ai: ", `tool 1: "no"`, "tool 2: found", `tool 3: "yes"`, "ai: done"}, lines(result.Messages))
			require.Equal(t, []string{"ask 3", "ask 1"}, b.log)
		})
	}
}

func TestAnAnswerThatIsRefusedCanBeCorrected(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Say("done")).keeps()
	refuses := true
	b.use(host.BeforeModel("x", func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
		answer, err := rt.Interrupt("n", wire.String("how many?"))
		if err != nil {
			return nil, err
		}
		if n, ok := answer.AsInt(); !ok || (n != 3 && refuses) {
			return nil, fmt.Errorf("%s is not a number of mine", answer.JSON())
		}
		b.notef("%s", answer.JSON())
		return nil, nil
	}))
	agent := b.build()
	ids := interrupted(t, agent, say("hi"))

	failed, err := agent.Run(t.Context(), resume(host.Answer{Value: "two"}))
	require.ErrorContains(t, err, `"two" is not a number of mine`)
	require.Empty(t, failed.Interrupts)
	_, err = agent.Run(t.Context(), goOn())
	require.ErrorContains(t, err, `"two" is not a number of mine`, "the answer is kept for a step that fails for another reason")
	_, err = agent.Run(t.Context(), resume(host.Answer{Interrupt: ids[0], Value: 2}))
	require.ErrorContains(t, err, "2 is not a number of mine")
	completed(t, agent, resume(host.Answer{Value: 3}))
	require.Equal(t, []string{"3"}, b.log)
}

func TestAHookMayAskTheSameAgain(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Say("done")).keeps()
	b.use(host.BeforeModel("x", func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
		if answer, ok := rt.Answers().Get("n").AsInt(); ok && answer > 3 {
			return nil, nil
		}
		return nil, &host.InterruptError{Interrupts: []abi.Interrupt{{Key: "n", Value: wire.String("more than 3, please")}}}
	}))
	agent := b.build()
	ids := interrupted(t, agent, say("hi"))
	require.Equal(t, ids, interrupted(t, agent, resume(host.Answer{Value: 1})), "it is the same question")
	completed(t, agent, resume(host.Answer{Value: 4}))
}

func TestAFailureBesideAQuestion(t *testing.T) {
	t.Parallel()
	b := setup(t, calls("ask", "flaky"), scripted.Say("done")).keeps()
	b.ToolCalls.Parallel = 1
	b.askingTool().flaky()
	agent := b.build()

	failed, err := agent.Run(t.Context(), say("hi"))
	require.EqualError(t, err, `tool "flaky": call "2": unlucky`)
	require.Equal(t, host.Failed, failed.Status)
	interrupted(t, agent, goOn())
	require.Equal(t, []string{"ask 1", "flaky", "flaky"}, b.log, "the call that asks waits on")
	result := completed(t, agent, resume(host.Answer{Value: "yes"}))
	require.Equal(t, []string{"human: hi", "ai: ", `tool 1: "yes"`, "tool 2: worked", "ai: done"}, lines(result.Messages))
}

func TestAnswersThatAreRefused(t *testing.T) {
	t.Parallel()
	b := setup(t, calls("ask", "ask"), scripted.Say("done")).keeps().askingTool()
	agent := b.build()
	ids := interrupted(t, agent, say("hi"))
	for _, test := range []struct {
		name    string
		answers []host.Answer
		want    string
	}{
		{"without an id", []host.Answer{{Value: 1}}, "several interrupts wait; the answer must name one of " + ids[0] + ", " + ids[1]},
		{"of an unknown id", []host.Answer{{Interrupt: "x", Value: 1}}, `there is no interrupt "x"; it has ` + ids[0] + ", " + ids[1]},
		{"of nil", []host.Answer{{Interrupt: ids[0]}}, "the answer to " + ids[0] + " is nil; give a value"},
		{"twice", []host.Answer{{Interrupt: ids[0], Value: 1}, {Interrupt: ids[0], Value: 2}}, ids[0] + " is answered twice"},
		{"of what cannot be kept", []host.Answer{{Interrupt: ids[0], Value: func() {}}}, "the answer to " + ids[0] + ": "},
	} {
		_, err := agent.Run(t.Context(), resume(test.answers...))
		require.ErrorContains(t, err, test.want, test.name)
	}
	b.log = nil
	require.Equal(t, ids, interrupted(t, agent, goOn()), "nothing of them counted")
	require.Empty(t, b.log)
	result := completed(t, agent, resume(host.Answer{Interrupt: ids[0], Value: 1}, host.Answer{Interrupt: ids[1], Value: 2}))
	require.Equal(t, []string{"human: hi", "ai: ", "tool 1: 1", "tool 2: 2", "ai: done"}, lines(result.Messages))
}

func TestEventsOfAResume(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Say("done")).keeps()
	b.use(host.BeforeModel("x", b.asking("a")))
	agent := b.build()
	ids := interrupted(t, agent, say("hi"))
	var events []host.Event
	for event, err := range agent.Stream(t.Context(), resume(host.Answer{Value: "yes"})) {
		require.NoError(t, err)
		events = append(events, event)
	}
	require.Equal(t, host.EventRun, events[0].Type)
	require.Equal(t, "run-2a", events[0].Run)
	require.Equal(t, `"yes"`, events[0].Answers.Get(ids[0]).JSON())
	require.Empty(t, events[0].Messages)
	require.Equal(t, host.EventCheckpoint, events[1].Type, "the answer is kept before anything happens with it")
	require.Equal(t, checkpoint.SourceResume, events[1].Source)
	require.Equal(t, host.EventStep, events[2].Type)
	require.Equal(t, 1, events[2].Index, "the step that was interrupted")
	require.Equal(t, host.Completed, events[len(events)-1].Status)
}

func TestWithoutACheckpointerAnInterruptEndsTheRun(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.use(host.BeforeModel("x", b.asking("a")))
	agent := b.build()
	result, err := agent.Run(t.Context(), hi())
	require.NoError(t, err)
	require.Equal(t, host.Interrupted, result.Status)
	require.Equal(t, "x.before_model", result.Next)
	_, err = agent.Run(t.Context(), host.Input{Resume: []host.Answer{{Value: 1}}})
	require.ErrorIs(t, err, host.ErrNoCheckpointer)
}

func TestEventsOfAResumeThatIsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t, calls("ask", "ask"), scripted.Say("done")).keeps().askingTool()
	agent := b.build()
	ids := interrupted(t, agent, say("hi"))
	var run host.Event
	_, err := agent.RunEvents(t.Context(), resume(host.Answer{Interrupt: ids[0], Value: 1}, host.Answer{Interrupt: "x", Value: 1}),
		func(e host.Event) error {
			if e.Type == host.EventRun {
				run = e
			}
			return nil
		})
	require.ErrorContains(t, err, `there is no interrupt "x"`)
	require.Empty(t, run.Answers)
}

// A hook runs its tool, asks whether the result will do, and tries again if it will not.
func TestAToolInsideOfAHookThatAskedRunsOnceForEachTime(t *testing.T) {
	t.Parallel()
	for answer, runs := range map[string]int{"yes": 1, "again": 2} {
		b := setup(t, calls("draw"), scripted.Say("done")).keeps()
		drawn := 0
		b.tool("draw", func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
			drawn++
			return host.TextOutput(fmt.Sprint("picture ", drawn)), nil
		})
		b.use(host.WrapToolCall("review", func(
			ctx context.Context, rt *host.Runtime, req *host.ToolRequest, next host.ToolHandler,
		) (*abi.Message, *host.Update, error) {
			m, err := next(ctx, req)
			if err != nil {
				return nil, nil, err
			}
			said, err := rt.Interrupt("good?", nil)
			if err == nil && said.Equal(wire.String("again")) {
				m, err = next(ctx, req)
			}
			return m, nil, err
		}))
		agent := b.build()
		_, err := agent.Run(t.Context(), say("draw a cat"))
		require.NoError(t, err)
		require.Equal(t, 1, drawn)
		result := completed(t, agent, resume(host.Answer{Value: answer}))
		require.Equal(t, runs, drawn, answer)
		require.Contains(t, lines(result.Messages), fmt.Sprint("tool 1: picture ", runs))
	}
}
