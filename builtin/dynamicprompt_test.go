package builtin_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

// prompted runs an agent once and returns the system prompt that its model was given.
func prompted(t *testing.T, p builtin.DynamicPrompt, in host.Input) (*listener, error) {
	t.Helper()
	l := newListener([]host.Middleware{p}, scripted.Say("done"))
	l.config.SystemPrompt = abi.Text("Base")
	l.config.Clock = func() time.Time { return time.Date(2026, time.March, 4, 5, 6, 7, 0, time.UTC) }
	l.config.State = []host.Field{
		{Name: "language"}, {Name: "user"}, {Name: "n"}, {Name: "list"}, {Name: "data"}, host.NewField[int]("secret", host.Hidden).Field,
	}
	if in.Messages == nil {
		in.Messages = []abi.Message{abi.Human("go")}
	}
	_, err := l.run(t, "t", in)
	return l, err
}

func TestDynamicPrompt(t *testing.T) {
	t.Parallel()
	type object = map[string]any
	for name, test := range map[string]struct {
		template string
		state    object
		context  any
		want     string
	}{
		"a text":                     {template: "Be brief.", want: "Be brief."},
		"a field":                    {template: "Answer in {{.state.language}}.", state: object{"language": "French"}, want: "Answer in French."},
		"an unset field":             {template: "[{{.state.language}}]", want: "[]"},
		"an unset field is false":    {template: `{{with .state.language}}Answer in {{.}}.{{else}}Any language.{{end}}`, want: "Any language."},
		"an unset field is not text": {template: `{{if eq .state.language "de"}}German{{else}}other{{end}}`, want: "other"},
		"an unset field has no turn": {template: "{{range .state.list}}x{{end}}.", want: "."},
		"a default":                  {template: `{{default "English" .state.language}}`, want: "English"},
		"no default":                 {template: `{{.state.language | default "English"}}`, state: object{"language": "French"}, want: "French"},
		"a value is not a template":  {template: "{{.state.language}}", state: object{"language": "{{.state.n}} {x}"}, want: "{{.state.n}} {x}"},
		"a value is not a format":    {template: "{{.state.language}}", state: object{"language": "%s %d %999999999d"}, want: "%s %d %999999999d"},
		"a mapping": {
			template: "{{.state.user.name}} {{.state.user}}", state: object{"user": object{"name": "Ann", "age": 7}}, want: `Ann {"age":7,"name":"Ann"}`,
		},
		"a key that may be missing": {template: `[{{index .state.user "name"}}]`, state: object{"user": object{}}, want: "[]"},
		"a list": {
			template: "{{range $i, $x := .state.list}}{{$i}}={{$x}} {{end}}{{len .state.list}} {{.state.list}}",
			state:    object{"list": []any{"a", true, 2}}, want: `0=a 1=true 2=2 3 ["a",true,2]`,
		},
		"items of a list": {
			template: "{{range .state.list}}{{if ne .state \"done\"}}- {{.content}} ({{$.state.n}}, {{$.date}})\n{{end}}{{end}}",
			state:    object{"n": 5, "list": []any{object{"content": "a", "state": "open"}, object{"content": "b", "state": "done"}}},
			want:     "- a (5, 2026-03-04)\n",
		},
		"break and continue": {
			template: "{{range .state.list}}{{if eq . 1}}{{continue}}{{end}}{{if eq . 3}}{{break}}{{end}}{{.}}{{end}}",
			state:    object{"list": []any{1, 2, 3, 4}}, want: "2",
		},
		"numbers":                    {template: "{{if gt .state.n 3}}big{{end}} {{.state.n}}", state: object{"n": 9007199254740993}, want: "big 9007199254740993"},
		"a float":                    {template: "{{.state.n}}", state: object{"n": 1.5}, want: "1.5"},
		"functions":                  {template: `{{upper "a"}}{{lower "B"}}{{trim " c "}}{{json "d"}}{{join "," .state.list}}`, state: object{"list": []any{"e", 6}}, want: `Abc"d"e,6`},
		"and, or, not":               {template: `{{if and .state.n (not .state.language)}}yes{{end}}{{or .state.language "none"}}`, state: object{"n": 1}, want: "yesnone"},
		"a variable":                 {template: `{{$n := .state.n}}{{$n}}{{$n = 4}}{{$n}}`, state: object{"n": 3}, want: "34"},
		"bytes":                      {template: "{{.state.data}}", state: object{"data": []byte{1, 2, 3}}, want: "AQID"},
		"the context":                {template: "{{.context.role}}", context: object{"role": "expert"}, want: "expert"},
		"the context is a struct":    {template: "{{.context.Role}}", context: struct{ Role string }{"expert"}, want: "expert"},
		"no context":                 {template: "[{{.context}}]", want: "[]"},
		"what the run is":            {template: "{{.message_count}} {{.tools}} {{.date}} {{.now}}", want: `1 ["search","calc"] 2026-03-04 2026-03-04T05:06:07Z`},
		"the prompt as it was":       {template: "{{.system}}, and more", want: "Base, and more"},
		"parentheses and comments":   {template: `{{/* no */}}{{(index .state.list 0).name}}`, state: object{"list": []any{object{"name": "x"}}}, want: "x"},
		"trimmed space":              {template: "a {{- /* b */ -}} c", want: "ac"},
		"the root through a dollar":  {template: "{{with .state.n}}{{$.state.language}}{{end}}", state: object{"n": 1, "language": "fr"}, want: "fr"},
		"the same field, over again": {template: "{{.state.n}}{{.state.n}}", state: object{"n": 1}, want: "11"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, err := prompted(t, builtin.DynamicPrompt{Template: test.template}, host.Input{State: test.state, Context: test.context})
			require.NoError(t, err)
			require.Equal(t, [][]string{{test.want}}, l.systems())
		})
	}
}

func TestDynamicPromptModes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		mode, template, base string
		want                 []string
	}{
		{"", "New", "Base", []string{"New"}},
		{"replace", "New", "Base", []string{"New"}},
		{"replace", "{{.state.x}}", "Base", nil},
		{"append", "New", "Base", []string{"Base", "\n\nNew"}},
		{"append", "New", "", []string{"New"}},
		{"append", "{{.state.x}}", "Base", []string{"Base"}},
		{"prepend", "New", "Base", []string{"New\n\n", "Base"}},
		{"prepend", "New", "", []string{"New"}},
		{"prepend", "{{.state.x}}", "Base", []string{"Base"}},
	} {
		l := newListener([]host.Middleware{builtin.DynamicPrompt{Template: test.template, Mode: test.mode}}, scripted.Say("done"))
		l.config.SystemPrompt, l.config.State = abi.Text(test.base), []host.Field{{Name: "x"}}
		l.say(t, "t", "go")
		require.Equal(t, [][]string{test.want}, l.systems(), "%+v", test)
	}
}

// What cannot work is said when the agent is built, with the place in the template.
func TestDynamicPromptIsRefused(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ template, want string }{
		"none":                    {"", "template is missing"},
		"a mistake":               {"a\n{{if}}", "template:2: missing value for if"},
		"an open action":          {"{{.state.n", "unclosed action"},
		"a field outside of it":   {"{{.language}}", `template:1:2: <.language>: there is no "language"; use .context, .date`},
		"one of a variable":       {"{{with .state.n}}{{$.language}}{{end}}", `there is no "language"`},
		"one in an else":          {"{{range .state.list}}{{else}}{{.language}}{{end}}", `there is no "language"`},
		"a field nobody declares": {"{{.state.langauge}}", `"langauge"`},
		"the whole state":         {"{{json .state}}", "name the field of the state"},
		"the root":                {"{{.}}", "<.>: it has no value of its own"},
		"the root in parentheses": {"{{(.).state.n}}", "it has no value of its own"},
		"the root as a variable":  {"{{index $ \"\"}}", "<$>: it has no value of its own"},
		"printf":                  {`{{printf "%999999999d" 1}}`, `function "printf" not defined`},
		"call":                    {`{{call .state.n}}`, `function "call" not defined`},
		"a function of ours":      {"{{_show 1}}", `function "_show" not defined`},
		"another function":        {"{{env \"HOME\"}}", `function "env" not defined`},
		"define":                  {`{{define "x"}}{{template "x"}}{{end}}{{template "x"}}`, "define and block are not supported"},
		"template":                {`{{template "template"}}`, "template is not supported"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newListener([]host.Middleware{builtin.DynamicPrompt{Template: test.template}})
			l.config.State = []host.Field{{Name: "n"}, {Name: "list"}}
			_, err := host.New(l.config)
			require.ErrorContains(t, err, test.want)
			require.ErrorContains(t, err, "dynamic_prompt")
		})
	}
	_, err := host.New(host.Config{
		Model: scripted.NewTurns(), Middleware: []host.Middleware{builtin.DynamicPrompt{Template: "x", Mode: "both"}},
	})
	require.ErrorContains(t, err, `mode is "both"; use replace, append or prepend`)
}

// What the data does not fit fails the model call, and nothing is asked.
func TestDynamicPromptFails(t *testing.T) {
	t.Parallel()
	type object = map[string]any
	many := make([]any, 400)
	for name, test := range map[string]struct {
		template string
		state    object
		want     string
	}{
		"a missing key":          {"{{.state.user.name}}", object{"user": object{"age": 1}}, `map has no entry for key "name"`},
		"a key of nothing":       {"{{.state.user.name}}", nil, "<.state.user.name>: nil pointer evaluating"},
		"a key of a text":        {"{{.state.user.name}}", object{"user": "Ann"}, "can't evaluate field name in type"},
		"no index":               {"{{index .state.list 3}}", object{"list": []any{1}}, "out of range"},
		"too long":               {"{{.state.language}}", object{"language": strings.Repeat("a", 256<<10+1)}, "the prompt is longer than 256 KiB"},
		"too many turns":         {"{{range .state.list}}{{range $.state.list}}{{end}}{{end}}", object{"list": many}, "take more than 100000 turns"},
		"turns of a number":      {"{{range .state.n}}{{end}}", object{"n": 1 << 40}, "take more than 100000 turns"},
		"join of a text":         {`{{join "," .state.language}}`, object{"language": "a"}, "join needs a list"},
		"a comparison of others": {`{{if eq .state.language 1}}{{end}}`, object{"language": "a"}, "incompatible types"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, err := prompted(t, builtin.DynamicPrompt{Template: test.template}, host.Input{State: test.state})
			require.ErrorContains(t, err, test.want)
			require.ErrorContains(t, err, `middleware "dynamic_prompt": wrap_model_call`)
			require.Empty(t, l.asked)
		})
	}
	_, err := prompted(t, builtin.DynamicPrompt{Template: "{{.context}}"}, host.Input{Context: make(chan int)})
	require.ErrorContains(t, err, "the run's context value")
}

// The template is filled in anew for each model call, with what the tools have changed meanwhile. Around it and inside of it
// stand others that add to the prompt.
func TestDynamicPromptFollowsTheState(t *testing.T) {
	t.Parallel()
	l := newListener([]host.Middleware{
		builtin.TodoList{SystemPrompt: new("Plan.")},
		builtin.DynamicPrompt{Template: `{{range .state.todos}}[{{.status}}] {{.content}}{{end}}`, Mode: "append"},
		builtin.HumanInTheLoop{InterruptOn: map[string]builtin.ReviewPolicy{"search": builtin.AnyDecision()}},
		builtin.DynamicPrompt{Template: "{{.message_count}}", Mode: "prepend"},
	}, scripted.CallTools(plan("1", pending("a")), abi.Call("2", "search", nil)), scripted.CallTools(plan("3", completed("a"))), scripted.Say("done"))
	result := l.say(t, "t", "go")
	require.Equal(t, host.Interrupted, result.Status)
	result, err := l.run(t, "t", host.Input{Resume: []host.Answer{{Value: builtin.Decisions{Decisions: []builtin.Decision{approve}}}}})
	require.NoError(t, err)
	require.Equal(t, host.Completed, result.Status)
	require.Equal(t, [][]string{
		{"1\n\n", "Plan."},
		{"4\n\n", "Plan.", "\n\n[pending] a"},
		{"6\n\n", "Plan.", "\n\n[completed] a"},
	}, l.systems())
}

// A cancellation ends a template that loops, and is reported as one.
func TestDynamicPromptIsCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	l := newListener([]host.Middleware{
		host.WrapModelCall("cancel", func(
			ctx context.Context, _ *host.Runtime, req *model.Request, next host.ModelHandler,
		) (*model.Response, *host.Update, error) {
			cancel()
			resp, err := next(ctx, req)
			return resp, nil, err
		}),
		builtin.DynamicPrompt{Template: "{{range .state.n}}x{{end}}"},
	}, scripted.Say("done"))
	l.config.State = []host.Field{{Name: "n"}}
	agent, err := host.New(l.config)
	require.NoError(t, err)
	result, err := agent.Run(ctx, host.Input{State: map[string]any{"n": 1000}, Messages: []abi.Message{abi.Human("go")}})
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, host.Cancelled, result.Status)
	require.Empty(t, l.asked)
	require.NoError(t, agent.Close())
}

func TestDynamicPromptIsDecoded(t *testing.T) {
	t.Parallel()
	entry, ok := builtin.Lookup("dynamic_prompt")
	require.True(t, ok)
	decoded := entry.New()
	require.NoError(t, strictyaml.Decode("agenthost.yaml", []byte(`{template: "{{.date}}", mode: append}`), decoded))
	require.Equal(t, &builtin.DynamicPrompt{Template: "{{.date}}", Mode: "append"}, decoded)
}

// No template and no data make more than the bounds, or a panic.
func FuzzDynamicPrompt(f *testing.F) {
	f.Add("{{range .state.list}}{{.}}{{end}}", "a")
	f.Add(`{{with .state.text}}{{$.date}}{{else}}{{default "x" .context}}{{end}}`, "")
	f.Add(`{{join "," .tools | upper}}{{index .state.list 1}}{{$x := .state.text}}{{$x}}`, "{{")
	f.Add(`{{(index .state.list 0).x}}{{if and true (lt 1 2)}}{{end}}{{len .state.text}}`, "%s")
	f.Fuzz(func(t *testing.T, template, text string) {
		l := newListener([]host.Middleware{builtin.DynamicPrompt{Template: template}}, scripted.Say("done"))
		l.config.State, l.config.Checkpointer = []host.Field{{Name: "text"}, {Name: "list"}}, nil
		agent, err := host.New(l.config)
		if err != nil {
			return
		}
		defer func() { require.NoError(t, agent.Close()) }()
		_, _ = agent.Run(t.Context(), host.Input{
			Messages: []abi.Message{abi.Human("go")}, State: map[string]any{"text": strings.ToValidUTF8(text, ""), "list": []any{text, 1, nil}},
		})
		for _, req := range l.asked {
			require.LessOrEqual(t, len(req.System.Text()), 256<<10)
		}
	})
}
