package reference_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/test/reference"
)

// echoAgent is a vector without its expectation. Its run makes one model request, one tool run, a log line and a
// state field.
const echoAgent = `{"name": "x/y", "doc": "d", "reference": "r",
	"agent": {
		"model": {"kind": "scripted", "turns": [
			{"content": "", "tool_calls": [{"id": "1", "name": "search", "args": {"q": "x", "n": 2}}]}, {"content": "{\"b\": 1, \"a\": [2]}"}]},
		"system_prompt": "S",
		"state": {"sum": {"reducer": "add"}},
		"tools": [{"name": "search", "parameters": {"type": "object"}, "log": "running",
			"behavior": {"kind": "command", "text": "Result for {q}", "update": {"sum": 2}}}]},
	"runs": [{"input": {"messages": [{"role": "human", "content": "go", "id": "h"}]}}],
	"expect": [EXPECT]}`

const (
	goodMessages = `"messages": [{"role": "human", "content": "go", "id": "h"},
		{"role": "ai", "content": "", "tool_calls": [{"id": "1", "name": "search", "args": {"n": 2.0, "q": "x"}}]},
		{"role": "tool", "content": {"$contains": ["Result", "x"]}, "tool_call_id": "1", "status": "success"},
		{"role": "ai", "content": "{\"a\":[2],\"b\":1.0}"}]`
	goodRequests = `"model_requests": [{"model": "main", "message_count": 2, "tools": ["search"]},
		{"model": "main", "message_count": 4, "tools": ["search"], "messages": [
			{"role": "system", "content": [{"type": "text", "text": "S"}]}, {"role": "human"},
			{"role": "ai", "tool_calls": [{"id": "1", "name": "search", "args": {"q": "x", "n": 2}}]}, {"role": "tool"}]}]`
	goodRuns = `"tool_runs": [{"id": "1", "name": "search", "args": {"q": "x", "n": 2}}]`
)

// compare runs the vector with an expectation and returns how it differs.
func compare(t *testing.T, expect string) []string {
	t.Helper()
	v, err := reference.Read([]byte(strings.ReplaceAll(echoAgent, "EXPECT", expect)))
	require.NoError(t, err)
	subject, err := v.Build(reference.Native())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, subject.Close()) })
	return reference.Compare(v.Expect[0], subject.Perform(t.Context(), &v.Runs[0]))
}

func TestCompareAccepts(t *testing.T) {
	t.Parallel()
	for _, expect := range []string{
		`{}`,
		`{"structured_response": null, "interrupts": [], "next": []}`,
		`{` + goodMessages + `, "state": {"sum": 2.0}, ` + goodRequests + `, ` + goodRuns + `, "log": ["running"]}`,
	} {
		require.Empty(t, compare(t, expect))
	}
}

func TestCompareReports(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ good, old, wrong, at string }{
		"role":                {goodMessages, `"human"`, `"system"`, "messages[0].role"},
		"content":             {goodMessages, `"go"`, `"Go"`, "messages[0].content"},
		"content against id":  {goodMessages, `"id": "h"`, `"id": "g"`, "messages[0].id"},
		"contents":            {goodMessages, `"Result", "x"`, `"Result", "y"`, "messages[2].content"},
		"content as JSON":     {goodMessages, `[2]`, `[2,3]`, "messages[3].content.a"},
		"status":              {goodMessages, `"success"`, `"error"`, "messages[2].status"},
		"answered call":       {goodMessages, `"tool_call_id": "1"`, `"tool_call_id": "2"`, "messages[2].tool_call_id"},
		"call":                {goodMessages, `"n": 2.0`, `"n": 2.5`, "messages[1].tool_calls[0].args.n"},
		"call's id":           {goodMessages, `"tool_calls": [{"id": "1"`, `"tool_calls": [{"id": "2"`, "messages[1].tool_calls[0].id"},
		"call too many":       {goodMessages, `, "tool_calls": [{"id": "1", "name": "search", "args": {"n": 2.0, "q": "x"}}]`, ``, "messages[1].tool_calls"},
		"message missing":     {goodMessages, `{"role": "human", "content": "go", "id": "h"},`, ``, "messages"},
		"name":                {goodMessages, `"tool_call_id": "1"`, `"tool_call_id": "1", "name": "other"`, "messages[2].name"},
		"usage":               {goodMessages, `"content": "", `, `"content": "", "usage": {"input_tokens": 1}, `, "messages[1].usage"},
		"invalid call":        {goodMessages, `"content": "", `, `"content": "", "invalid_tool_calls": [{"id": "2", "name": "b", "args": ""}], `, "messages[1].invalid_tool_calls"},
		"state":               {`"state": {"sum": 2}`, `2`, `3`, "state.sum"},
		"state too much":      {`"state": {"sum": 2}`, `"sum": 2`, ``, "state"},
		"state too little":    {`"state": {"sum": 2}`, `2}`, `2, "x": 1}`, "state"},
		"state of other type": {`"state": {"sum": 2}`, `2`, `"2"`, "state.sum"},
		"structured":          {`"structured_response": null`, `null`, `{}`, "structured_response"},
		"interrupts":          {`"interrupts": []`, `[]`, `[{"ask": "x"}]`, "interrupts"},
		"next":                {`"next": []`, `[]`, `["tools"]`, "next"},
		"error":               {`"log": ["running"]`, `"log"`, `"error": {"phase": "run", "kind": "invalid", "message": "x"}, "log"`, "error"},
		"log":                 {`"log": ["running"]`, `running`, `runs`, "log[0]"},
		"log line too many":   {`"log": ["running"]`, `"running"`, ``, "log"},
		"request's model":     {goodRequests, `"main"`, `"other"`, "model_requests[0].model"},
		"request's count":     {goodRequests, `4`, `5`, "model_requests[1].message_count"},
		"request's tools":     {goodRequests, `["search"]`, `[]`, "model_requests[0].tools"},
		"request's choice":    {goodRequests, `"tools"`, `"tool_choice": "any", "tools"`, "model_requests[0].tool_choice"},
		"request's settings":  {goodRequests, `"tools"`, `"settings": {"top_p": 1}, "tools"`, "model_requests[0].settings"},
		"request's messages":  {goodRequests, `"S"`, `"T"`, "model_requests[1].messages[0].content"},
		"native":              {goodRequests, `"tools"`, `"native_response_format": true, "tools"`, "model_requests[0].native_response_format"},
		"selector":            {goodRequests, `"tools"`, `"structured": true, "tools"`, "model_requests[0].structured"},
		"tool run":            {goodRuns, `"x"`, `"y"`, "tool_runs[0].args.q"},
		"tool run's id":       {goodRuns, `"id": "1"`, `"id": "2"`, "tool_runs[0].id"},
		"tool run too many":   {goodRuns, `{"id": "1", "name": "search", "args": {"q": "x", "n": 2}}`, ``, "tool_runs"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Empty(t, compare(t, `{`+test.good+`}`))
			wrong := strings.Replace(test.good, test.old, test.wrong, 1)
			require.NotEqual(t, test.good, wrong)
			differences := compare(t, `{`+wrong+`}`)
			require.Len(t, differences, 1, differences)
			require.True(t, strings.HasPrefix(differences[0], test.at+":"), differences[0])
		})
	}
}

func TestCompareErrors(t *testing.T) {
	t.Parallel()
	fails := func(expect string) []string {
		text := strings.ReplaceAll(echoAgent, `{"content": "{\"b\": 1, \"a\": [2]}"}`, `{"error": {"type": "ValueError", "message": "down"}}`)
		v, err := reference.Read([]byte(strings.ReplaceAll(text, "EXPECT", expect)))
		require.NoError(t, err)
		subject, err := v.Build(reference.Native())
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, subject.Close()) })
		return reference.Compare(v.Expect[0], subject.Perform(t.Context(), &v.Runs[0]))
	}
	require.Empty(t, fails(`{"error": {"phase": "run", "kind": "scripted", "type": "ValueError", "message": "down"}}`))
	require.Empty(t, fails(`{"error": {"phase": "run", "kind": "scripted", "type": "ValueError", "message": {"$contains": ["main", "down"]}}}`))
	for _, wrong := range []string{
		`{}`,
		`{"error": {"phase": "build", "kind": "scripted", "type": "ValueError", "message": "down"}}`,
		`{"error": {"phase": "run", "kind": "script_exhausted", "message": "other words do not count"}}`,
		`{"error": {"phase": "run", "kind": "scripted", "type": "TypeError", "message": "down"}}`,
		`{"error": {"phase": "run", "kind": "scripted", "type": "ValueError", "message": "Down"}}`,
		`{"error": {"phase": "run", "kind": "scripted", "type": "ValueError", "message": {"$contains": ["up"]}}}`,
	} {
		require.NotEmpty(t, fails(wrong), wrong)
	}
}
