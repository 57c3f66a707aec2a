package probe_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/test/reference/probe"
	"github.com/agenthost/agenthost/test/reference/strict"
)

// execution is the host of one execution of a tool.
type execution struct {
	*bench
	slept int
}

func (e *execution) Execution() uint64       { return e.n }
func (e *execution) ToolCall() *abi.ToolCall { return e.call }

func (e *execution) Sleep(milliseconds int) error {
	e.slept += milliseconds
	return nil
}

func TestBehaviors(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		behavior string
		n        uint64
		want     string
		failure  string
		update   string
	}{
		"template":            {`{"kind": "template", "text": "{q} {list} {gone}|{#} {} {x y}"}`, 3, `x [1,{"a":true}] |3 {} {x y}`, "", ""},
		"upper":               {`{"kind": "upper", "arg": "q"}`, 1, "X", "", ""},
		"json":                {`{"kind": "json", "value": {"b": 1, "a": [null]}}`, 1, `{"a":[null],"b":1}`, "", ""},
		"raise":               {`{"kind": "raise", "error": {"type": "E", "message": "m"}}`, 9, "", "E: m", ""},
		"raise, still":        {`{"kind": "raise", "error": {"type": "E", "message": "m"}, "times": 2, "then": {"kind": "template", "text": "{#}"}}`, 2, "", "E: m", ""},
		"raise, then":         {`{"kind": "raise", "error": {"type": "E", "message": "m"}, "times": 2, "then": {"kind": "template", "text": "{#}"}}`, 3, "3", "", ""},
		"read_state":          {`{"kind": "read_state", "field": "f"}`, 1, "[1]", "", ""},
		"read_state, missing": {`{"kind": "read_state", "field": "g"}`, 1, "<missing>", "", ""},
		"command":             {`{"kind": "command", "text": "did {q}", "update": {"f": "{q}"}}`, 1, "did x", "", `{"f":"{q}"}`},
		"interrupt":           {`{"kind": "interrupt", "ask": "{q}?"}`, 1, "", "asked", ""},
		"sleep":               {`{"kind": "template", "text": "", "sleep_ms": 7}`, 1, "", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := strict.Open(raw(t, `{"tools": [{"name": "t", "log": "runs", "behavior": `+test.behavior+`}]}`), "doc")
			tools := probe.Tools(o.Objects("tools"))
			require.NoError(t, o.Done())
			call := abi.Call("c", "t", map[string]any{"q": "x", "list": []any{1, map[string]any{"a": true}}})
			e := &execution{bench: &bench{n: test.n, call: &call, state: map[string]wire.Raw{"f": raw(t, "[1]")}}}
			text, update, err := tools[0].Run(e)
			require.Equal(t, []string{"runs"}, e.log)
			require.Equal(t, tools[0].Sleeps(), e.slept == 7)
			if test.failure != "" {
				require.EqualError(t, err, test.failure)
				return
			}
			require.NoError(t, err)
			require.Equal(t, test.want, text)
			if test.update != "" {
				require.Equal(t, test.update, update.State.Raw().JSON())
			}
		})
	}
}

func TestInterruptAnswered(t *testing.T) {
	t.Parallel()
	o := strict.Open(raw(t, `{"tools": [{"name": "t", "behavior": {"kind": "interrupt", "ask": "?"}}]}`), "doc")
	call := abi.Call("c", "t", nil)
	for answer, want := range map[string]string{`"Ann"`: "Answer: Ann", `{"b": 1, "a": 2}`: `Answer: {"a":2,"b":1}`} {
		b := &bench{n: 1, call: &call, answers: map[string]wire.Raw{"ask": raw(t, answer)}}
		text, _, err := probe.Tools(o.Objects("tools"))[0].Run(&execution{bench: b})
		require.NoError(t, err)
		require.Equal(t, want, text)
	}
}
