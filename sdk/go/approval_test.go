package sdk_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	sdk "github.com/agenthost/agenthost/sdk/go"
	"github.com/agenthost/agenthost/sdk/go/sdktest"
)

type asking struct{ sdk.Approval }

func (a asking) WrapToolCall(c *sdk.ToolCall) (*sdk.Patch, *sdk.Update, error) { return a.Wrap(c) }

// decide asks about a call, and answers.
func decide(t *testing.T, a sdk.Approval, answer map[string]any) *sdktest.Outcome {
	t.Helper()
	h := host(asking{a}, sdk.Description{})
	call := sdktest.Call("pay", map[string]any{"sum": 250})
	question := h.WrapToolCall(call).Interrupts[0]
	h.Answers = sdk.Map{{Key: question.Key, Value: sdk.Schema(answer)}}
	h.Replies = []sdktest.Reply{sdktest.Answers("paid")}
	return h.WrapToolCall(call)
}

func TestApproval(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	out := decide(t, sdk.Approval{}, map[string]any{"type": "approve"})
	require.Equal(t, "paid", out.Answer.Content.Text())
	require.Empty(t, out.Calls, "the host passes the call on")

	out = decide(t, sdk.Approval{}, map[string]any{
		"type": "edit", "edited_action": map[string]any{"name": "pay", "args": map[string]any{"sum": 100}},
	})
	require.Equal(t, "paid", out.Answer.Content.Text())
	require.JSONEq(t, `{"sum":100}`, out.Calls[0].Args.JSON())

	out = decide(t, sdk.Approval{}, map[string]any{"type": "reject"})
	require.Equal(t, "User rejected the tool call for `pay` with id call-1. The tool was not executed. "+
		"Do not retry this tool call unless the user explicitly requests it.", out.Answer.Content.Text())
	require.True(t, out.Answer.Failed())

	out = decide(t, sdk.Approval{}, map[string]any{"type": "respond", "message": ""})
	require.Empty(t, out.Answer.Content.Text())
	require.False(t, out.Answer.Failed())
}

func TestAnEditWhoseReplyIsTooBigPassesOn(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	h := host(asking{}, sdk.Description{})
	call := sdktest.Call("pay", nil)
	h.Answers.Set(h.WrapToolCall(call).Interrupts[0].Key, sdk.Schema(map[string]any{
		"type": "edit", "edited_action": map[string]any{"name": "pay", "args": map[string]any{}},
	}))
	h.Replies = []sdktest.Reply{sdktest.Refuses(abi.ETOOBIG)}
	require.Nil(t, h.WrapToolCall(call).Error)
}

func TestAnswersThatAreNoDecision(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	few := sdk.Approval{Allowed: []sdk.DecisionType{sdk.DecisionApprove, sdk.DecisionRespond, sdk.DecisionEdit}}
	for want, answer := range map[string]map[string]any{
		`the question does not allow the type "reject"`: {"type": "reject"},
		`the question does not allow the type "retry"`:  {"type": "retry"},
		`the question does not allow the type ""`:       {},
		`a respond needs a message, which is the result of the call`: {
			"type": "respond", "message": 7,
		},
		`an edit needs {"edited_action":{"name":"pay","args":{…}}}`: {
			"type": "edit", "edited_action": map[string]any{"name": "burn", "args": map[string]any{}},
		},
	} {
		out := decide(t, few, answer)
		require.Equal(t, "invalid_decision", out.Error.Type)
		require.Equal(t, "the answer is not a decision about the tool call: "+want, out.Error.Message)
	}
	h := host(asking{}, sdk.Description{})
	h.Answers.Set(h.WrapToolCall(sdktest.Call("pay", nil)).Interrupts[0].Key, sdk.Bool(true))
	require.Equal(t, `the answer is not a decision about the tool call: it is a map such as {"type":"approve"}`,
		h.WrapToolCall(sdktest.Call("pay", nil)).Error.Message)
}

// An answer is for the call that was shown: when an outer layer changes the arguments, the person is asked again.
func TestAnApprovalIsForTheCallThatWasShown(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	h := host(asking{}, sdk.Description{})
	shown := h.WrapToolCall(sdktest.Call("pay", map[string]any{"sum": 1})).Interrupts[0].Key
	h.Answers.Set(shown, sdk.Schema(map[string]any{"type": "approve"}))
	again := h.WrapToolCall(sdktest.Call("pay", map[string]any{"sum": 1000}))
	require.Len(t, again.Interrupts, 1)
	require.NotEqual(t, shown, again.Interrupts[0].Key)
}
