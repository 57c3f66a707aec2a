package reference_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/test/reference"
)

// everything is a vector that uses every key of the format once.
const everything = `{"name": "x/y", "doc": "d", "reference": "r", "record": "requests",
	"agent": {"model": {"kind": "scripted", "turns": [{"content": "a", "id": "m", "name": "n", "provider": "p",
				"usage": {"input_tokens": 1, "output_tokens": 2, "total_tokens": 3},
				"tool_calls": [{"id": "1", "name": "t", "args": {}}], "invalid_tool_calls": [{"id": null, "name": null, "args": "{"}]},
			{"error": {"type": "E", "message": "m"}}, {"structured": {"tools": []}}],
			"after_end": "empty", "name": "big", "provider": "p", "profile": {"max_input_tokens": 9, "structured_output": true}},
		"system_prompt": "s", "name": "a", "checkpointer": true, "recursion_limit": 5, "max_concurrency": 2,
		"interrupt_before": ["model"], "interrupt_after": ["tools"],
		"response_format": {"strategy": "tool", "schema": {"title": "T"}, "handle_errors": true, "tool_message_content": "c"},
		"state": {"f": {"schema": {"type": "string"}, "visibility": "private", "lifetime": "untracked", "reducer": "append"}},
		"tools": [{"provider_tool": {"type": "web_search_1", "name": "w"}},
			{"name": "t", "description": "d", "parameters": {"type": "object"}, "return_direct": true, "log": "l", "extras": {"defer_loading": true},
			"behavior": {"kind": "raise", "error": {"type": "E", "message": "m"}, "times": 1, "then": {"kind": "read_state", "field": "f", "sleep_ms": 1}}}],
		"middleware": [{"type": "model_fallback", "config": {"models": [{"kind": "echo", "calls": [[{"id": "1", "name": "t", "args": {}}], []]}]}},
			{"type": "model_router", "config": {"instructions": "i", "choices": {"l": {"model": {"kind": "echo"}, "criteria": "c"}},
				"classifier": {"kind": "scripted", "turns": [{"answers": {"q": {"type": "choice", "choice": "l", "probabilities": {"l": 1}, "confidence": 1},
					"r": {"type": "noul", "noul": 0.5}}}, {"error": {"type": "E", "message": "m"}}]}}},
			{"type": "async_subagents", "config": {"async_subagents": [{"name": "r", "description": "d", "graph_id": "g", "url": "http://remote"}],
				"server": {"runs": [{"statuses": ["success"], "error": "e", "created": "running",
					"thread": {"status": "idle", "messages": [], "interrupts": {}}}], "fail": [{"op": "runs.get", "error": {"type": "E", "message": "m"}, "only_on": [1]}]}}},
			{"type": "probe", "name": "P", "state": {}, "tools": [], "dynamic_tools": [], "hooks": {
				"before_model": {"can_jump_to": ["end"], "do": [{"log": "x", "only_on": [1]}, {"update": {"f": 1}}, {"increment": "f", "by": 2},
					{"jump_to": "end"}, {"interrupt": {"q": 1}, "into": "f"}, {"raise": {"type": "E", "message": "m"}}]},
				"wrap_model_call": {"do": [{"override": {"system_prompt": "s", "append_system_prompt": "s", "messages": [], "append_messages": [],
					"tools": [], "add_tools": [], "tool_choice": "any", "settings": {"x": 1}, "model": {"kind": "echo"}}},
					{"call_next": {"retries": 1, "on_error": "x"}}, {"respond": {"content": "c"}}, {"transform": "upper"}, {"command": {"f": 1}}]},
				"wrap_tool_call": {"tools": ["t"], "do": [{"override": {"args": {}, "set_args": {}, "name": "x", "tool": "y"}}, {"call_next": true},
					{"respond": {"content": "c", "status": "error"}}, {"transform": {"prefix": "p", "suffix": "s"}}]}}}]},
	"runs": [{"thread": "t", "input": {"messages": [{"role": "tool", "tool_call_id": "1", "content": "c", "status": "error"}], "state": {"f": 1}}},
		{"thread": "t", "resume": 1}, {"thread": "t", "resume_each": {"1": 1}}, {"thread": "t", "continue": true}],
	"deviation": {"reason": "r", "expect": [{}, {}, {}, {}]}, "skip_if_deviating": "(h) x",
	"expect": [{"messages": [{"role": "ai", "content": {"$contains": ["x"]}, "id": "i", "name": "n", "tool_calls": [{"id": "1", "name": "t", "args": {}}],
		"invalid_tool_calls": [{"id": "1", "name": null, "args": ""}], "usage": {"input_tokens": 1}, "provider": "p"},
		{"role": "tool", "tool_call_id": "1", "status": "error"}],
		"state": {}, "structured_response": {}, "interrupts": [1], "next": ["tools"],
		"error": {"phase": "run", "kind": "scripted", "type": "E", "message": "m"},
		"model_requests": [{"model": "m", "message_count": 1, "messages": [], "tools": ["t"], "tool_choice": "any", "settings": {},
			"native_response_format": true, "structured": true, "deferred_tools": ["t"], "provider_tools": [{"type": "web_search_1", "name": "w"}]}],
		"decision_requests": [{"model": "classifier", "state": {"messages": [{"role": "human", "content": "x"}]}, "questions": {"q": {"type": "noul"}}}],
		"remote_requests": [{"op": "runs.create", "thread": "t", "run": "r", "graph": "g", "messages": [], "strategy": "interrupt", "metadata": {}}],
		"tool_runs": [{"id": "1", "name": "t", "args": {}}], "log": ["x"]}, {}, {}, {}]}`

func TestReadEverything(t *testing.T) {
	t.Parallel()
	v, err := reference.Read([]byte(everything))
	require.NoError(t, err)
	require.True(t, v.UsesProbe())
	require.Len(t, v.Agent.Models, 3)
	require.Len(t, v.Agent.Deciders, 1)
	require.Contains(t, v.Agent.Models, "fallback1")
}

// TestReadRefuses puts an unknown key into every object of the format that is not plain data, and wrong values.
func TestReadRefuses(t *testing.T) {
	t.Parallel()
	for _, place := range []string{
		`{"name": "x/y"`, `"agent": {`, `{"kind": "scripted"`, `{"content": "a"`, `"usage": {`, `"tool_calls": [{`, `"invalid_tool_calls": [{`,
		`{"error": {`, `{"structured"`, `"profile": {`, `"response_format": {`, `{"f": {`, `"tools": [{`, `"behavior": {`, `"then": {`,
		`{"type": "model_fallback"`, `{"kind": "echo", "calls": [[{`, `{"type": "probe"`, `"hooks": {`, `"before_model": {`, `{"log": "x"`, `{"update": {"f": 1}`,
		`{"increment": "f"`, `{"jump_to": "end"`, `{"interrupt": {"q": 1}`, `{"raise": {`, `{"override": {"system_prompt"`, `"model": {"kind": "echo"`,
		`{"call_next": {`, `{"respond": {`, `{"transform": "upper"`, `{"override": {"args"`, `{"transform": {`, `{"thread": "t", "input": {`,
		`{"role": "tool"`, `{"thread": "t", "resume"`, `"deviation": {`, `{"messages": [{"role": "ai"`, `"messages": [{`, `[{"role": "ai"`, `{"role": "tool", "tool_call_id": "1", "status"`,
		`{"$contains"`, `"error": {"phase"`, `"model_requests": [{`, `"tool_runs": [{`, `[{}, {`,
		`{"type": "model_router"`, `"l": {`, `{"kind": "scripted", "turns": [{"answers"`, `{"type": "choice", "choice"`, `{"type": "noul", "noul"`, `{"answers"`,
		`"decision_requests": [{`, `"tools": [{"provider_tool": {`, `"provider_tools": [{`, `"server": {`, `{"statuses"`, `"thread": {"status"`, `{"op": "runs.get"`, `"error": {"type": "E", "message": "m"}, "only_on"`,
		`"remote_requests": [{`,
	} {
		open := strings.LastIndexByte(place, '{') + 1
		if place[0] == '{' {
			open = 1
		}
		changed := strings.Replace(everything, place, place[:open]+`"mystery_key": 1, `+place[open:], 1)
		changed = strings.ReplaceAll(changed, "1, }", "1}")
		require.NotEqual(t, everything, changed, place)
		_, err := reference.Read([]byte(changed))
		require.ErrorContains(t, err, `mystery_key`, place)
	}
	for old, wrong := range map[string]string{
		`"kind": "scripted", "turns"`:                     `"kind": "random", "turns"`,
		`"empty"`:                                         `"again"`,
		`"visibility": "private"`:                         `"visibility": "secret"`,
		`"strategy": "tool"`:                              `"strategy": "guess"`,
		`"kind": "read_state"`:                            `"kind": "write_state"`,
		`"recursion_limit": 5`:                            `"recursion_limit": "5"`,
		`"interrupt_before": ["model"]`:                   `"interrupt_before": ["end"]`,
		`"only_on": [1]`:                                  `"only_on": [0]`,
		`"op": "runs.get"`:                                `"op": "runs.watch"`,
		`"only_on": [1]}]}`:                               `"only_on": ["1"]}]}`,
		`{"op": "runs.create"`:                            `{"op": "runs.watch"`,
		`{"jump_to": "end"}`:                              `{"jump_to": "end", "log": "x"}`,
		`"before_model": {`:                               `"before_lunch": {`,
		`{"call_next": true}`:                             `{"call_next": false}`,
		`"continue": true`:                                `"continue": true, "resume": 1`,
		`"kind": "scripted", "type"`:                      `"kind": "surprise", "type"`,
		`"phase": "run"`:                                  `"phase": "walk"`,
		`{"role": "tool", "tool_call_id": "1", "content"`: `{"role": "robot", "tool_call_id": "1", "content"`,
		`"expect": [{}, {}, {}, {}]`:                      `"expect": [{}, {}, {}]`,
		`"reference": "r"`:                                `"reference": 1`,
		`"record": "requests"`:                            `"record": "all"`,
		`"log": ["x"]`:                                    `"log": [1]`,
		`"name": "x/y", "doc"`:                            `"name": "x/y", "name": "twice", "doc"`,
	} {
		changed := strings.Replace(everything, old, wrong, 1)
		require.NotEqual(t, everything, changed, old)
		_, err := reference.Read([]byte(changed))
		require.Error(t, err, wrong)
	}
}
