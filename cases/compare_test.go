package cases_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/cases"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/question"
)

// lines returns the texts of differences.
func lines(differences []cases.Difference) []string {
	var out []string
	for _, d := range differences {
		out = append(out, d.Text)
	}
	return out
}

func TestAnOutcomeIsCompared(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		expect string
		lines  []string
	}{
		"nothing":             {`{}`, nil},
		"status":              {`{status: failed}`, []string{"status: failed → completed"}},
		"exact message":       {`{message: Rome}`, []string{`message: "Rome" → "{\"city\": \"Rome\", \"degrees\": 20}"`}},
		"contains":            {`{message: {contains: Rome}}`, nil},
		"contains all":        {`{message: {contains: [Rome, Paris]}}`, []string{`message: "Paris" is not in "{\"city\": \"Rome\", \"degrees\": 20}"`}},
		"not contains":        {`{message: {not_contains: Rome}}`, []string{`message: "Rome" is in "{\"city\": \"Rome\", \"degrees\": 20}"`}},
		"regexp":              {`{message: {regexp: '"degrees": \d+'}}`, nil},
		"other regexp":        {`{message: {regexp: '^\d'}}`, []string{`message: the expression "^\\d" does not match "{\"city\": \"Rome\", \"degrees\": 20}"`}},
		"json":                {`{message: {json: {city: Rome, degrees: 20}}}`, nil},
		"other json":          {`{message: {json: {city: Rome, degrees: 21}}}`, []string{"message.degrees: 21 → 20"}},
		"json contains":       {`{message: {json_contains: {city: Rome}}}`, nil},
		"json lacks":          {`{message: {json_contains: {country: Italy}}}`, []string{`- message.country: "Italy"`}},
		"schema":              {`{message: {schema: {type: object, required: [city]}}}`, nil},
		"other schema":        {`{message: {schema: {type: object, required: [land]}}}`, []string{`message: land: Field required`}},
		"calls":               {`{tool_calls: [{name: search, args: {q: go, limit: 5}, result: 3 pages}, {name: remove, status: error}]}`, nil},
		"arguments":           {`{tool_calls: [{name: search, args: {q: go}}, {name: remove}]}`, []string{"+ tool_calls[0].args.limit: 5"}},
		"some arguments":      {`{tool_calls: [{name: search, args_contain: {q: go}}, {name: remove}]}`, nil},
		"other arguments":     {`{tool_calls: [{name: search, args_contain: {q: c}}, {name: remove}]}`, []string{`tool_calls[0].args.q: "c" → "go"`}},
		"schema of arguments": {`{tool_calls: [{name: search, args_schema: {required: [lang]}}, {name: remove}]}`, []string{`tool_calls[0].args: lang: Field required`}},
		"a call more":         {`{tool_calls: [{name: remove}]}`, []string{`+ tool_calls[0]: search {"limit":5,"q":"go"}`}},
		"a call less":         {`{tool_calls: [{name: search}, {name: ask}, {name: remove}]}`, []string{`- tool_calls[1]: ask`}},
		"no calls":            {`{tool_calls: []}`, []string{`+ tool_calls[0]: search {"limit":5,"q":"go"}`, `+ tool_calls[1]: remove {"path":"a"}`}},
		"other order":         {`{tool_calls: [{name: remove}, {name: search}]}`, []string{`tool_calls[0]: remove → search {"limit":5,"q":"go"}`, `tool_calls[1]: search → remove {"path":"a"}`}},
		"any order":           {`{tool_calls: {exactly: [{name: remove}, {name: search}], order: any}}`, nil},
		"any order, more":     {`{tool_calls: {exactly: [{name: remove}], order: any}}`, []string{`+ tool_calls: search {"limit":5,"q":"go"}`}},
		"some":                {`{tool_calls: {include: [{name: remove}]}}`, nil},
		"some in order":       {`{tool_calls: {include: [{name: remove}, {name: search}]}}`, []string{`- tool_calls.include[1]: search`}},
		"some in any order":   {`{tool_calls: {include: [{name: remove}, {name: search}], order: any}}`, nil},
		"nearest":             {`{tool_calls: {include: [{name: search, args: {q: c, limit: 5}}]}}`, []string{`tool_calls.include[0].args.q: "c" → "go"`}},
		"never":               {`{tool_calls: {never: [remove]}}`, []string{`tool_calls.never: remove was called: remove {"path":"a"}`}},
		"result":              {`{tool_calls: {include: [{name: remove, result: {contains: gone}}]}}`, []string{`tool_calls.include[0].result: "gone" is not in "denied"`}},
		"call that fails":     {`{tool_calls: {include: [{name: remove, status: success}]}}`, []string{`tool_calls.include[0].status: success → error: "denied"`}},
		"messages":            {`{messages: [{role: ai}, {role: tool, name: search}, {role: tool, status: error}, {role: ai, content: {contains: Rome}}]}`, nil},
		"fewer messages":      {`{messages: [{role: ai, content: I look.}, {role: tool}, {role: ai}]}`, []string{`messages[2].role: "ai" → "tool"`, `+ messages[3]: ai "{\"city\": \"Rome\", \"degrees\": 20}"`}},
		"state":               {`{state: {mood: calm, gone: null}}`, nil},
		"other state":         {`{state: {mood: angry, count: null}}`, []string{"+ state.count: 3", `state.mood: "angry" → "calm"`}},
		"part of the state":   {`{state_contains: {mood: calm}}`, nil},
		"other part":          {`{state_contains: {mood: angry, gone: 1}}`, []string{"- state.gone: 1", `state.mood: "angry" → "calm"`}},
		"files":               {`{files: {a.txt: {contains: hello}, c.txt: null}}`, nil},
		"other files":         {`{files: {a.txt: null, c.txt: x}}`, []string{`+ files[a.txt]: "hello\n"`, "files[c.txt]: there is no such file"}},
		"store":               {`{store: [{namespace: [facts], key: sky, value: blue}, {namespace: [facts], key: sea, value: null}]}`, nil},
		"other store":         {`{store: [{namespace: [facts], key: sky, value: grey}]}`, []string{`store[facts/sky]: "grey" → "blue"`}},
		"limits":              {`{limits: {model_calls: 2, tool_calls: 2, steps: 3, tokens: 120}}`, nil},
		"other limits":        {`{limits: {model_calls: 1, tokens: 100}}`, []string{"limits.model_calls: at most 1 → 2", "limits.tokens: at most 100 → 120"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, test.lines, lines(expecting(t, test.expect).Compare(outcome(t))))
		})
	}
}

func TestARunThatFails(t *testing.T) {
	t.Parallel()
	failed := outcome(t)
	failed.Status, failed.Error = host.Failed, "the model\nis gone"
	require.Equal(t, []string{"status: completed → failed: the model is gone"}, lines(expecting(t, `{}`).Compare(failed)))
	require.Empty(t, expecting(t, `{error: {contains: gone}}`).Compare(failed))
	require.Equal(t, []string{`error: "here" is not in "the model\nis gone"`}, lines(expecting(t, `{error: {contains: here}}`).Compare(failed)))
}

// asks returns an outcome that waits for a decision and an answer.
func asks(t *testing.T) *cases.Outcome {
	t.Helper()
	review, err := wire.FromJSON([]byte(`{"action_requests":[{"name":"write","args":{"path":"a"}}]}`), wire.DefaultLimits)
	require.NoError(t, err)
	o := outcome(t)
	o.Status = host.Interrupted
	o.Waits = question.OfResult(&host.Result{
		Messages:   history.Of(abi.AI("", call("9", "write", map[string]any{"path": "a"}))),
		Interrupts: []host.Interrupt{{ID: "ask-1", Key: "review", Value: review}, {ID: "ask-2", Key: "color", Value: wire.String("Which?")}},
	})
	return o
}

func TestWhatARunWaitsFor(t *testing.T) {
	t.Parallel()
	const waits = `a decision about write {"path":"a"}, an answer to color "Which?"`
	for name, test := range map[string]struct {
		expect string
		lines  []string
	}{
		"not expected": {`{}`, []string{"status: completed → interrupted: it waits for " + waits}},
		"anything":     {`{status: interrupted}`, nil},
		"both":         {`{interrupts: [{key: color, value: "Which?"}, {call: write, args: {path: a}}]}`, nil},
		"one more":     {`{interrupts: [{key: color}]}`, []string{"interrupts: the run also waits for something else: " + waits}},
		"another":      {`{interrupts: [{key: color}, {call: mail}]}`, []string{"interrupts[1]: the run does not wait for a decision about mail; it waits for " + waits}},
		"other value":  {`{interrupts: [{key: color, value: Why}]}`, []string{"interrupts[0]: the run does not wait for an answer to color; it waits for " + waits}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, test.lines, lines(expecting(t, test.expect).Compare(asks(t))))
		})
	}
	unused := outcome(t)
	unused.Unused = []string{"approve: write"}
	require.Equal(t, []string{"answers: nobody asked for {approve: write}"}, lines(expecting(t, `{}`).Compare(unused)))
}
