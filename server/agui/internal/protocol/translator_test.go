package protocol_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/server/agui/internal/protocol"
	"github.com/agenthost/agenthost/server/internal/doortest"
)

// script gives events to a translator, and notes the frames.
type script struct {
	t          *testing.T
	translator *protocol.Translator
	attempt    int
	seq        uint64
	frames     []map[string]any
}

func newScript(t *testing.T) *script {
	t.Helper()
	s := &script{t: t, attempt: 1, translator: protocol.New(protocol.Config{Thread: "t", Run: "r", Known: map[string]bool{"u": true}})}
	s.take(s.translator.Start(time.Unix(1, 0)))
	s.translator.Before(nil)
	s.event(host.Event{Type: host.EventState, Step: "input", Messages: []abi.Message{{ID: "u", Role: abi.RoleHuman, Content: abi.Text("hi")}}})
	return s
}

func (s *script) take(frames []json.RawMessage) {
	s.t.Helper()
	for _, text := range frames {
		var f map[string]any
		require.NoError(s.t, json.Unmarshal(text, &f))
		delete(f, "timestamp")
		s.frames = append(s.frames, f)
	}
}

func (s *script) event(e host.Event) {
	s.t.Helper()
	s.seq++
	kept, err := runs.NewEvent("r", runs.FirstSeq(s.attempt)+s.seq, &e)
	require.NoError(s.t, err)
	frames, err := s.translator.Translate(kept)
	require.NoError(s.t, err)
	s.take(frames)
}

func (s *script) end(status runs.Status) {
	s.t.Helper()
	s.take(s.translator.End(&runs.Run{Status: status}, nil))
}

// types are the types of the frames since the last call.
func (s *script) types() (out []string) {
	for _, f := range s.frames {
		kind, _ := f["type"].(string)
		out = append(out, kind)
	}
	s.frames = nil
	return out
}

func token(index int, text string) host.Event {
	return host.Event{Type: host.EventToken, Step: "model", Index: index, Message: "m", Text: text}
}

func piece(id, name, args string) host.Event {
	return host.Event{Type: host.EventToken, Step: "model", Index: 1, Message: "m", CallPiece: &model.CallPiece{ID: id, Name: name, Args: args}}
}

func added(messages ...abi.Message) host.Event {
	return host.Event{Type: host.EventState, Step: "model", Messages: messages}
}

func answer(id, text string, calls ...abi.ToolCall) abi.Message {
	m := abi.AI(text, calls...)
	m.ID = id
	return m
}

// member returns a member of an object.
func member(object any, name string) any {
	o, _ := object.(map[string]any)
	return o[name]
}

func whole(m abi.Message) host.Event {
	return host.Event{Type: host.EventModel, Step: "model", Model: "gpt", Messages: []abi.Message{m}}
}

func TestReasoningComesBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	s := newScript(t)
	s.types()
	s.event(host.Event{Type: host.EventToken, Step: "model", Index: 1, Message: "m", Reasoning: "hm "})
	s.event(host.Event{Type: host.EventToken, Step: "model", Index: 1, Message: "m", Reasoning: "hm"})
	s.event(token(1, "yes"))
	m := abi.Message{ID: "m", Role: abi.RoleAI, Content: abi.Blocks(abi.ReasoningBlock("hm hm", ""), abi.TextBlock("yes"))}
	m.Usage = &abi.Usage{InputTokens: 3, OutputTokens: 2, ReasoningTokens: 1}
	s.event(whole(m))
	s.event(added(m))
	s.end(runs.Success)
	last := s.frames[len(s.frames)-1]
	require.Equal(t, []any{map[string]any{"model": "gpt", "inputTokens": 3.0, "outputTokens": 2.0, "totalTokens": 5.0, "reasoningTokens": 1.0}}, last["usage"])
	messages, _ := s.frames[len(s.frames)-2]["messages"].([]any)
	require.Equal(t, map[string]any{"id": "m/reasoning", "role": "reasoning", "content": "hm hm"}, messages[1])
	require.Equal(t, "m/reasoning", s.frames[0]["messageId"], "the same id")
	require.Equal(t, []string{
		"REASONING_START", "REASONING_MESSAGE_START", "REASONING_MESSAGE_CONTENT", "REASONING_MESSAGE_CONTENT", "REASONING_MESSAGE_END", "REASONING_END",
		"TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END", "STATE_SNAPSHOT", "MESSAGES_SNAPSHOT", "RUN_FINISHED",
	}, s.types())
}

func TestACallInPieces(t *testing.T) {
	t.Parallel()
	s := newScript(t)
	s.types()
	s.event(token(1, "look"))
	s.event(piece("c", "search", `{"q":`))
	s.event(piece("", "", `"x"}`))
	m := answer("m", "look", abi.Call("c", "search", map[string]any{"q": "x"}))
	s.event(whole(m))
	s.event(added(m))
	s.event(added(abi.Message{ID: "r", Role: abi.RoleTool, ToolCallID: "c", Content: abi.Text("found")}))
	require.Equal(t, map[string]any{"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "search", "parentMessageId": "m"}, s.frames[3])
	require.Equal(t, []string{
		"TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END", "TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_ARGS", "TOOL_CALL_END", "TOOL_CALL_RESULT",
	}, s.types(), "nothing else is needed")
}

func TestAModelThatIsAskedAgain(t *testing.T) {
	t.Parallel()
	s := newScript(t)
	s.types()
	s.event(piece("c", "search", `{}`))
	s.event(token(2, "other"))
	m := answer("m", "other")
	s.event(whole(m))
	s.event(added(m))
	require.Equal(t, "c/void", s.frames[3]["messageId"], "clients would perform a call without a result")
	messages, _ := s.frames[4]["messages"].([]any)
	require.Len(t, messages, 1, "what was said is void")
	require.Equal(t, []string{
		"TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END", "TOOL_CALL_RESULT", "MESSAGES_SNAPSHOT", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END",
	}, s.types())
}

func TestAnAnswerThatAHookChanged(t *testing.T) {
	t.Parallel()
	s := newScript(t)
	s.event(token(1, "my number is 5"))
	s.types()
	s.event(added(answer("m", "my number is ***")))
	messages, _ := s.frames[1]["messages"].([]any)
	require.Equal(t, "my number is ***", member(messages[1], "content"))
	require.Equal(t, []string{"TEXT_MESSAGE_END", "MESSAGES_SNAPSHOT"}, s.types())
}

func TestAnotherAttempt(t *testing.T) {
	t.Parallel()
	s := newScript(t)
	s.event(host.Event{Type: host.EventCheckpoint})
	s.event(host.Event{Type: host.EventStep, Step: "model"})
	s.event(added(answer("m", "lost", abi.Call("c", "search", nil))))
	inner, err := wire.FromJSON([]byte(`{"agent":"helper","call_id":"c","event":{"type":"step","step":"model","run":"run-1"}}`), wire.Limits{})
	require.NoError(t, err)
	s.event(host.Event{Type: host.EventCustom, Name: "agent", Data: inner})
	s.types()
	s.attempt = 2
	s.event(host.Event{Type: host.EventStep, Step: "model"})
	s.event(host.Event{Type: host.EventCustom, Name: "agent", Data: inner})
	require.Equal(t, "run-1#2", s.frames[7]["subagentRunId"], "an id is used once")
	require.Equal(t, []string{
		"STEP_FINISHED", "SUBAGENT_ERROR", "STEP_FINISHED", "STATE_SNAPSHOT", "TOOL_CALL_RESULT", "MESSAGES_SNAPSHOT", "STEP_STARTED", "SUBAGENT_STARTED", "STEP_STARTED",
	}, s.types())
	s.end(runs.Interrupted)
	require.Equal(t, map[string]any{"type": "cancelled"}, s.frames[len(s.frames)-1]["outcome"])
}

func TestABreakpoint(t *testing.T) {
	t.Parallel()
	s := newScript(t)
	s.event(host.Event{Type: host.EventEnd, Status: host.Interrupted, Next: "tools"})
	s.end(runs.Success)
	outcome, _ := s.frames[len(s.frames)-1]["outcome"].(map[string]any)
	require.Equal(t, "interrupt", outcome["type"])
	interrupts, _ := outcome["interrupts"].([]any)
	require.Equal(t, protocol.Breakpoint, member(interrupts[0], "id"))
}

func TestCallsWithTheSameID(t *testing.T) {
	t.Parallel()
	s := newScript(t)
	s.event(added(answer("m", "", abi.Call("1", "search", nil)), abi.Message{ID: "r", Role: abi.RoleTool, ToolCallID: "1", Content: abi.Text("found")}))
	s.types()
	s.event(added(answer("n", "more", abi.Call("1", "search", nil))))
	require.Equal(t, []string{"TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END", "MESSAGES_SNAPSHOT"}, s.types(),
		"a client would take them for one")
}

func TestWarningsAndAlerts(t *testing.T) {
	t.Parallel()
	s := newScript(t)
	s.types()
	call := abi.Call("c", "search", nil)
	s.event(host.Event{Type: host.EventWarn, Step: "tools", Text: "careful"})
	s.event(host.Event{Type: host.EventAlert, Step: "tools", Text: "often", Call: &call})
	require.Equal(t, []map[string]any{
		{"type": "CUSTOM", "name": "warn", "value": map[string]any{"step": "tools", "text": "careful"}},
		{"type": "CUSTOM", "name": "alert", "value": map[string]any{"step": "tools", "text": "often", "toolCallId": "c"}},
	}, s.frames)
}

// Whatever the events are, the frames are valid, and nothing panics.
func FuzzTranslator(f *testing.F) {
	f.Add([]byte(`[{"type":"token","message":"m","text":"x"},{"type":"state","step":"model","messages":[{"role":"ai","id":"m","content":"y"}]},{"type":"end","status":"interrupted"}]`))
	f.Add([]byte(`[{"type":"custom","name":"agent","data":{"agent":"a","event":{"type":"model","messages":[{"role":"ai","id":"z","content":"","tool_calls":[{"id":"1","name":"n","args":{}}]}]}}}]`))
	f.Add([]byte(`[{"type":"token","call_piece":{"id":"","name":""}},{"type":"tool","call":{"id":"1"}},{"type":"state","reset":true,"remove":["m"],"patch":[{"role":"ai","id":"m"}]}]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var events []json.RawMessage
		if json.Unmarshal(text, &events) != nil {
			t.Skip()
		}
		tr := protocol.New(protocol.Config{Thread: "t", Run: "r"})
		check := func(frames []json.RawMessage) {
			for _, one := range frames {
				require.True(t, json.Valid(one), "%s", one)
			}
		}
		check(tr.Start(time.Unix(1, 0)))
		tr.Before(nil)
		for i, data := range events {
			frames, _ := tr.Translate(doortest.Event("r", runs.FirstSeq(1+i/5)+uint64(i+1), data))
			check(frames)
		}
		check(tr.End(&runs.Run{Status: runs.Success}, nil))
	})
}
