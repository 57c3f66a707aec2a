package model_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
)

func TestEndingOf(t *testing.T) {
	t.Parallel()
	for reason, want := range map[string]model.Ending{
		"": model.Complete, "stop": model.Complete, "end_turn": model.Complete, "tool_calls": model.Complete, "STOP": model.Complete,
		"pause_turn": model.Paused, "something_new": model.Complete,
		"length": model.CutOff, "max_tokens": model.CutOff, "MAX_TOKENS": model.CutOff, "incomplete": model.CutOff, "max_output_tokens": model.CutOff,
		"model_context_window_exceeded": model.CutOff,
		"content_filter":                model.Filtered, "SAFETY": model.Filtered, "RECITATION": model.Filtered, "refusal": model.Declined,
		model.StopError: model.Broken,
	} {
		got := model.EndingOf(reason)
		require.Equal(t, want, got, reason)
		require.Equal(t, want == model.Complete, got.Explain() == "", reason)
	}
}

// part is an answer that ends for a reason and costs tokens.
func part(text, reason string) scripted.Turn {
	m := abi.AI(text)
	m.Usage = &abi.Usage{OutputTokens: 2, TotalTokens: 2}
	m.Meta = wire.Map{{Key: "stop_reason", Value: wire.String(reason)}}
	return scripted.Turn{Message: m}
}

// watched is a model that keeps its requests.
type watched struct {
	*scripted.Turns

	requests []*model.Request
}

func (w *watched) Generate(ctx context.Context, req *model.Request) (*model.Response, error) {
	w.requests = append(w.requests, req)
	return w.Turns.Generate(ctx, req)
}

func ask() *model.Request { return &model.Request{Messages: history.Of(abi.Human("tell"))} }

func TestContinueAsksForTheRest(t *testing.T) {
	t.Parallel()
	inner := &watched{Turns: scripted.NewTurns(part("one ", "length"), part("two ", "max_tokens"), part("three", "stop"))}
	m := &model.CutOffModel{Model: inner, On: model.CutOffContinue}

	resp, err := m.Generate(t.Context(), ask())

	require.NoError(t, err)
	require.Equal(t, "one two three", resp.AI().Content.Text())
	require.Equal(t, "stop", resp.StopReason)
	require.EqualValues(t, 6, resp.AI().Usage.OutputTokens)
	require.Len(t, resp.Messages, 1)
	require.Len(t, inner.requests, 3)
	last := inner.requests[2].Messages
	require.Equal(t, "one two ", last.At(1).Content.Text())
	require.Contains(t, last.At(2).Content.Text(), "Go on exactly where it ends")
	require.Equal(t, 1, inner.requests[0].Messages.Len())
}

func TestContinueGivesUp(t *testing.T) {
	t.Parallel()
	inner := &watched{Turns: scripted.NewTurns(part("a", "length"))}
	inner.AfterEnd = scripted.EndRepeat
	resp, err := (&model.CutOffModel{Model: inner, On: model.CutOffContinue, Continuations: 2}).Generate(t.Context(), ask())
	require.NoError(t, err)
	require.Equal(t, "aaa", resp.AI().Content.Text())
	require.Equal(t, model.CutOff, model.EndingOf(resp.StopReason))
}

func TestContinueLeavesCallsAlone(t *testing.T) {
	t.Parallel()
	calling := part("I call", "length")
	calling.Message.ToolCalls = []abi.ToolCall{abi.Call("1", "t", nil)}
	inner := &watched{Turns: scripted.NewTurns(calling)}
	resp, err := (&model.CutOffModel{Model: inner, On: model.CutOffContinue}).Generate(t.Context(), ask())
	require.NoError(t, err)
	require.Len(t, resp.AI().ToolCalls, 1)
	require.Len(t, inner.requests, 1)
}

func TestContinueOfAStructuredAnswer(t *testing.T) {
	t.Parallel()
	req := ask()
	req.Format = &model.Format{}
	resp, err := (&model.CutOffModel{Model: scripted.NewTurns(part(`{"n": `, "length"), part(`1}`, "stop")), On: model.CutOffContinue}).Generate(t.Context(), req)
	require.NoError(t, err)
	require.Equal(t, `{"n":1}`, resp.Structured.JSON())
}

func TestContinueStreams(t *testing.T) {
	t.Parallel()
	m := &model.CutOffModel{Model: scripted.NewTurns(part("one two ", "length"), part("three", "stop")), On: model.CutOffContinue}
	var text string
	var resp *model.Response
	for chunk, err := range m.Stream(t.Context(), ask()) {
		require.NoError(t, err)
		require.Nil(t, resp, "the response comes last, and once")
		text += chunk.Text
		resp = chunk.Response
	}
	require.Equal(t, "one two three", text)
	require.Equal(t, text, resp.AI().Content.Text())

	m.Model = scripted.NewTurns(part("one two", "length"))
	for _, err := range m.Stream(t.Context(), ask()) {
		require.NoError(t, err)
		break // a consumer that stops ends the stream
	}
}

func TestFailOfAnAnswerThatIsCutOff(t *testing.T) {
	t.Parallel()
	_, err := (&model.CutOffModel{Model: scripted.NewTurns(part("one", "length")), On: model.CutOffFail}).Generate(t.Context(), ask())
	var failed *model.Error
	require.ErrorAs(t, err, &failed)
	require.Equal(t, model.ErrorCutOff, failed.Kind)
	require.False(t, failed.Retryable)
	require.ErrorContains(t, err, `the answer was cut off (stop reason "length")`)
	require.ErrorContains(t, err, "raise max_tokens")
}

// counting is a model that counts tokens.
type counting struct{ model.Model }

func (counting) CountTokens(*abi.Message) int { return 7 }

// What a model can do besides answering is found inside its wrappers.
func TestAWrapperHidesNothing(t *testing.T) {
	t.Parallel()
	inner := counting{scripted.NewTurns()}
	m := &model.CutOffModel{Model: &model.CutOffModel{Model: inner}}
	counter, ok := model.As[model.TokenCounter](m)
	require.True(t, ok)
	require.Equal(t, inner, counter)
	require.Equal(t, 7, model.CountTokens(m, &abi.Message{}))
	_, ok = model.As[model.Accountant](m)
	require.False(t, ok)
	_, ok = model.As[model.Checker](nil)
	require.False(t, ok)
}
