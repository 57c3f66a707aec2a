package host_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// malformed is a turn with malformed calls, and perhaps valid ones.
func malformed(invalid []abi.InvalidToolCall, valid ...abi.ToolCall) scripted.Turn {
	m := abi.AI("", valid...)
	m.InvalidToolCalls = invalid
	return scripted.Turn{Message: m}
}

func broken(id string) []abi.InvalidToolCall {
	return []abi.InvalidToolCall{{ID: id, Name: "work", Args: `{"q": `}}
}

func TestMalformedCallsAreAnsweredAndTheModelIsCalledAgain(t *testing.T) {
	t.Parallel()
	const truncated = "Tool call work with id 1 could not be executed - arguments were malformed or truncated. unexpected end of JSON input"
	for _, test := range []struct {
		name  string
		turn  scripted.Turn
		tools bool
		want  []string
	}{
		{"with the parser's words", malformed(broken("1")), true, []string{"failed 1: " + truncated}},
		{"without tools", malformed(broken("1")), false, []string{"failed 1: " + truncated}},
		{
			"with the provider's words",
			malformed([]abi.InvalidToolCall{{ID: "1", Args: "x", Error: "cut after 3 tokens"}}), true,
			[]string{"failed 1: Tool call unknown with id 1 could not be executed - arguments were malformed or truncated. cut after 3 tokens"},
		},
		{"beside valid ones, before their results", malformed(broken("1"), abi.Call("2", "work", nil)), true, []string{"failed 1: " + truncated, "tool 2: worked"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, test.turn, scripted.Say("done"))
			if test.tools {
				b.answering("work", "worked")
			}
			result := b.mustRun()
			want := append(append([]string{"human: hi", "ai: "}, test.want...), "ai: done")
			require.Equal(t, want, lines(result.Messages))
			answer := result.Messages.At(2)
			require.True(t, answer.Failed())
		})
	}
}

func TestAMalformedCallWithoutAnIDGetsOne(t *testing.T) {
	t.Parallel()
	result := setup(t, malformed(broken("")), scripted.Say("done")).mustRun()
	id := result.Messages.At(1).InvalidToolCalls[0].ID
	require.NotEmpty(t, id)
	require.Equal(t, id, result.Messages.At(2).ToolCallID)
}

func TestTooManyMalformedResponsesInARowFailTheRun(t *testing.T) {
	t.Parallel()
	b := setup(t, malformed(broken("1")), malformed(broken("2")), scripted.Say("never"))
	b.ToolCalls.MaxMalformed = 1
	result, err := b.run()
	var failure *host.ModelError
	require.ErrorAs(t, err, &failure)
	require.EqualError(t, err, `model "scripted": 2 responses in a row had malformed tool calls`)
	require.Len(t, result.Messages.Messages(), 5, "all of them are answered")

	script := []scripted.Turn{malformed(broken("1")), malformed(broken("2")), malformed(broken("3")), malformed(broken("4"))}
	_, err = setup(t, script...).run()
	require.ErrorContains(t, err, "4 responses in a row", "three are forgiven")
}

func TestAGoodResponseEndsTheRowOfMalformedOnes(t *testing.T) {
	t.Parallel()
	b := setup(t, malformed(broken("1")), calls("work"), malformed(broken("2")), scripted.Say("done")).answering("work", "worked")
	b.ToolCalls.MaxMalformed = 1
	last, _ := b.mustRun().Messages.Last()
	require.Equal(t, "done", last.Content.Text())
}

// fixedModel says its turns one after the other.
type fixedModel struct{ turns []abi.Message }

func (*fixedModel) Info() model.Info { return model.Info{Name: "fixed"} }

func (m *fixedModel) Generate(context.Context, *model.Request) (*model.Response, error) {
	if len(m.turns) == 0 {
		return nil, errors.New("there is no turn left")
	}
	turn := m.turns[0]
	m.turns = m.turns[1:]
	return model.Reply(turn), nil
}

func malformedCall(id string) abi.InvalidToolCall {
	return abi.InvalidToolCall{ID: id, Name: "search", Args: "{"}
}

func TestMalformedCallsHaveIDsOfTheirOwn(t *testing.T) {
	t.Parallel()
	both := abi.AI("", call("1", "search"))
	both.InvalidToolCalls = []abi.InvalidToolCall{malformedCall("1"), malformedCall("2"), malformedCall("2"), malformedCall("")}
	b := setup(t).answering("search", "found")
	b.Model = &fixedModel{[]abi.Message{both, abi.AI("done")}}
	result := b.mustRun()
	require.Equal(t, []string{"search"}, b.log)
	seen := map[string]bool{}
	for _, m := range result.Messages.All() {
		if m.Role == abi.RoleTool {
			require.False(t, seen[m.ToolCallID], "two answers to %s", m.ToolCallID)
			seen[m.ToolCallID] = true
		}
	}
	require.Len(t, seen, 5)
	require.Equal(t, "1", both.InvalidToolCalls[0].ID, "what the model returned is not changed")
}

func TestACallThatAWrapHasAnsweredIsNotAnsweredAsMalformed(t *testing.T) {
	t.Parallel()
	for _, most := range []int{1, 2} {
		malformed := abi.AI("", call("2", "search"))
		malformed.InvalidToolCalls = []abi.InvalidToolCall{malformedCall("1")}
		b := setup(t).answering("search", "found")
		b.Model = &fixedModel{[]abi.Message{malformed, malformed}}
		b.ToolCalls.MaxMalformed = most
		b.use(host.WrapModelCall("x", func(
			ctx context.Context, _ *host.Runtime, req *model.Request, next host.ModelHandler,
		) (*model.Response, *host.Update, error) {
			resp, err := next(ctx, req)
			return resp, &host.Update{Messages: []abi.Message{
				abi.ToolFailure(call("1", "search"), "mine"), abi.ToolResult(call("2", "search"), "mine too"),
			}}, err
		}))
		result, err := b.run()
		require.Error(t, err)
		want := []string{"human: hi"}
		for range 2 {
			want = append(want, "ai: ", "failed 1: mine", "tool 2: mine too")
		}
		require.Equal(t, want, lines(result.Messages))
	}
}
