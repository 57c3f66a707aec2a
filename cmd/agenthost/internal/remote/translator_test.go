package remote

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/server/client"
)

// translated returns the events that a stream becomes.
func translated(t *testing.T, stream ...string) ([]host.Event, *translator) {
	t.Helper()
	var out []host.Event
	tr := &translator{thread: "ada", handle: func(e host.Event) error {
		out = append(out, e)
		return nil
	}}
	for i := 0; i < len(stream); i += 2 {
		require.NoError(t, tr.event(&client.Event{Name: stream[i], Data: []byte(stream[i+1])}), stream[i+1])
	}
	return out, tr
}

func types(events []host.Event) (out []host.EventType) {
	for i := range events {
		out = append(out, events[i].Type)
	}
	return out
}

func TestEventsOfAStream(t *testing.T) {
	t.Parallel()
	events, tr := translated(t,
		"metadata", `{"run_id":"r1","attempt":1}`,
		"messages", `[{"type":"AIMessageChunk","id":"m1","content":"I look."},{"langgraph_node":"model"}]`,
		"updates", `{"model":{"messages":[{"type":"ai","id":"m1","content":"I look.","tool_calls":[{"name":"search","args":{"q":"x"},"id":"c1"}],
			"usage_metadata":{"input_tokens":2,"output_tokens":3,"total_tokens":5}}]}}`,
		"custom", `{"progress":1}`,
		"updates", `{"tools":{"messages":[{"type":"tool","content":"found","tool_call_id":"c1","name":"search"}]}}`,
		"metadata", `{"run_id":"r1","attempt":2}`,
		"messages", `[{"type":"AIMessageChunk","id":"m2","content":[{"type":"reasoning","reasoning":"Hm."},{"type":"text","text":"It"}]},{"langgraph_node":"model"}]`,
		"updates", `{"model":{"messages":[{"type":"ai","id":"m2","content":"It is","response_metadata":{"finish_reason":"length"}}],"mood":"fine"}}`,
		"updates", `{"hook.after_model":null}`,
		"updates", `{"__interrupt__":[{"id":"i","value":1}]}`,
		"later", `7`,
	)
	require.Equal(t, []host.EventType{
		host.EventRun, host.EventStep, host.EventToken, host.EventModel, host.EventState, host.EventCustom,
		host.EventStep, host.EventTool, host.EventTool, host.EventState,
		host.EventStep, host.EventToken, host.EventToken, host.EventModel, host.EventWarn, host.EventState, host.EventStep,
	}, types(events))
	require.JSONEq(t, `{"q":"x"}`, events[7].Call.Args.JSON(), "the call says what the tool got")
	require.Equal(t, "Hm.", events[11].Reasoning)
	require.Contains(t, events[14].Text, `the answer is not complete (stop reason "length")`)
	require.JSONEq(t, `"fine"`, events[15].State.Get("mood").JSON())
	require.Equal(t, "length", tr.stopReason)
	require.EqualValues(t, 5, tr.usage.TotalTokens)
	require.Equal(t, 4, tr.steps)
	for i := range events {
		require.EqualValues(t, i+1, events[i].Seq)
		require.Equal(t, "r1", events[i].Run)
	}
}

// A call that the model makes again has a new message.
func TestAMessageThatIsWrittenAgain(t *testing.T) {
	t.Parallel()
	events, _ := translated(t,
		"messages", `[{"type":"AIMessageChunk","id":"m1","content":"a"},{"langgraph_node":"model"}]`,
		"messages", `[{"type":"AIMessageChunk","id":"m2","content":"b"},{"langgraph_node":"model"}]`,
	)
	require.Equal(t, []int{1, 1, 2}, []int{events[0].Index, events[1].Index, events[2].Index})
}

func TestOddEventsAreErrors(t *testing.T) {
	t.Parallel()
	for _, odd := range []string{`7`, `{}`, `[{"type":"dog"},{}]`} {
		tr := &translator{handle: func(host.Event) error { return nil }}
		require.Error(t, tr.event(&client.Event{Name: "messages", Data: []byte(odd)}), odd)
	}
	tr := &translator{handle: func(host.Event) error { return nil }}
	require.Error(t, tr.event(&client.Event{Name: "updates", Data: []byte(`{"model":{"messages":[{"type":"dog"}]}}`)}))
	require.NoError(t, tr.event(&client.Event{Name: "updates", Data: []byte(`[1]`)}))
	require.NoError(t, tr.event(&client.Event{Name: "updates", Data: []byte(`{"model":[1]}`)}))
}

func TestWhoRefusesAnEventGetsNoMore(t *testing.T) {
	t.Parallel()
	calls := 0
	tr := &translator{handle: func(host.Event) error {
		calls++
		return errors.New("enough")
	}}
	require.Error(t, tr.event(&client.Event{Name: "metadata", Data: []byte(`{"run_id":"r1"}`)}))
	require.NoError(t, tr.end(&host.Result{Status: host.Failed}, errors.New("enough")))
	require.Equal(t, 1, calls)
}
