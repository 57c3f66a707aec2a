package reference_test

// matrix has a case for every built-in middleware.
var matrix = map[string]matrixCase{
	"context_editing": {
		config: object{"edits": []any{object{"type": "clear_tool_uses", "trigger": 1, "keep": 1}}}, proof: []string{"[cleared]", "Answer: yes"},
	},
	"human_in_the_loop": {
		config: object{"interrupt_on": object{"calc": object{"allowed_decisions": []any{"reject"}}}},
		runs:   []any{matrixStart, object{"thread": "t", "resume": object{"decisions": []any{object{"type": "reject", "message": "no sums"}}}}, matrixAnswer},
		proof:  []string{"no sums", "Answer: yes"},
	},
	"model_call_limit": {
		config: object{"run_limit": 2}, proof: []string{"Model call limits exceeded: run limit (2/2)", "Answer: yes"},
	},
	"patch_tool_calls": {
		config: object{},
		runs:   []any{matrixStart, object{"thread": "t", "input": object{"messages": []any{object{"role": "human", "content": "never mind"}}}}},
		proof:  []string{"Tool call ask with id 3 did not complete"},
	},
	"summarization": {
		config: object{
			"model":   object{"kind": "scripted", "turns": []any{object{"content": "they asked for sums"}}, "after_end": "repeat_last", "name": "small"},
			"trigger": object{"messages": 6}, "keep": object{"messages": 2},
		},
		proof: []string{"Here is a summary of the conversation to date:\\n\\nthey asked for sums"},
	},
	"tool_call_limit": {
		config: object{"tool_name": "search", "run_limit": 1}, proof: []string{"Tool call limit exceeded. Do not call 'search' again.", "Answer: yes"},
	},
	"tool_error": {
		config: object{"on_error": object{"format": "{tool} is {message}"}},
		turns: []any{
			object{"content": "", "tool_calls": []any{matrixCall("1", "flaky", object{}), matrixCall("2", "ask", object{})}}, object{"content": "done"},
		},
		proof: []string{"flaky is down", "Answer: yes"},
	},
}
