package golden_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEveryHook performs a case of each hook of a guest that uses all of them.
func TestEveryHook(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ text, expect string }{
		"before_agent": {`
hook: before_agent
messages:
  - {role: human, content: "  hello "}
  - {role: human, content: drop me}
`, `
  result:
    patch:
      - content: "hello"
        id: "m1"
    remove:
      - "m2"
    state:
      mode: "running"
      seen:
        - "start"
  events:
    - data: 2
      name: "started"
`},
		"before_model": {`
hook: before_model
state: {count: 4}
messages: [{role: human, content: a}, {role: ai, content: b}]
`, `
  result:
    state:
      count: 1
      note: "call 5"
      seen:
        - "from 0 items 2 patch 0 remove 0 of 2 reset true"
`},
		"seen": {`
hook: before_model
messages: [{role: human, content: a}, {role: ai, content: b}, {role: human, content: c}]
seen: 2
`, `
  result:
    state:
      count: 1
      note: "call 1"
      seen:
        - "from 2 items 1 patch 0 remove 0 of 3 reset false"
`},
		"state.read": {`
hook: before_model
state: {count: 11}
messages: [{role: human, content: a}]
`, `
  result:
    patch:
      - id: "m1"
        meta:
          flagged: true
    state:
      count: 1
      note: "call 12"
      seen:
        - "from 0 items 1 patch 0 remove 0 of 1 reset true"
`},
		"after_model": {`
hook: after_model
messages: [{role: human, content: a}, {role: ai, content: again}]
`, `
  result:
    jump_to: "model"
    messages:
      - content: "go on"
        role: "human"
`},
		"error": {`
hook: after_model
messages: [{role: ai, content: break}]
`, `
  error:
    data: 7
    message: "the model said so"
    type: "broken"
`},
		"nothing": {"hook: after_model\nmessages: [{role: ai, content: fine}]\nexpect: {result: {}}\n", " {}\n"},
		"after_agent": {`
hook: after_agent
messages: [{role: human, content: a}, {id: last, role: ai, content: b}]
`, `
  result:
    messages:
      - content: "b"
        id: "last"
        role: "ai"
    overwrite: true
    state:
      mode: "done"
`},
		"interrupt": {`
hook: after_agent
state: {review: true, tools: 2}
messages: [{role: ai, content: b}]
`, `
  result:
    interrupts:
      - key: "review"
        value:
          count: 0
          memory: []
          tools: 2
`},
		"answers": {`
hook: after_agent
state: {review: true}
messages: [{id: last, role: ai, content: b}]
answers: {review: fine}
`, `
  result:
    messages:
      - content: "b"
        id: "last"
        role: "ai"
    overwrite: true
    state:
      mode: "done"
`},
		"wrap_model_call": {`
hook: wrap_model_call
state: {note: call 1, count: 1}
messages: [{role: human, content: a}]
request: {system: Be brief., tools: [search]}
next:
  - error: {message: busy, retryable: true}
  - {content: a secret plan}
`, `
  result:
    response:
      messages:
        - content: "[hidden]"
          id: "reply-1"
      stop_reason: "edited"
    state:
      count: 10
  next:
    - append_system: " [call 1]"
      patch:
        - content: "a!"
          id: "m1"
      settings:
        count: 1
      tool_choice: "auto"
    - {}
`},
		"wrap_tool_call": {`
hook: wrap_tool_call
call: {name: search, args: {q: go}}
next:
  - error: {type: busy, message: later, retryable: true}
  - {content: found}
`, `
  result:
    state:
      tools: 1
    tool_message:
      content: "FOUND"
  next:
    - set_args:
        by: "parity"
    - name: "search_again"
      set_args:
        attempt: 2
        by: "parity"
  events:
    - data: "call-1"
      name: "wrapped"
`},
		"unknown tool": {`
hook: wrap_tool_call
call: {id: c7, name: missing}
known: false
`, `
  result:
    tool_message:
      content: "no such tool"
      status: "error"
`},
		"answers of a tool call": {`
hook: wrap_tool_call
call: {id: c7, name: ask, args: {amount: 1}}
answers: {approve: true}
next: [{content: done}]
`, `
  result:
    state:
      tools: 1
    tool_message:
      content: "DONE"
  next:
    - set_args:
        by: "parity"
  events:
    - data: "c7"
      name: "wrapped"
`},
		"call_tool": {`
hook: call_tool
call: {name: remember, args: {key: sea, text: it is wet}}
`, `
  result:
    state:
      memory:
        - "it is wet"
    tool_message:
      artifact: 9
      content: "remembered sea"
  events:
    - data:
        key: "sea"
        text: "it is wet"
      name: "remembered"
`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, test.expect, updated(t, guest("parity"), test.text))
		})
	}
}

func TestFieldsOfOthersAndDynamicTools(t *testing.T) {
	t.Parallel()
	grant := "grant: {reads: [todos], writes: [todos]}\n"
	require.Equal(t, `
  result:
    state:
      todos: "rest, and lab's"
`, updated(t, guest("lab"), "hook: after_model\nstate: {todos: rest}\n"+grant))
	require.Equal(t, `
  result:
    tool_message:
      content: "ran as measure"
`, updated(t, guest("lab"), "hook: call_tool\ncall: {name: measure}\n"+grant))
	require.Equal(t, `
  next:
    - name: "renamed"
      tool: "measure"
`, updated(t, guest("lab"), "hook: wrap_tool_call\ncall: {name: magic}\nknown: false\n"+grant))
}

// TestClockAndRandomNumbers checks that the case determines the clock and the random numbers.
func TestClockAndRandomNumbers(t *testing.T) {
	t.Parallel()
	text := "hook: before_agent\nconfig: {limit: 7}\nnow: 2026-02-03T04:05:06Z\ngrant: {reads: [todos], writes: [todos]}\n"
	first := updated(t, guest("lab"), text)
	require.Contains(t, first, "now 2026-02-03T04:05:06Z")
	require.Contains(t, first, "limit integer")
	require.Equal(t, first, updated(t, guest("lab"), text))
}

func TestWhatIsNotAsExpected(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		text  string
		lines []string
	}{
		"other value": {
			"hook: after_model\nmessages: [{role: ai, content: stop}]\nexpect: {result: {jump_to: model}}\n",
			[]string{`result.jump_to: "model" → "end"`},
		},
		"nothing": {
			"hook: after_model\nmessages: [{role: ai, content: fine}]\nexpect: {result: {jump_to: end}, events: []}\n",
			[]string{`- result: {"jump_to":"end"}`},
		},
		"fuel": {
			"hook: after_model\nmessages: [{role: ai, content: stop}]\nexpect: {result: {jump_to: end}, fuel: 1}\n",
			nil,
		},
		"log": {
			"hook: after_model\nmessages: [{role: ai, content: fine}]\nexpect: {log: ['info: x']}\n",
			[]string{`- log: ["info: x"]`},
		},
		"fault": {
			"hook: after_model\nmessages: [{role: ai, content: fine}]\nexpect: {fault: trap}\n",
			[]string{`- fault: "trap"`},
		},
		"refused": { // its after_model looks at the first of no messages
			"hook: after_model\n",
			[]string{"fault trap: "},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lines := compare(t, guest("parity"), test.text)
			if name == "fuel" || name == "refused" {
				require.Len(t, lines, 1)
				require.Regexp(t, `^(fuel: 1 → \d+|fault trap: .*out of range.*)$`, lines[0])
				return
			}
			require.Equal(t, test.lines, lines)
		})
	}
}

func TestCasesThatCannotBePerformed(t *testing.T) {
	t.Parallel()
	for says, test := range map[string]struct{ guest, text string }{
		"no hook before_agent":     {"redact", "hook: before_agent\n"},
		`"todos" of other middle`:  {"lab", "hook: before_agent\n"},
		"not called: its Desc":     {"bench", "hook: wrap_tool_call\ncall: {name: x}\n"},
		"no tool search":           {"parity", "hook: call_tool\ncall: {name: search}\n"},
		"answered the call itself": {"parity", "hook: call_tool\ncall: {name: remember, args: {text: 7}}\n"},
		`field "nope"`:             {"parity", "hook: after_model\nstate: {nope: 1}\n"},
		"config":                   {"parity", "hook: after_model\nconfig: {x: 1}\n"},
	} {
		t.Run(says, func(t *testing.T) {
			t.Parallel()
			w := guest(test.guest)
			if test.guest == "redact" {
				w.Path = "../../../../plugins/redact/redact.wasm"
			}
			if test.guest == "bench" {
				w = guest("lab")
				test.text += "grant: {reads: [todos], writes: [todos]}\n"
			}
			_, err := load(t, test.text).Perform(t.Context(), w)
			require.ErrorContains(t, err, says)
		})
	}
}
