package host_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// recording is a scripted model that notes how many tools it is offered.
type recording struct {
	model.Model
	b *bundle
}

func (m *recording) Generate(ctx context.Context, req *model.Request) (*model.Response, error) {
	m.b.notef("model with %d tools", len(req.Tools))
	return m.Model.Generate(ctx, req)
}

// limited makes an agent with the tools search and direct, whose model calls are noted.
func limited(t *testing.T, config host.ToolCallConfig, script ...scripted.Turn) *bundle {
	t.Helper()
	b := setup(t, script...).keeps()
	b.Model = &recording{b.Model, b}
	b.ToolCalls = config
	b.ToolCalls.Parallel = 1
	return b.answering("search", "found").answering("direct", "over", direct)
}

func direct(spec *abi.ToolSpec) { spec.ReturnDirect = true }

// limitError is the limit that a run failed by.
func limitError(t *testing.T, err error) host.LimitError {
	t.Helper()
	limit, ok := errors.AsType[*host.LimitError](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, host.CodeToolCallLimit, limit.Code)
	return *limit
}

const (
	loopsText  = "Tool call limit exceeded: the run has no model steps left. This call was not executed."
	batchText  = "Tool call limit exceeded: the response has 3 tool calls, and at most 2 may be made at once. This call was not executed."
	tokensText = "Tool call limit exceeded: the results of tools have used up the run's 4 tokens. This call was not executed."
)

func TestMaxLoopsFails(t *testing.T) {
	t.Parallel()
	b := limited(t, host.ToolCallConfig{MaxLoops: 2}, calls("search"), calls("search", "search"), scripted.Say("later"))
	agent := b.build()

	failed, err := agent.Run(t.Context(), say("hi"))

	require.Equal(t, host.LimitError{
		Code: host.CodeToolCallLimit, Step: "model", Received: 3, Maximum: 2,
		Message: "tool call limit exceeded: the run needs more model steps than max_loops allows, which is 2",
	}, limitError(t, err))
	require.Equal(t, []string{"human: hi", "ai: ", "tool 1: found", "ai: ", "failed 1: " + loopsText, "failed 2: " + loopsText}, lines(failed.Messages))
	require.Equal(t, "model with 2 tools, search, model with 2 tools", strings.Join(b.log, ", "))

	again, err := agent.Run(t.Context(), goOn())
	limitError(t, err)
	require.Equal(t, lines(failed.Messages), lines(again.Messages), "to go on changes nothing: the limit is of the run")

	next := completed(t, agent, say("again"))
	require.Equal(t, "later", next.Text(), "a new run counts anew")
}

func TestMaxLoopsEndsWithAnAnswer(t *testing.T) {
	t.Parallel()
	b := limited(t, host.ToolCallConfig{MaxLoops: 2, ErrorOnExceedLimit: new(false)}, calls("search"), calls("search"), scripted.Say("so far"))
	result := b.mustRun()
	require.Equal(t, []string{"human: hi", "ai: ", "tool 1: found", "ai: ", "tool 1: found", "ai: so far"}, lines(result.Messages))
	require.Equal(t, "model with 2 tools, search, model with 2 tools, search, model with 0 tools", strings.Join(b.log, ", "))
}

func TestAModelThatAsksForToolsThatItWasNotOfferedHasTheLastWord(t *testing.T) {
	t.Parallel()
	b := limited(t, host.ToolCallConfig{MaxLoops: 2, ErrorOnExceedLimit: new(false)}, calls("search"), calls("search"), calls("search", "direct"))
	b.use(host.AfterAgent("again", constant(&host.Update{JumpTo: abi.JumpModel}, nil), host.CanJumpTo(abi.JumpModel)))
	result := b.mustRun()
	require.Equal(t, []string{"failed 1: " + loopsText, "failed 2: " + loopsText}, lines(result.Messages)[6:])
	require.Len(t, b.log, 5)
}

func TestMaxLoopsCountsModelStepsAlone(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		script []scripted.Turn
		fails  bool
	}{
		{"no tools in the last step", []scripted.Turn{calls("search"), scripted.Say("done")}, false},
		{"a tool that returns directly", []scripted.Turn{calls("search"), calls("direct")}, false},
		{"with another", []scripted.Turn{calls("search"), calls("direct", "search")}, true},
		{"with an unknown one", []scripted.Turn{calls("search"), calls("direct", "unknown")}, false},
		{"an unknown one", []scripted.Turn{calls("search"), calls("unknown")}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := limited(t, host.ToolCallConfig{MaxLoops: 2}, test.script...)
			twice := func(ctx context.Context, _ *host.Runtime, req *model.Request, next host.ModelHandler) (*model.Response, *host.Update, error) {
				resp, err := next(ctx, req)
				return resp, nil, err
			}
			b.use(host.WrapModelCall("twice", twice))
			_, err := b.run()
			require.Equal(t, test.fails, err != nil, "%v", err)
		})
	}
}

func TestMaxLoopsHoldsForJumps(t *testing.T) {
	t.Parallel()
	for _, fails := range []bool{true, false} {
		b := limited(t, host.ToolCallConfig{MaxLoops: 2, ErrorOnExceedLimit: &fails}, calls("search"), calls("search"), calls("search"), calls("search"))
		b.use(host.AfterModel("again", constant(&host.Update{JumpTo: abi.JumpModel}, nil), host.CanJumpTo(abi.JumpModel)))
		result, err := b.run()
		at := result.Messages.LastAI()
		require.NotNil(t, result.Messages.Answer(at, "1"), "the last answer's calls are answered")
		if fails {
			limitError(t, err)
			require.Len(t, b.log, 2)
			continue
		}
		require.NoError(t, err)
		require.Len(t, b.log, 3, "the jump ends with the model's last word")
	}
}

func TestMaxLoopsCountsRoundsWithoutAModelStep(t *testing.T) {
	t.Parallel()
	for _, target := range []abi.Target{abi.JumpModel, abi.JumpTools} {
		rounds := 0
		hook := host.BeforeModel("x", func(context.Context, *host.Runtime) (*host.Update, error) {
			rounds++
			return &host.Update{JumpTo: target}, nil
		}, host.CanJumpTo(target))

		in := host.Input{Messages: []abi.Message{abi.Human("hi"), abi.AI("nothing to call")}}
		_, err := limited(t, host.ToolCallConfig{MaxLoops: 3}).use(hook).build().Run(t.Context(), in)

		var exceeded *host.LimitError
		require.ErrorAs(t, err, &exceeded)
		require.Equal(t, host.CodeToolCallLimit, exceeded.Code)
		require.Equal(t, 4, rounds, "the fourth would exceed the limit")

		rounds = 0
		result, err := limited(t, host.ToolCallConfig{MaxLoops: 3, ErrorOnExceedLimit: new(false)}, scripted.Say("done")).use(hook).build().Run(t.Context(), in)

		require.NoError(t, err)
		require.Equal(t, host.Completed, result.Status)
		require.Equal(t, 4, rounds, "the last jump is ignored")
	}
}

func TestMaxLoopsGoesOnOverInterrupts(t *testing.T) {
	t.Parallel()
	b := limited(t, host.ToolCallConfig{MaxLoops: 2}, calls("ask"), calls("search")).askingTool()
	agent := b.build()
	interrupted(t, agent, say("hi"))
	_, err := agent.Run(t.Context(), resume(host.Answer{Value: "yes"}))
	limitError(t, err)
}

func TestMaxPerResponse(t *testing.T) {
	t.Parallel()
	b := limited(t, host.ToolCallConfig{MaxPerResponse: 2}, calls("search", "direct", "search"), scripted.Say("done"))
	agent := b.build()
	failed, err := agent.Run(t.Context(), say("hi"))
	require.Equal(t, host.LimitError{
		Code: host.CodeToolCallLimit, Step: "model", Received: 3, Maximum: 2,
		Message: "tool call limit exceeded: the response has 3 tool calls, and max_per_response is 2",
	}, limitError(t, err))
	require.Equal(t, []string{"human: hi", "ai: ", "failed 1: " + batchText, "failed 2: " + batchText, "failed 3: " + batchText}, lines(failed.Messages))
	require.Equal(t, []string{"model with 2 tools"}, b.log)
	completed(t, agent, goOn())

	b = limited(t, host.ToolCallConfig{MaxPerResponse: 2, ErrorOnExceedLimit: new(false)}, calls("search", "search", "search"), scripted.Say("done"))
	result := b.mustRun()
	require.Equal(t, []string{"human: hi", "ai: ", "failed 3: " + batchText, "tool 1: found", "tool 2: found", "ai: done"}, lines(result.Messages))
}

func TestACallThatAWrapAnswersIsNotAnsweredAgain(t *testing.T) {
	t.Parallel()
	b := limited(t, host.ToolCallConfig{MaxPerResponse: 2}, calls("search", "search", "search"), scripted.Say("done"))
	b.use(host.WrapModelCall("answers", func(
		ctx context.Context, _ *host.Runtime, req *model.Request, next host.ModelHandler,
	) (*model.Response, *host.Update, error) {
		resp, err := next(ctx, req)
		if err != nil || len(resp.AI().ToolCalls) == 0 {
			return resp, nil, err
		}
		return resp, &host.Update{Messages: []abi.Message{abi.ToolResult(resp.AI().ToolCalls[1], "mine")}}, nil
	}))
	result := b.mustRun()
	require.Equal(t, []string{"human: hi", "ai: ", "tool 2: mine", "tool 1: found", "tool 3: found", "ai: done"}, lines(result.Messages))
}

func TestMaxTotalTokens(t *testing.T) {
	t.Parallel()
	left := "Tool call limit exceeded: the call was executed, but its result is left out: it has 2 tokens, and 0 of the run's 3 are left."
	for _, fails := range []bool{true, false} {
		b := limited(t, host.ToolCallConfig{MaxTotalTokens: 3, ErrorOnExceedLimit: &fails}, calls("search", "direct", "search"), scripted.Say("done"))
		result, err := b.run()
		want := []string{"human: hi", "ai: ", "tool 1: found", "tool 2: over", "failed 3: " + left}
		if fails {
			require.Equal(t, host.LimitError{
				Code: host.CodeToolCallLimit, Step: "tools", Received: 5, Maximum: 3,
				Message: "tool call limit exceeded: the results of the run's tools have 5 tokens, and max_total_tokens is 3",
			}, limitError(t, err))
		} else {
			require.NoError(t, err)
			want = append(want, "ai: done")
		}
		require.Equal(t, want, lines(result.Messages), "found has two tokens, over has one")
	}
}

func TestWithoutTokensLeftNoToolRuns(t *testing.T) {
	t.Parallel()
	for _, fails := range []bool{true, false} {
		b := limited(t, host.ToolCallConfig{MaxTotalTokens: 4, ErrorOnExceedLimit: &fails}, calls("search"), calls("search"), calls("search"), scripted.Say("done"))
		result, err := b.run()
		require.Equal(t, []string{
			"human: hi", "ai: ", "tool 1: found", "ai: ", "tool 1: found", "ai: ", "failed 1: " + tokensText,
		}, lines(result.Messages)[:7])
		if fails {
			require.Equal(t, 4, limitError(t, err).Received)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, "done", result.Text())
	}
}

func TestNoTokensAreLeftAfterTheLimit(t *testing.T) {
	t.Parallel()
	b := limited(t, host.ToolCallConfig{MaxTotalTokens: 1}, calls("search", "ask"), calls("direct")).askingTool()
	agent := b.build()
	failed, err := agent.Run(t.Context(), say("hi"))
	limitError(t, err)
	require.Empty(t, failed.Interrupts, "a call that waits is answered too")
	b.log = nil
	again, err := agent.Run(t.Context(), goOn())
	limitError(t, err)
	require.Equal(t, []string{"model with 3 tools"}, b.log, "no tool runs any more")
	require.Len(t, lines(again.Messages), 6)
}

func TestWhatCountsAsTokens(t *testing.T) {
	t.Parallel()
	blocks := func() abi.Content {
		raw, err := host.Encode([]any{map[string]any{"type": "json", "data": strings.Repeat("z", 1000)}})
		require.NoError(t, err)
		var content abi.Content
		_, err = content.UnmarshalMsg(raw)
		require.NoError(t, err)
		return content
	}()
	for name, output := range map[string]host.ToolOutput{
		"blocks":                 {Content: blocks},
		"messages of the update": {Update: &host.Update{Messages: []abi.Message{abi.Human(strings.Repeat("y", 1000))}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, calls("big"), scripted.Say("done"))
			b.ToolCalls = host.ToolCallConfig{MaxTotalTokens: 3, ErrorOnExceedLimit: new(false)}
			b.tool("big", func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) { return &output, nil })
			result := b.mustRun()
			require.Equal(t, 4, result.Messages.Len())
			require.Contains(t, lines(result.Messages)[2], "its result is left out")
		})
	}
}

func TestALimitBesideAWrapThatWritesTheHistoryAnew(t *testing.T) {
	t.Parallel()
	b := limited(t, host.ToolCallConfig{MaxPerResponse: 1, ErrorOnExceedLimit: new(false)}, calls("search", "search"))
	b.use(host.WrapModelCall("summary", passing(func(*host.Runtime) *host.Update {
		return &host.Update{Overwrite: true, Messages: []abi.Message{abi.Human("summary")}}
	})))
	require.Equal(t, []string{"human: summary"}, lines(b.mustRun().Messages), "no answer without its call")
}

func TestMaxLoopsWithAnAnswerBesideADirectCall(t *testing.T) {
	t.Parallel()
	b := limited(t, host.ToolCallConfig{MaxLoops: 1}, calls("search", "direct"))
	b.use(host.WrapModelCall("answers", func(
		ctx context.Context, _ *host.Runtime, req *model.Request, next host.ModelHandler,
	) (*model.Response, *host.Update, error) {
		resp, err := next(ctx, req)
		return resp, &host.Update{Messages: []abi.Message{abi.ToolResult(resp.AI().ToolCalls[0], "mine")}}, err
	}))
	_, err := b.run()
	limitError(t, err)
	require.Equal(t, []string{"model with 2 tools"}, b.log, "the model would have to go on: no tool runs")
}

func TestTheLastWordIsSpokenWithoutToolsAndOnce(t *testing.T) {
	t.Parallel()
	b := limited(t, host.ToolCallConfig{MaxLoops: 1, ErrorOnExceedLimit: new(false)}, calls("search"), scripted.Say("so far"))
	b.use(
		host.WrapModelCall("offers", func(
			ctx context.Context, _ *host.Runtime, req *model.Request, next host.ModelHandler,
		) (*model.Response, *host.Update, error) {
			resp, err := next(ctx, req.WithTools([]abi.ToolSpec{{Name: "search"}}))
			return resp, nil, err
		}),
		host.AfterAgent("audit", func(context.Context, *host.Runtime) (*host.Update, error) {
			b.notef("audit")
			return nil, nil
		}),
		host.AfterAgent("again", constant(&host.Update{JumpTo: abi.JumpModel}, nil), host.CanJumpTo(abi.JumpModel)),
	)
	events, err := b.stream()
	require.NoError(t, err)
	require.Equal(t, []string{"model with 1 tools", "search", "model with 0 tools", "audit"}, b.log)
	require.Equal(t, []string{
		"again.after_agent: the jump to \"model\" is ignored: the run has no model steps left (max_loops)",
	}, warnings(events))
}

// countingModel is a model that counts tokens itself.
type countingModel struct{ model.Model }

func (countingModel) CountTokens(*abi.Message) int { return 100 }

func TestTheModelCountsTheTokens(t *testing.T) {
	t.Parallel()
	b := limited(t, host.ToolCallConfig{MaxTotalTokens: 99}, calls("search"))
	b.Model = countingModel{b.Model}
	_, err := b.run()
	require.Equal(t, 100, limitError(t, err).Received)
}
