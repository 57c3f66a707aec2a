package reference_test

import "slices"

// matrix has a case for every built-in middleware.
var matrix = map[string]matrixCase{
	"anthropic_prompt_caching": {
		config: object{"ttl": "1h", "unsupported_model_behavior": "ignore"}, provider: "anthropic",
		proof: []string{`"cache_control":{"ttl":"1h","type":"ephemeral"}`, "Answer: yes"},
	},
	"async_subagents": {
		config: object{
			"notifications":   true,
			"async_subagents": []any{object{"name": "researcher", "description": "Finds things out.", "graph_id": "research", "url": "http://remote"}},
			"server": object{"runs": []any{object{
				"statuses": []any{"running", "success"}, "thread": object{"messages": []any{object{"role": "assistant", "content": "42"}}},
			}}},
		},
		turns: append([]any{object{"content": "", "tool_calls": []any{
			matrixCall("0", "start_async_task", object{"description": "find it", "subagent_type": "researcher"}),
		}}}, append(slices.Clip(matrixTurns), object{"content": "after the news"})...),
		proof: []string{"Launched async subagent. task_id: thread-1", `"op":"runs.create"`, `SYSTEM NOTIFICATION`, "Answer: yes"},
	},
	"auto_mode": {
		config: object{"tools": []any{"calc"}, "classifier": matrixClassifier(object{"is_risky": object{"type": "noul", "noul": 0.75}})},
		proof:  []string{"The tool call `calc` was blocked because it was classified as risky (probability: 0.75).", "Answer: yes"},
	},
	"claude_bash": {
		config: object{"execution_policy": object{"type": "host"}}, provider: "anthropic",
		turns: matrixFirst(matrixCall("1", "bash", object{"command": "A=$((40+2))"}), matrixCall("2", "bash", object{"command": "echo the answer is $A"})),
		proof: []string{`"type":"bash_20250124"`, "the answer is 42", "Answer: yes"},
	},
	"claude_memory": {
		config: object{}, provider: "anthropic",
		turns: matrixFirst(
			matrixCall("1", "memory", object{"command": "create", "path": "/memories/a.md", "file_text": "one\ntwo\n"}),
			matrixCall("2", "memory", object{"command": "view", "path": "/memories/a.md"}),
		),
		proof: []string{`"type":"memory_20250818"`, "ALWAYS VIEW YOUR MEMORY DIRECTORY", `1|one\n2|two`, "Answer: yes"},
	},
	"claude_text_editor": {
		config: object{}, provider: "anthropic",
		turns: matrixFirst(
			matrixCall("1", "str_replace_based_edit_tool", object{"command": "create", "path": "/a.md", "file_text": "one\n"}),
			matrixCall("2", "str_replace_based_edit_tool", object{"command": "str_replace", "path": "/a.md", "old_str": "one", "new_str": "two"}),
		),
		proof: []string{`"type":"text_editor_20250728"`, "String replaced in /a.md", "Answer: yes"},
	},
	"context_editing": {
		config: object{"edits": []any{object{"type": "clear_tool_uses", "trigger": 1, "keep": 1}}}, proof: []string{"[cleared]", "Answer: yes"},
	},
	"dynamic_prompt": {
		config: object{"template": "There are {{.message_count}} messages."}, proof: []string{"There are 7 messages.", "Answer: yes"},
	},
	"file_search": {
		config: object{"root_path": "testdata/matrix"},
		turns: matrixFirst(
			matrixCall("1", "glob_search", object{"pattern": "*.txt"}), matrixCall("2", "grep_search", object{"pattern": "Ann"}),
		),
		proof: []string{"/notes.txt", "/AGENTS.md", "Answer: yes"},
	},
	"filesystem": {
		config: object{},
		turns: []any{
			object{"content": "", "tool_calls": []any{
				matrixCall("1", "write_file", object{"file_path": "/a.txt", "content": "one"}),
				matrixCall("2", "write_file", object{"file_path": "/b.txt", "content": "two"}),
			}},
			object{"content": "", "tool_calls": []any{matrixCall("3", "ask", object{}), matrixCall("4", "read_file", object{"file_path": "/b.txt"})}},
			object{"content": "", "tool_calls": []any{matrixCall("5", "ls", object{"path": "/"})}},
			object{"content": "done"},
		},
		proof: []string{"Updated file /a.txt", `@@ lines 1-1 of 1 @@\ntwo`, `[\"/a.txt\",\"/b.txt\"]`, "Answer: yes"},
	},
	"human_in_the_loop": {
		config: object{"interrupt_on": object{"calc": object{"allowed_decisions": []any{"reject"}}}},
		runs: []any{
			matrixStart, object{"thread": "t", "resume": object{"decisions": []any{object{"type": "reject", "message": "no sums"}}}}, matrixAnswer,
		},
		proof: []string{"no sums", "Answer: yes"},
	},
	"llm_tool_emulator": {
		config: object{
			"tools": []any{"calc", "search"},
			"model": object{"kind": "scripted", "turns": []any{object{"content": "made up"}}, "after_end": "repeat_last", "name": "small"},
		},
		proof: []string{`"content":"made up"`, "Answer: yes"},
	},
	"llm_tool_selector": {
		config: object{
			"model": object{
				"kind": "scripted", "turns": []any{object{"structured": object{"tools": []any{"search", "calc", "ask"}}}}, "after_end": "repeat_last",
				"name": "small", "profile": object{"structured_output": true},
			},
		},
		proof: []string{`"tools":["search","calc","ask"]`, "Answer: yes"},
	},
	"loop_control": {
		config: object{"max_continues": 0, "max_repeats": 1, "repeat_tools": []any{"search"}},
		turns: []any{
			object{"content": "", "tool_calls": []any{matrixCall("1", "search", object{"q": "x"}), matrixCall("2", "calc", object{"n": 1})}},
			object{"content": "", "tool_calls": []any{matrixCall("3", "search", object{"q": "x"}), matrixCall("4", "ask", object{})}},
			object{"content": "done"},
		},
		proof: []string{`"status":"error"`, "Answer: yes"},
	},
	"memory": {
		config: object{"sources": []any{"/AGENTS.md"}, "root": "testdata/matrix"}, proof: []string{"Call me Ann.", "Answer: yes"},
	},
	"model_call_limit": {
		config: object{"run_limit": 2}, proof: []string{"Model call limits exceeded: run limit (2/2)", "Answer: yes"},
	},
	"model_fallback": {
		config: object{"models": []any{object{"kind": "scripted", "turns": []any{object{"content": "the other one"}}, "name": "small"}}},
		turns:  append(matrixTurns[:2:2], object{"error": object{"type": "ValueError", "message": "down"}}),
		proof:  []string{"the other one", "Answer: yes"},
	},
	"model_refusal": {
		config: object{},
		turns:  append(matrixTurns[:2:2], object{"content": []any{object{"type": "refusal", "refusal": "I won't."}}}),
		proof:  []string{"Model refused to produce the requested output: I won't.", "Answer: yes"},
	},
	"model_retry": {
		config: object{"initial_delay": 0, "max_retries": 1},
		turns:  append([]any{object{"error": object{"type": "ValueError", "message": "down"}}}, matrixTurns...),
		proof:  []string{"done, write to bob@example.com", "Answer: yes"},
	},
	"model_router": {
		config: object{
			"instructions": "Choose.", "choices": object{"fast": object{
				"model": object{"kind": "scripted", "turns": matrixTurns}, "criteria": "all",
			}},
			"classifier": matrixClassifier(object{"model_route": object{
				"type": "choice", "choice": "fast", "probabilities": object{"fast": 1}, "confidence": 1,
			}}),
		},
		proof: []string{`"model":"fast"`, `"choice":"fast"`, "Answer: yes"},
	},
	"openai_auto_mode": {
		config: object{"tools": []any{"calc"}, "model": matrixClassifier(object{"is_risky": object{"type": "refusal"}})},
		proof:  []string{"The tool call `calc` was blocked because its risk could not be assessed.", "Answer: yes"},
	},
	"openai_model_router": {
		config: object{
			"instructions": "Choose.", "choices": object{"fast": object{
				"model": object{"kind": "scripted", "turns": matrixTurns}, "criteria": "all",
			}},
			"model": matrixClassifier(object{"model_route": object{
				"type": "choice", "choice": "fast", "probabilities": object{"fast": 1}, "confidence": 1,
			}}),
		},
		proof: []string{`"model":"fast"`, `"model_route":{"choice":"fast"`, "Answer: yes"},
	},
	"openai_moderation": {
		config: object{
			"check_tool_results": true, "exit_behavior": "replace",
			"moderator": object{"kind": "scripted", "turns": append(
				slices.Repeat([]any{object{"categories": object{}}}, 2), append([]any{object{"categories": object{"violence": true}}},
					slices.Repeat([]any{object{"categories": object{}}}, 9)...)...,
			)},
		},
		proof: []string{"It was flagged for violence.", "Answer: yes"},
	},
	"patch_tool_calls": {
		config: object{},
		runs:   []any{matrixStart, object{"thread": "t", "input": object{"messages": []any{object{"role": "human", "content": "never mind"}}}}},
		proof:  []string{"Tool call ask with id 3 did not complete"},
	},
	"pii": {
		config: object{"pii_type": "email", "apply_to_output": true, "apply_to_tool_results": true},
		proof:  []string{"ask [REDACTED_EMAIL]", "Result for [REDACTED_EMAIL]", "done, write to [REDACTED_EMAIL]", "Answer: yes"},
	},
	"provider_tool_search": {
		config: object{"searchable_tools": []any{"search"}}, provider: "openai",
		proof: []string{`"deferred_tools":["search"]`, `"provider_tools":[{"type":"tool_search"}]`, "Answer: yes"},
	},
	"rubric": {
		config: object{"model": object{"kind": "scripted", "turns": []any{
			matrixGrading("g1", "needs_revision", object{"name": "is polite", "passed": false, "gap": "say please"}),
			matrixGrading("g2", "satisfied", object{"name": "is polite", "passed": true}),
		}}},
		turns: append(slices.Clip(matrixTurns), object{"content": "please"}),
		runs: []any{
			object{"thread": "t", "input": object{"messages": []any{object{"role": "human", "content": "go"}}, "state": object{"rubric": "Be polite."}}},
			matrixAnswer,
		},
		proof: []string{"- is polite: say please", `"content":"please"`, "Answer: yes"},
	},
	"shell": {
		config: object{"execution_policy": object{"type": "host"}, "shell_command": "/bin/sh"},
		turns:  matrixFirst(matrixCall("1", "shell", object{"command": "A=$((40+2))"}), matrixCall("2", "shell", object{"command": "echo the answer is $A"})),
		proof:  []string{"the answer is 42", "Answer: yes"},
	},
	"skills": {
		config: object{"sources": []any{"/skills"}, "root": "testdata/matrix"}, proof: []string{"- **sums**: how to add numbers", "Answer: yes"},
	},
	"subagents": {
		config: object{"general_purpose": false, "agents": []any{object{
			"name": "helper", "description": "helps", "system_prompt": "Help.",
			"model": object{"kind": "scripted", "turns": []any{object{"content": "helped"}}, "after_end": "repeat_last", "name": "small"},
		}}},
		turns: matrixFirst(
			matrixCall("1", "task", object{"description": "the one", "subagent_type": "helper"}),
			matrixCall("2", "task", object{"description": "the other", "subagent_type": "helper"}),
		),
		proof: []string{`"content":"helped"`, `"content":"the other"`, "Answer: yes"},
	},
	"summarization": {
		config: object{
			"model":   object{"kind": "scripted", "turns": []any{object{"content": "they asked for sums"}}, "after_end": "repeat_last", "name": "small"},
			"trigger": object{"messages": 6}, "keep": object{"messages": 2},
		},
		proof: []string{`Here is a summary of the conversation to date:\n\nthey asked for sums`},
	},
	"todo_list": {
		config: object{},
		turns: matrixFirst(
			matrixCall("1", "write_todos", object{"todos": []any{object{"content": "add", "status": "in_progress"}}}), matrixCall("2", "calc", object{"n": 2}),
		),
		proof: []string{`Updated todo list to [{\"content\":\"add\",\"status\":\"in_progress\"}]`, `"todos":[{"content":"add","status":"in_progress"}]`, "Answer: yes"},
	},
	"tool_call_limit": {
		config: object{"tool_name": "search", "run_limit": 1}, proof: []string{"Tool call limit exceeded. Do not call 'search' again.", "Answer: yes"},
	},
	"tool_error": {
		config: object{"on_error": object{"format": "{tool} is {message}"}}, turns: matrixFlaky, proof: []string{"flaky is down", "Answer: yes"},
	},
	"tool_retry": {
		config: object{"initial_delay": 0, "max_retries": 1}, turns: matrixFlaky, proof: []string{`"content":"up"`, "Answer: yes"},
	},
	"unsupported_content": {
		config: object{},
		runs: []any{
			object{"thread": "t", "input": object{"messages": []any{object{"role": "human", "content": []any{
				object{"type": "text", "text": "go"}, object{"type": "file", "base64": "aGk=", "mime_type": "text/csv"},
			}}}}}, matrixAnswer,
		},
		proof: []string{"[read_file: the requested file was not attached because this model does not support file content (text/csv).]", "Answer: yes"},
	},
}

// matrixFlaky calls a tool that fails at first, together with one that asks.
var matrixFlaky = []any{
	object{"content": "", "tool_calls": []any{matrixCall("1", "flaky", object{}), matrixCall("2", "ask", object{})}}, object{"content": "done"},
}

// matrixGrading is a turn of a grader.
func matrixGrading(id, result string, criterion object) object {
	return object{"content": "", "tool_calls": []any{
		matrixCall(id, "GraderResponse", object{"result": result, "explanation": "x", "criteria": []any{criterion}}),
	}}
}

// matrixFirst returns the usual turns with other calls in the first one.
func matrixFirst(calls ...any) []any {
	return append([]any{object{"content": "", "tool_calls": calls}}, matrixTurns[1:]...)
}

// matrixClassifier is a decision model that gives the same answers again and again.
func matrixClassifier(answers object) object {
	return object{"kind": "scripted", "turns": slices.Repeat([]any{object{"answers": answers}}, 9)}
}
