package agui_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/runs"
)

var (
	countSpec = abi.ToolSpec{Name: "count", Description: "Counts."}
	errBroken = errors.New("it is broken")
)

// outcome is the outcome of a run.
func outcome(e doc) doc {
	out, _ := e["outcome"].(doc)
	return out
}

// interrupts are what a run waits for.
func interrupts(e doc) (out []doc) {
	list, _ := outcome(e)["interrupts"].([]any)
	for _, one := range list {
		interrupt, _ := one.(doc)
		out = append(out, interrupt)
	}
	return out
}

func resume(id any, status string, payload any) doc {
	entry := doc{"interruptId": id, "status": status}
	if payload != nil {
		entry["payload"] = payload
	}
	return doc{"resume": []any{entry}}
}

func TestARunAnswers(t *testing.T) {
	t.Parallel()
	c := setup(t, "drain: 1s").talk("any text")
	end := c.say("r1", "hi")
	require.Equal(t, doc{"type": "success"}, outcome(end))
	require.Equal(t, []any{"any text", "r1"}, []any{end["threadId"], end["runId"]})
	require.Equal(t, []string{
		"RUN_STARTED", "STATE_SNAPSHOT", "STEP_STARTED", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END", "STEP_FINISHED",
		"STEP_STARTED", "STEP_FINISHED", "STATE_SNAPSHOT", "MESSAGES_SNAPSHOT", "RUN_FINISHED",
	}, c.types())
	require.Equal(t, "1.0", c.events[0]["protocolVersion"])
	require.Equal(t, []string{"user: hi", "assistant: You said: hi"}, c.lines())
	require.Equal(t, c.of("TEXT_MESSAGE_START")[0]["messageId"], c.message(1)["id"], "one id everywhere")
	require.Greater(t, len(c.of("TEXT_MESSAGE_CONTENT")), 1)

	c.say("r2", "again")
	require.Equal(t, []string{"user: hi", "assistant: You said: hi", "user: again", "assistant: You said: again"}, c.lines())
}

func TestToolsOfTheAgent(t *testing.T) {
	t.Parallel()
	c := setup(t, "drain: 1s").talk("t")
	end := c.say("r1", "weather Rome")
	require.Equal(t, doc{"type": "success"}, outcome(end))
	result := c.of("TOOL_CALL_RESULT")
	require.Len(t, result, 1)
	require.Equal(t, "sunny in Rome", result[0]["content"])
	require.Equal(t, c.message(2)["id"], result[0]["messageId"], "one id everywhere")
	start := c.of("TOOL_CALL_START")[0]
	require.Equal(t, []any{"get_weather", c.message(1)["id"]}, []any{start["toolCallName"], start["parentMessageId"]})
	require.Equal(t, `{"city":"Rome"}`, joined(c.of("TOOL_CALL_ARGS")))
	require.Equal(t, []string{
		"user: weather Rome", `assistant: I look. [get_weather{"city":"Rome"}]`, "tool: sunny in Rome", "assistant: The tool said: sunny in Rome",
	}, c.lines())
	custom := c.of("CUSTOM")
	require.Equal(t, []any{"progress", doc{"progress": "asking about Rome"}}, []any{custom[0]["name"], custom[0]["value"]})
	require.Equal(t, "custom/on_interrupt", custom[1]["name"], "no report passes for a question")
}

func joined(events []doc) (out string) {
	for _, e := range events {
		delta, _ := e["delta"].(string)
		out += delta
	}
	return out
}

func TestTheState(t *testing.T) {
	t.Parallel()
	c := setup(t, "drain: 1s").talk("t")
	c.say("r1", "count")
	require.Equal(t, doc{"count": 1.0, "notes": []any{"a/b"}}, c.state, "without what is hidden")
	require.Equal(t, []any{
		doc{"op": "replace", "path": "/count", "value": 1.0}, doc{"op": "replace", "path": "/notes", "value": []any{"a/b"}},
	}, c.of("STATE_DELTA")[0]["delta"])
	c.say("r2", "count")
	require.Equal(t, []any{
		doc{"op": "replace", "path": "/count", "value": 2.0}, doc{"op": "replace", "path": "/notes", "value": []any{"a/b", "a/b"}},
	}, c.of("STATE_DELTA")[0]["delta"], "and the same state of the client changes nothing")

	state, _ := c.state.(doc)
	state["count"], state["notes"], state["unknown"], state["secret"] = 10, []any{"a/b", "a/b", "c"}, true, "x"
	c.say("r3", "hi")
	require.Equal(t, doc{"count": 10.0, "notes": []any{"a/b", "a/b", "c"}}, c.state, "the client changes it as a whole")
}

func TestAQuestionAboutACall(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		status  string
		payload any
		want    string
	}{
		"approved":           {"resolved", doc{"approved": true}, "tool: wrote a"},
		"not approved":       {"resolved", doc{"approved": false}, "tool: User rejected the tool call for `write_file` with id"},
		"cancelled":          {"cancelled", nil, "tool: User rejected the tool call for `write_file` with id"},
		"in the own format":  {"resolved", doc{"decisions": []any{doc{"type": "approve"}}}, "tool: wrote a"},
		"with other content": {"resolved", doc{"decisions": []any{doc{"type": "edit", "edited_action": doc{"name": "write_file", "args": doc{"content": "b"}}}}}, "wrote b"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := setup(t, "drain: 1s").talk("t")
			asked := interrupts(c.say("r1", "write a"))
			require.Len(t, asked, 1)
			require.Equal(t, "tool_call", asked[0]["reason"])
			require.NotEmpty(t, asked[0]["message"])
			require.NotEmpty(t, asked[0]["responseSchema"])
			require.Equal(t, c.of("TOOL_CALL_START")[0]["toolCallId"], asked[0]["toolCallId"])
			custom := c.of("CUSTOM")
			require.Equal(t, "on_interrupt", custom[len(custom)-1]["name"])
			require.IsType(t, "", custom[len(custom)-1]["value"])

			again := interrupts(c.run("r2"))
			require.Equal(t, asked, again, "it must be answered first")
			require.Empty(t, c.of("MESSAGES_SNAPSHOT"))

			c.more = resume(asked[0]["id"], test.status, test.payload)
			require.Equal(t, doc{"type": "success"}, outcome(c.run("r3")))
			require.Contains(t, c.lines()[2], test.want)

			c.more = resume(asked[0]["id"], test.status, test.payload)
			require.Contains(t, c.refused(c.input("r4")), "waits for an answer; it was answered")
		})
	}
}

func TestAnswersThatNobodyTakes(t *testing.T) {
	t.Parallel()
	c := setup(t, "drain: 1s").talk("t")
	c.more = resume("ask-1-1", "resolved", true)
	require.Contains(t, c.refused(c.input("r0")), "nothing in the thread waits for an answer")
	c.more = nil
	asked := interrupts(c.say("r1", "write a"))
	for payload, want := range map[any]string{"yes": "decisions", nil: "has no payload", 1: "decisions"} {
		c.more = resume(asked[0]["id"], "resolved", payload)
		require.Contains(t, c.refused(c.input("r2")), want)
	}
	c.more = resume(asked[0]["id"], "maybe", doc{"approved": true})
	require.Contains(t, c.refused(c.input("r2")), "use resolved or cancelled")
	c.more = doc{"resume": []any{
		doc{"interruptId": asked[0]["id"], "status": "resolved", "payload": doc{"approved": true}},
		doc{"interruptId": asked[0]["id"], "status": "cancelled"},
	}}
	require.Contains(t, c.refused(c.input("r2")), "two decisions")
	c.more = resume(asked[0]["id"], "cancelled", nil)
	c.run("r3")
}

func TestCopilotKitsAnswers(t *testing.T) {
	t.Parallel()
	r := setup(t, "drain: 1s")
	for name, answer := range map[string]func(id string) any{
		"a value":          func(string) any { return "blue" },
		"a value, encoded": func(string) any { return `"blue"` },
		"by ids":           func(id string) any { return doc{id: "blue"} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := r.talk(name)
			c.t = t
			asked := interrupts(c.say("r1", "ask color?"))
			require.Equal(t, []any{"input_required", "color?"}, []any{asked[0]["reason"], asked[0]["message"]})
			custom := c.of("CUSTOM")
			require.Equal(t, `{"question":"color?"}`, custom[len(custom)-1]["value"])
			id, _ := asked[0]["id"].(string)
			c.more = doc{"forwardedProps": doc{"command": doc{"resume": answer(id)}}}
			c.run("r2")
			require.Equal(t, `tool: "blue"`, c.lines()[2])
		})
	}
}

// locate is a tool of the page.
var locate = doc{"name": "locate", "description": "Locates.", "parameters": doc{"type": "object", "properties": doc{"city": doc{"type": "string"}}}}

func TestToolsOfThePage(t *testing.T) {
	t.Parallel()
	c := setup(t, "drain: 1s").talk("t")
	c.tools = []any{locate}
	end := c.say("r1", "locate Rome")
	call := c.of("TOOL_CALL_START")[0]["toolCallId"]
	require.Equal(t, doc{"type": "success", "pendingToolCallIds": []any{call}}, outcome(end))
	require.Empty(t, c.of("TOOL_CALL_RESULT"))
	require.Empty(t, c.of("CUSTOM"), "nobody is asked")

	c.messages = append(c.messages, doc{"id": "page-1", "role": "tool", "toolCallId": call, "content": "41.9 N"})
	require.Equal(t, doc{"type": "success"}, outcome(c.run("r2")))
	require.Empty(t, c.of("TOOL_CALL_RESULT"), "the client has it")
	require.Equal(t, []string{"user: locate Rome", `assistant:  [locate{"city":"Rome"}]`, "tool: 41.9 N", "assistant: The tool said: 41.9 N"}, c.lines())
	require.Equal(t, "page-1", c.message(2)["id"])

	c.messages = append(c.messages, doc{"id": "other", "role": "tool", "toolCallId": call, "content": "again"})
	c.say("r3", "hi")
	require.NotContains(t, c.lines(), "tool: again", "nobody waits for it")
}

// The parsers of clients before 1.0 refuse members that they do not know.
func TestOlderClients(t *testing.T) {
	t.Parallel()
	c := setup(t, "drain: 1s").talk("t")
	c.tools, c.messages = []any{locate}, []any{doc{"id": "u", "role": "user", "content": "locate Rome"}}
	in := c.input("r1")
	delete(in, "protocolVersion")
	stream := c.open(in)
	var last doc
	for e := stream.next(); e != nil; e = stream.next() {
		last = e
	}
	require.Equal(t, doc{"type": "success"}, outcome(last), "they know by the messages which calls wait")
}

func TestToolsOfThePageBesideOthers(t *testing.T) {
	t.Parallel()
	r := setup(t, "drain: 1s")
	t.Run("one that the agent performs", func(t *testing.T) {
		t.Parallel()
		c := r.talk("a")
		c.t, c.tools = t, []any{locate}
		end := c.say("r1", "locate and weather Rome")
		pending, _ := outcome(end)["pendingToolCallIds"].([]any)
		require.Len(t, pending, 1)
		require.Equal(t, "sunny in Rome", c.of("TOOL_CALL_RESULT")[0]["content"])
		require.Equal(t, c.message(2)["id"], c.of("TOOL_CALL_RESULT")[0]["messageId"])
		c.messages = append(c.messages, doc{"id": "page", "role": "tool", "toolCallId": pending[0], "content": "here", "error": "no GPS"})
		c.run("r2")
		require.Equal(t, []string{"tool: here", "tool: sunny in Rome"}, c.lines()[2:4])
		require.Equal(t, "here", c.message(2)["error"])
	})
	t.Run("one that a person must approve", func(t *testing.T) {
		t.Parallel()
		c := r.talk("b")
		c.t, c.tools = t, []any{locate}
		asked := interrupts(c.say("r1", "locate and write a"))
		require.Len(t, asked, 1)
		c.more = resume(asked[0]["id"], "resolved", doc{"approved": true})
		end := c.run("r2")
		pending, _ := outcome(end)["pendingToolCallIds"].([]any)
		require.Len(t, pending, 1, "it was not performed before the approval")
		c.messages = append(c.messages, doc{"id": "page", "role": "tool", "toolCallId": pending[0], "content": "here"})
		require.Equal(t, doc{"type": "success"}, outcome(c.run("r3")))
	})
	t.Run("and the user goes on with something else", func(t *testing.T) {
		t.Parallel()
		c := r.talk("c")
		c.t, c.tools = t, []any{locate}
		c.say("r1", "locate Rome")
		c.say("r2", "never mind")
		require.Equal(t, []string{"tool: The client did not perform this tool call.", "user: never mind", "assistant: You said: never mind"}, c.lines()[2:])
	})
}

func TestToolsOfThePageThatAreRefused(t *testing.T) {
	t.Parallel()
	c := setup(t, "drain: 1s").talk("t")
	for name, want := range map[string]string{"write_file": "the agent has a tool of this name", "a b": "letters, digits"} {
		c.tools = []any{doc{"name": name, "description": ""}}
		require.Contains(t, c.refused(c.input("r1")), want)
	}
}

func TestAnAgentInside(t *testing.T) {
	t.Parallel()
	c := setup(t, "drain: 1s").talk("t")
	require.Equal(t, doc{"type": "success"}, outcome(c.say("r1", "delegate weather Rome")))
	started := c.of("SUBAGENT_STARTED")
	require.Len(t, started, 1)
	require.Equal(t, []any{"helper", c.of("TOOL_CALL_START")[0]["toolCallId"]}, []any{started[0]["name"], started[0]["parentToolCallId"]})
	require.Equal(t, doc{"type": "success"}, c.of("SUBAGENT_FINISHED")[0]["outcome"])
	own := map[string]bool{}
	for _, e := range c.events {
		if e["subagentRunId"] != nil {
			require.Equal(t, started[0]["subagentRunId"], e["subagentRunId"])
			own[textIn(e["type"])] = true
		}
	}
	for _, kind := range []string{"STEP_STARTED", "TEXT_MESSAGE_CONTENT", "TOOL_CALL_ARGS", "TOOL_CALL_RESULT", "CUSTOM"} {
		require.True(t, own[kind], kind)
	}
}

func TestARunThatFails(t *testing.T) {
	t.Parallel()
	c := setup(t, "drain: 1s").talk("t")
	end := c.say("r1", "fail")
	require.Equal(t, "RUN_ERROR", end["type"])
	require.Equal(t, "tool_error", end["code"])
	require.Contains(t, end["message"], "it is broken")
	require.Equal(t, []string{"user: fail", "assistant:  [fail{}]"}, c.lines())
	c.say("r2", "hi")
	require.Equal(t, "assistant: You said: hi", c.lines()[3])
}

func TestAnAnswerIsMadeAgain(t *testing.T) {
	t.Parallel()
	c := setup(t, "drain: 1s").talk("t")
	c.say("r1", "hi")
	c.say("r2", "weather Rome")
	before := c.messages
	c.messages = c.messages[:3]
	require.Equal(t, doc{"type": "success"}, outcome(c.run("r3")))
	require.Len(t, c.messages, len(before))
	require.Equal(t, before[2], c.messages[2], "the user's message")
	require.NotEqual(t, idOf(before[3]), c.message(3)["id"])

	c.messages = c.messages[:3]
	c.messages[2] = doc{"id": c.message(2)["id"], "role": "user", "content": "other words"}
	c.run("r4")
	require.Equal(t, []string{"user: hi", "assistant: You said: hi", "user: other words", "assistant: You said: other words"}, c.lines())
}

func TestANewThreadTakesTheWholeConversation(t *testing.T) {
	t.Parallel()
	c := setup(t, "drain: 1s").talk("t")
	c.messages = []any{
		doc{"id": "1", "role": "user", "content": []any{doc{"type": "text", "text": "look"}, doc{"type": "image", "source": doc{"type": "data", "value": "aGk=", "mimeType": "image/png"}}}},
		doc{"id": "2", "role": "assistant", "content": "ok", "toolCalls": []any{doc{"id": "c", "type": "function", "function": doc{"name": "get_weather", "arguments": "{}"}}}},
		doc{"id": "3", "role": "tool", "toolCallId": "c", "content": "sunny"},
		doc{"id": "r", "role": "reasoning", "content": "hm"},
		doc{"id": "s", "role": "system", "content": "Be brief."},
	}
	given := slices.Clone(c.messages)
	c.say("r1", "hi")
	require.Equal(t, given[:3], c.messages[:3])
	require.Equal(t, []string{"system: Be brief.", "user: hi", "assistant: You said: hi"}, c.lines()[3:])

	c.messages = append(c.messages, doc{"id": "x", "role": "assistant", "content": "made up"})
	c.say("r2", "again")
	require.NotContains(t, c.lines(), "assistant: made up", "its answers are the agent's")
}

func TestTheContextOfThePage(t *testing.T) {
	t.Parallel()
	r := setup(t, "drain: 1s")
	c := r.talk("7e1c34f0-3b0c-4a3e-9e58-0c4c2b9f0a11")
	c.more = doc{"context": []any{doc{"description": "city", "value": "Rome"}}}
	c.say("r1", "hi")
	require.Equal(t, []string{"user: hi", "assistant: You said: hi"}, c.lines(), "the client has it already")
	s, err := r.service.State(t.Context(), "", "7e1c34f0-3b0c-4a3e-9e58-0c4c2b9f0a11", 0)
	require.NoError(t, err)
	first := s.Messages.At(0)
	require.Equal(t, abi.RoleSystem, first.Role)
	require.Equal(t, "Context from the user's application:\n\ncity:\nRome\n", first.Content.Text())

	c.more = doc{"context": []any{doc{"description": "city", "value": "Bern"}}}
	c.say("r2", "again")
	s, err = r.service.State(t.Context(), "", "7e1c34f0-3b0c-4a3e-9e58-0c4c2b9f0a11", 0)
	require.NoError(t, err)
	require.Equal(t, 5, s.Messages.Len(), "there is one of them")
	require.Contains(t, s.Messages.At(0).Content.Text(), "Bern")
}

func TestAClientThatLeavesCancelsItsRun(t *testing.T) {
	t.Parallel()
	r := setup(t, "drain: 1s")
	c := r.talk("t")
	c.messages = append(c.messages, doc{"id": "u", "role": "user", "content": "block"})
	ctx, leave := context.WithCancel(t.Context())
	response := r.send(ctx, "agent", c.input("r1"))
	require.Equal(t, http.StatusOK, response.status)
	<-r.began
	found, err := r.service.FindRuns(t.Context(), "", r.onlyThread(), &runs.RunQuery{})
	require.NoError(t, err)
	leave()
	run, err := r.service.Reader().Wait(t.Context(), "", found[0].ID)
	require.NoError(t, err)
	require.Equal(t, runs.Interrupted, run.Status)
	require.Equal(t, doc{"type": "success"}, outcome(c.say("r2", "hi")), "and the thread goes on")
}

// onlyThread returns the id of the only thread.
func (r *rig) onlyThread() string {
	r.t.Helper()
	found, _, err := r.service.FindThreads(r.t.Context(), "", &runs.ThreadQuery{})
	require.NoError(r.t, err)
	require.Len(r.t, found, 1)
	return found[0].ID
}

func TestAClientComesBackToItsRun(t *testing.T) {
	t.Parallel()
	r := setup(t, "drain: 1s")
	c := r.talk("t")
	c.messages = append(c.messages, doc{"id": "u", "role": "user", "content": "block"})
	first := r.open(c.input("r1"))
	<-r.began
	second := r.open(c.input("r1"))
	require.Equal(t, "RUN_STARTED", second.next()["type"])
	close(r.let)
	last := func(s *reader) (last doc) {
		for e := s.next(); e != nil; e = s.next() {
			last = e
		}
		return last
	}
	require.Equal(t, doc{"type": "success"}, outcome(last(first)))
	require.Equal(t, doc{"type": "success"}, outcome(last(second)))
	c.run("r1")
	require.Equal(t, []string{"user: block", "assistant:  [block{}]", "tool: done", "assistant: The tool said: done"}, c.lines())
	require.Empty(t, r.began, "it was performed once")
}

func TestAStreamClosesWhenTheServerStops(t *testing.T) {
	t.Parallel()
	r := setup(t, "drain: 1s")
	c := r.talk("t")
	c.messages = append(c.messages, doc{"id": "u", "role": "user", "content": "block"})
	stream := r.open(c.input("r1"))
	<-r.began
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r.stop(ctx)
	for e := stream.next(); e != nil; e = stream.next() {
		require.NotEqual(t, "RUN_FINISHED", e["type"], "it goes on elsewhere")
	}
}

func TestBodies(t *testing.T) {
	t.Parallel()
	r := setup(t, "limits: {body: 10000}")
	for body, want := range map[string]string{
		``:                             "no body",
		`{}`:                           "threadId",
		`{"threadId":"t","runId":"r"}`: "messages is missing",
		`{"threadId":"t","runId":"","messages":[]}`:                                                                                            "runId is missing or empty",
		`{"threadId":"` + strings.Repeat("x", 600) + `","runId":"r","messages":[]}`:                                                            "the name of a thread must have 1 to 512 bytes",
		`{"threadId":"\u0000","runId":"r","messages":[]}`:                                                                                      "no control characters",
		`{"threadId":1,"runId":"r","messages":[]}`:                                                                                             "threadId",
		`{"threadId":"t","runId":"r","messages":[{"role":"user","content":"x"}]}`:                                                              "id of message user",
		`{"threadId":"t","runId":"r","messages":[{"id":"1","role":"king"}]}`:                                                                   `message 1: the member role is not valid: "king" is unknown`,
		`{"threadId":"t","runId":"r","messages":[{"id":"1","role":"tool","content":"x"}]}`:                                                     "toolCallId",
		`{"threadId":"t","runId":"r","messages":[{"id":"1","role":"user","content":7}]}`:                                                       "a text or a list of parts",
		`{"threadId":"t","runId":"r","messages":[{"id":"1","role":"user","content":[{"type":"image"}]}]}`:                                      "needs the member source",
		`{"threadId":"t","runId":"r","messages":[{"id":"1","role":"user","content":[{"type":"x"}]}]}`:                                          "is unknown",
		`{"threadId":"t","runId":"r","messages":[{"id":"1","role":"user","content":[{"type":"image","source":{"type":"data","value":"%"}}]}]}`: "base64",
		`{"threadId":"t","runId":"r","messages":[],"forwardedProps":{"command":1}}`:                                                            "forwardedProps",
		`{"threadId":"t","runId":"r","messages":[],"forwardedProps":{"context":1}}`:                                                            "must be an object",
		`{"threadId":"t","runId":"r","messages":[],"tools":[{"name":"x","parameters":7}]}`:                                                     "must be a JSON Schema",
	} {
		require.Contains(t, r.refused(body), want, body)
	}
	require.Equal(t, http.StatusRequestEntityTooLarge, r.send(t.Context(), "agent", strings.Repeat(" ", 10001)).status)
	require.Equal(t, http.StatusNotFound, r.send(t.Context(), "nobody", `{"threadId":"t","runId":"r","messages":[]}`).status)
	require.Equal(t, http.StatusNotFound, r.send(t.Context(), "agent/x", `{}`).status)
}
