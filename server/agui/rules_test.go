package agui_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// rules are those of the protocol about the order of events.
type rules struct {
	t       testing.TB
	begun   bool
	over    bool
	open    map[string]bool // by kind and id
	used    map[string]bool // ids of agents inside
	results map[string]bool
}

func newRules(t testing.TB) *rules {
	t.Helper()
	return &rules{t: t, open: map[string]bool{}, used: map[string]bool{}, results: map[string]bool{}}
}

// check checks the next event.
func (r *rules) check(e doc) {
	r.t.Helper()
	kind, _ := e["type"].(string)
	text := func(name string) string {
		value, _ := e[name].(string)
		require.NotEmpty(r.t, value, "%s of %v", name, e)
		return value
	}
	require.False(r.t, r.over, "%v after the end", e)
	require.Equal(r.t, !r.begun, kind == "RUN_STARTED", "%v", e)
	r.begun = true
	sub, _ := e["subagentRunId"].(string)
	begin := func(id string) {
		require.False(r.t, r.open[id], "%v is open", e)
		r.open[id] = true
	}
	isOpen := func(id string) { require.True(r.t, r.open[id], "%v is not open", e) }
	end := func(id string) {
		isOpen(id)
		delete(r.open, id)
	}
	switch kind {
	case "TEXT_MESSAGE_START":
		begin("text/" + text("messageId"))
	case "TEXT_MESSAGE_CONTENT":
		isOpen("text/" + text("messageId"))
	case "TEXT_MESSAGE_END":
		end("text/" + text("messageId"))
	case "REASONING_START":
		begin("span/" + text("messageId"))
	case "REASONING_MESSAGE_START":
		begin("reasoning/" + text("messageId"))
	case "REASONING_MESSAGE_CONTENT":
		isOpen("reasoning/" + text("messageId"))
	case "REASONING_MESSAGE_END":
		end("reasoning/" + text("messageId"))
	case "REASONING_END":
		end("span/" + text("messageId"))
	case "TOOL_CALL_START":
		begin("call/" + text("toolCallId"))
		text("parentMessageId")
		text("toolCallName")
	case "TOOL_CALL_ARGS":
		isOpen("call/" + text("toolCallId"))
	case "TOOL_CALL_END":
		end("call/" + text("toolCallId"))
	case "TOOL_CALL_RESULT":
		require.False(r.t, r.results[text("messageId")], "%v comes twice", e)
		r.results[text("messageId")] = true
	case "STEP_STARTED":
		begin("step/" + sub + "/" + text("stepName"))
	case "STEP_FINISHED":
		end("step/" + sub + "/" + text("stepName"))
	case "SUBAGENT_STARTED":
		require.False(r.t, r.used[text("subagentRunId")], "%v comes twice", e)
		r.used[sub] = true
		begin("agent/" + sub)
	case "SUBAGENT_FINISHED", "SUBAGENT_ERROR":
		end("agent/" + sub)
		for id := range r.open {
			require.False(r.t, strings.HasPrefix(id, "step/"+sub+"/"), "%v", e)
		}
	case "RUN_FINISHED":
		require.Empty(r.t, r.open)
		r.over = true
	case "RUN_ERROR":
		text("message")
		r.over = true
	case "RUN_STARTED", "STATE_SNAPSHOT", "STATE_DELTA", "MESSAGES_SNAPSHOT", "CUSTOM":
	default:
		require.Fail(r.t, "unknown event", "%v", e)
	}
}
