package probe_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

func replies(m ...abi.Message) func() (*abi.ModelResponse, error) {
	return func() (*abi.ModelResponse, error) { return &abi.ModelResponse{Messages: m}, nil }
}

// failing returns a function that fails this many times, and then returns a value.
func failing[T any](times int, then T) func() (T, error) {
	return func() (T, error) {
		times--
		if times >= 0 {
			var none T
			return none, &abi.Error{Type: "E", Message: "down"}
		}
		return then, nil
	}
}

func patches(t *testing.T, change *abi.ResponseChange) []string {
	t.Helper()
	var out []string
	for i := range change.Messages {
		out = append(out, change.Messages[i].Keys().Raw().JSON())
	}
	return out
}

func TestModelOverrides(t *testing.T) {
	t.Parallel()
	hook := script(t, abi.WrapModelCall, `[
		{"override": {"append_system_prompt": " W", "tools": ["b", "c", "nobody"], "settings": {"x": 1, "y": 1}}},
		{"call_next": true},
		{"override": {"append_system_prompt": "!", "add_tools": [{"name": "d", "behavior": {"kind": "json", "value": 1}}], "settings": {"y": 2},
			"messages": [{"role": "human", "content": "only"}], "append_messages": [{"role": "human", "content": "more"}], "tool_choice": "any", "model": "other"}},
		{"call_next": true},
		{"override": {"system_prompt": "new", "tools": ["c", "d"]}},
		{"call_next": true}]`)
	b := &bench{n: 1, request: &abi.ModelRequest{System: abi.Text("S"), Tools: []string{"a", "b", "c"}}, reply: replies(abi.Message{ID: "1", Role: abi.RoleAI})}
	response, update, err := hook.Model(&modelBench{b})
	require.NoError(t, err)
	require.Nil(t, response, "the last reply passes on")
	require.Nil(t, update)
	require.Len(t, b.changes, 3)

	first := b.changes[0]
	require.Equal(t, "S W", first.System.Text())
	require.Equal(t, abi.NameList{"b", "c"}, first.Tools)
	require.JSONEq(t, `{"x": 1, "y": 1}`, first.Settings.Raw().JSON())
	require.False(t, first.Overwrite)

	second := b.changes[1]
	require.Equal(t, "S W!", second.System.Text())
	require.Equal(t, "d", second.AddTools[0].Name)
	require.JSONEq(t, `{"x": 1, "y": 2}`, second.Settings.Raw().JSON())
	require.True(t, second.Overwrite)
	require.Len(t, second.Messages, 2)
	require.Equal(t, "any", *second.ToolChoice)
	require.Equal(t, "other", second.Model)

	third := b.changes[2]
	require.Equal(t, "new", third.System.Text())
	require.Equal(t, abi.NameList{"c"}, third.Tools)
	require.Len(t, third.AddTools, 1)
}

func TestModelResponses(t *testing.T) {
	t.Parallel()
	tool := abi.Message{ID: "2", Role: abi.RoleTool, Content: abi.Text("t")}
	ai := abi.Message{ID: "1", Role: abi.RoleAI, Content: abi.Text("hi")}
	for name, test := range map[string]struct {
		actions string
		reply   func() (*abi.ModelResponse, error)
		want    []string
		failure string
		calls   int
	}{
		"transform":            {`[{"call_next": true}, {"transform": "upper"}, {"transform": {"prefix": "<", "suffix": ">"}}]`, replies(ai, tool), []string{`{"content":"<HI>","id":"1"}`, `{"id":"2"}`}, "", 1},
		"respond":              {`[{"respond": {"content": "cached"}}]`, nil, []string{`{"content":"cached","role":"ai"}`}, "", 0},
		"respond, transform":   {`[{"call_next": true}, {"respond": {"content": "x"}}, {"transform": "upper"}]`, replies(ai), []string{`{"content":"X","role":"ai"}`}, "", 1},
		"next after respond":   {`[{"respond": {"content": "x"}}, {"call_next": true}]`, replies(ai), nil, "", 1},
		"retries":              {`[{"call_next": {"retries": 2}}]`, failing(2, &abi.ModelResponse{}), nil, "", 3},
		"retries used up":      {`[{"call_next": {"retries": 1}}]`, failing[*abi.ModelResponse](5, nil), nil, "E: down", 2},
		"on_error":             {`[{"call_next": {"on_error": "{type}: {message} in {n}"}}]`, failing[*abi.ModelResponse](5, nil), []string{`{"content":"E: down in 1","role":"ai"}`}, "", 1},
		"retries and on_error": {`[{"call_next": {"retries": 2, "on_error": "x"}}]`, failing[*abi.ModelResponse](5, nil), []string{`{"content":"x","role":"ai"}`}, "", 3},
		"raise":                {`[{"call_next": true}, {"raise": {"type": "R", "message": "m"}}]`, replies(ai), nil, "R: m", 1},
		"nothing":              {`[{"log": "x"}]`, nil, nil, "probe_mistake: wrap_model_call: the script ends without a response", 0},
		"early transform":      {`[{"transform": "upper"}]`, nil, nil, "probe_mistake: transform: there is no response yet", 0},
		"interrupts pass": {`[{"call_next": {"retries": 3, "on_error": "x"}}]`, func() (*abi.ModelResponse, error) {
			return nil, errAsked
		}, nil, "asked", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := &bench{n: 1, request: &abi.ModelRequest{}, reply: test.reply}
			response, _, err := script(t, abi.WrapModelCall, test.actions).Model(&modelBench{b})
			require.Len(t, b.changes, test.calls)
			if test.failure != "" {
				require.EqualError(t, err, test.failure)
				return
			}
			require.NoError(t, err)
			if test.want == nil {
				require.Nil(t, response)
				return
			}
			require.Equal(t, test.want, patches(t, response))
		})
	}
}

func TestModelCommand(t *testing.T) {
	t.Parallel()
	b := &bench{n: 4, request: &abi.ModelRequest{}, reply: replies(abi.Message{ID: "1", Role: abi.RoleAI})}
	_, update, err := script(t, abi.WrapModelCall, `[{"command": {"f": "w{n}"}}, {"call_next": true}, {"command": {"g": 1}}]`).Model(&modelBench{b})
	require.NoError(t, err)
	require.JSONEq(t, `{"f": "w4", "g": 1}`, update.State.Raw().JSON())
}

func TestToolWraps(t *testing.T) {
	t.Parallel()
	found := abi.ToolResult(abi.Call("c", "search", nil), "found")
	finds := func() (*abi.Message, error) { return &found, nil }
	for name, test := range map[string]struct {
		actions string
		tool    func() (*abi.Message, error)
		want    string
		failure string
		log     []string
	}{
		"passes":    {`[{"log": "{tool} {id} {known} {state.f}"}, {"call_next": true}, {"log": "after"}]`, finds, "", "", []string{"search c true 1", "after"}},
		"transform": {`[{"call_next": true}, {"transform": {"suffix": "!"}}, {"transform": "upper"}]`, finds, `{"content":"FOUND!"}`, "", nil},
		"respond":   {`[{"respond": {"content": "{tool}: {id}", "status": "error"}}]`, nil, `{"content":"search: c","name":"search","status":"error"}`, "", nil},
		"on_error": {
			`[{"call_next": {"on_error": "{tool} {message}"}}, {"transform": "upper"}]`, failing[*abi.Message](1, nil),
			`{"content":"SEARCH DOWN","name":"search","status":"error"}`, "", nil,
		},
		"retries":   {`[{"call_next": {"retries": 1}}]`, failing(1, &found), "", "", nil},
		"gives up":  {`[{"call_next": {"retries": 1}}]`, failing(2, &found), "", "E: down", nil},
		"redirects": {`[{"override": {"name": "other", "tool": "dyn"}}, {"log": "{tool} {known}"}, {"call_next": true}]`, finds, "", "", []string{"other true"}},
		"nothing":   {`[]`, nil, "", "probe_mistake: wrap_tool_call: the script ends without an answer", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			call := abi.Call("c", "search", map[string]any{"q": "x"})
			b := &bench{n: 1, call: &call, known: true, tool: test.tool, state: map[string]wire.Raw{"f": wire.Int(1)}}
			answer, _, err := script(t, abi.WrapToolCall, test.actions).Tool(&toolBench{b})
			require.Equal(t, test.log, b.log)
			if test.failure != "" {
				require.EqualError(t, err, test.failure)
				return
			}
			require.NoError(t, err)
			if test.want == "" {
				require.Nil(t, answer)
				return
			}
			require.Equal(t, test.want, answer.Keys().Raw().JSON())
		})
	}
}

func TestToolOverrides(t *testing.T) {
	t.Parallel()
	found := abi.ToolResult(abi.Call("c", "search", nil), "found")
	call := abi.Call("c", "search", nil)
	b := &bench{n: 1, call: &call, tool: func() (*abi.Message, error) { return &found, nil }}
	_, _, err := script(t, abi.WrapToolCall, `[{"override": {"set_args": {"a": 1}}}, {"override": {"set_args": {"b": 2}, "name": "x"}}, {"call_next": true},
		{"override": {"args": {"z": 0}}}, {"override": {"set_args": {"y": 0}, "tool": "d"}}, {"call_next": true}]`).Tool(&toolBench{b})
	require.NoError(t, err)
	require.JSONEq(t, `{"a": 1, "b": 2}`, b.calls[0].SetArgs.Raw().JSON())
	require.Equal(t, "x", b.calls[0].Name)
	require.JSONEq(t, `{"z": 0}`, b.calls[1].Args.JSON())
	require.JSONEq(t, `{"y": 0}`, b.calls[1].SetArgs.Raw().JSON())
	require.Equal(t, "d", b.calls[1].Tool)
}
