package builtin_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

func TestLLMToolSelectorIsDecoded(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]builtin.SelectionFallback{
		"error": {Mode: "error"}, "none": {Mode: "none"}, "all": {Mode: "all"}, "[a, b]": {Mode: "tools", Tools: []string{"a", "b"}},
		"[]": {Mode: "tools", Tools: []string{}}, "odd": {Mode: "odd"},
	} {
		var selector builtin.LLMToolSelector
		require.NoError(t, strictyaml.Decode("agenthost.yaml", []byte(
			"{model: m, system_prompt: p, max_tools: 2, always_include: [x], max_retries: 0, on_parsing_failure: "+text+"}"), &selector))
		require.Equal(t, builtin.LLMToolSelector{
			Model: "m", SystemPrompt: "p", MaxTools: new(2), AlwaysInclude: []string{"x"}, MaxRetries: new(0), OnParsingFailure: want,
		}, selector)
	}
	for _, text := range []string{"tools", "{a: b}", "[1]", "3"} {
		err := strictyaml.Decode("agenthost.yaml", []byte("on_parsing_failure: "+text), &builtin.LLMToolSelector{})
		require.ErrorContains(t, err, "on_parsing_failure", text)
	}
}

func TestLLMToolSelectorConfigErrors(t *testing.T) {
	t.Parallel()
	for want, config := range map[string]builtin.LLMToolSelector{
		"max_retries must be >= 0":                     {MaxRetries: new(-1)},
		"max_tools is -1; it must not be negative":     {MaxTools: new(-1)},
		"on_parsing_failure is 'some'; it must be err": {OnParsingFailure: builtin.SelectionFallback{Mode: "some"}},
		`model: there is no model "tiny"`:              {Model: "tiny"},
	} {
		_, err := host.New(host.Config{Model: &scripted.Echo{}, Middleware: []host.Middleware{config}})
		require.ErrorContains(t, err, want)
	}
}

// askedModel is a model that notes its requests and answers with the next response, the last one again and again.
type askedModel struct {
	info      model.Info
	responses []*model.Response
	err       error

	mu       sync.Mutex
	requests []*model.Request
}

func (a *askedModel) Info() model.Info { return a.info }

func (a *askedModel) Generate(_ context.Context, req *model.Request) (*model.Response, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.requests = append(a.requests, req)
	if a.err != nil {
		return nil, a.err
	}
	return a.responses[min(len(a.requests), len(a.responses))-1], nil
}

// offered are the tools of each request.
func (a *askedModel) offered() (out []string) {
	for _, req := range a.requests {
		var names []string
		for i := range req.Tools {
			names = append(names, req.Tools[i].Name)
		}
		out = append(out, strings.Join(names, " "))
	}
	return out
}

// answering makes a model that answers with texts.
func answering(texts ...string) *askedModel {
	a := &askedModel{info: model.Info{Name: "small"}}
	for _, text := range texts {
		a.responses = append(a.responses, model.Reply(abi.AI(text)))
	}
	return a
}

// selecting is an agent with the tools a, b, c and d whose model "small" selects.
func selecting(t testingT, small, main model.Model, middleware ...host.Middleware) *host.Agent {
	var tools []host.Tool
	for _, name := range []string{"a", "b", "c", "d"} {
		tools = append(tools, tool.Func(name, "does "+name, func(context.Context, struct{}) (string, error) { return "did " + name, nil }))
	}
	agent, err := host.New(host.Config{
		Model: main, Models: map[string]model.Model{"small": small}, Tools: tools, Middleware: middleware, Checkpointer: memory.New(),
	})
	require.NoError(t, err)
	return agent
}

// closing closes an agent at the end of the test.
func closing(t *testing.T, agent *host.Agent) {
	t.Helper()
	t.Cleanup(func() { require.NoError(t, agent.Close()) })
}

func askOnce(t testingT, agent *host.Agent) (*host.Result, error) {
	return agent.Run(t.Context(), host.Input{Thread: "t", Messages: []abi.Message{abi.Human("which?")}})
}

func TestLLMToolSelectorReadsAnswers(t *testing.T) {
	t.Parallel()
	call := model.Reply(abi.AI("", abi.Call("1", "ToolSelectionResponse", map[string]any{"tools": []string{"b"}})))
	structured := model.Reply(abi.AI(`{"tools": ["c"]}`))
	var err error
	structured.Structured, err = wire.Of(map[string]any{"tools": []string{"b"}})
	require.NoError(t, err)
	for name, test := range map[string]struct {
		response *model.Response
		native   bool
		want     string // "": malformed
	}{
		"structured":              {structured, true, "b"},
		"a call":                  {call, false, "b"},
		"JSON":                    {model.Reply(abi.AI(`{"tools": ["d", "a", "d"]}`)), false, "a d"},
		"JSON in a fence":         {model.Reply(abi.AI("Here:\n```json\n{\"tools\": [\"d\"]}\n```\nDone.")), true, "d"},
		"none of them":            {model.Reply(abi.AI(`{"tools": []}`)), false, "-"},
		"prose":                   {model.Reply(abi.AI("I would take a and b.")), false, ""},
		"braces":                  {model.Reply(abi.AI("} a {")), false, ""},
		"a list":                  {model.Reply(abi.AI(`["a"]`)), false, ""},
		"no list":                 {model.Reply(abi.AI(`{"tools": "a"}`)), true, ""},
		"another call":            {model.Reply(abi.AI("", abi.Call("1", "a", map[string]any{"tools": []string{"b"}}))), false, ""},
		"nothing":                 {model.Reply(abi.AI("")), true, ""},
		"a call that is cut":      {&model.Response{Messages: []abi.Message{{Role: abi.RoleAI, InvalidToolCalls: []abi.InvalidToolCall{{ID: "1"}}}}}, false, ""},
		"JSON that is cut":        {model.Reply(abi.AI(`{"tools": ["a"`)), false, ""},
		"an object in the object": {model.Reply(abi.AI(`{"tools": ["a"], "why": {"x": 1}}`)), false, "a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			small, main := &askedModel{info: model.Info{StructuredOutput: test.native}, responses: []*model.Response{test.response}}, answering("done")
			agent := selecting(t, small, main, builtin.LLMToolSelector{Model: "small", MaxRetries: new(0)})
			_, err := askOnce(t, agent)
			require.NoError(t, agent.Close())
			require.Len(t, small.requests, 1)
			require.Equal(t, test.native, small.requests[0].Format != nil)
			require.Equal(t, !test.native, small.requests[0].ToolChoice == "ToolSelectionResponse")
			if test.want == "" {
				require.ErrorContains(t, err, "selection model returned a malformed response after 0 retries")
				require.Empty(t, main.requests)
				return
			}
			require.NoError(t, err)
			require.Equal(t, []string{strings.TrimPrefix(test.want, "-")}, main.offered())
		})
	}
}

func TestLLMToolSelectorAsks(t *testing.T) {
	t.Parallel()
	small, main := answering(`{"tools":["a"]}`), &askedModel{responses: []*model.Response{
		model.Reply(abi.AI("", abi.Call("1", "d", map[string]any{}))), model.Reply(abi.AI("done")),
	}}
	agent := selecting(t, small, main, builtin.LLMToolSelector{Model: "small", MaxTools: new(2), AlwaysInclude: []string{"b"}})
	closing(t, agent)
	result, err := agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("no"), abi.Human("which?")}})
	require.NoError(t, err)
	require.Equal(t, []string{"human no", "human which?", "ai d:1", "tool 1 did d", "ai done"}, lines(result.Messages), "what is not offered runs")
	require.Equal(t, []string{"a b", "a b"}, main.offered())
	require.Len(t, small.requests, 2, "each call of the model")
	for _, req := range small.requests {
		require.Equal(t, "Your goal is to select the most relevant tools for answering the user's query.\nIMPORTANT: List the tool names in order "+
			"of relevance, with the most relevant first. If you exceed the maximum number of tools, only the first 2 will be used.", req.System.Text())
		require.Equal(t, []string{"human which?"}, lines(req.Messages))
		require.JSONEq(t, `{"type":"object","required":["tools"],"additionalProperties":false,"properties":{"tools":{"type":"array",
			"description":"Tools to use. Place the most relevant tools first.\n\n- a: does a\n- c: does c\n- d: does d",
			"items":{"type":"string","enum":["a","c","d"]}}}}`, req.Tools[0].Parameters.JSON())
	}
}

func TestLLMToolSelectorFallsBack(t *testing.T) {
	t.Parallel()
	type fallback = builtin.SelectionFallback
	for name, test := range map[string]struct {
		config     builtin.LLMToolSelector
		small      *askedModel
		want       string // tools, or an error that begins with "!"
		askedModel int
	}{
		"the second answer":   {builtin.LLMToolSelector{}, answering("?", `{"tools":["a"]}`), "a", 2},
		"an error":            {builtin.LLMToolSelector{}, answering("?"), `!malformed response after 1 retries (expected a dict with a 'tools' list): "?"`, 2},
		"an empty answer":     {builtin.LLMToolSelector{}, answering(""), `!(expected a dict with a 'tools' list): null`, 2},
		"more often":          {builtin.LLMToolSelector{MaxRetries: new(3)}, answering("?"), "!after 3 retries", 4},
		"all, over the limit": {builtin.LLMToolSelector{MaxTools: new(1), OnParsingFailure: fallback{Mode: "all"}}, answering("?"), "a b c d", 2},
		"none":                {builtin.LLMToolSelector{AlwaysInclude: []string{"c"}, OnParsingFailure: fallback{Mode: "none"}}, answering("?"), "c", 2},
		"some": {
			builtin.LLMToolSelector{AlwaysInclude: []string{"a"}, OnParsingFailure: fallback{Mode: "tools", Tools: []string{"d", "b", "a"}}}, answering("?"), "b d a", 2,
		},
		"some that are not there": {
			builtin.LLMToolSelector{OnParsingFailure: fallback{Mode: "tools", Tools: []string{"b", "x"}}}, answering("?"), `!Model selected invalid tools: ["x"]`, 2,
		},
		"a function": {
			builtin.LLMToolSelector{OnParsingFailure: fallback{Func: func(answer wire.Raw) []string {
				text, _ := answer.AsString()
				return strings.Fields(text)
			}}}, answering("b a"), "a b", 2,
		},
		"what is not there": {
			builtin.LLMToolSelector{MaxTools: new(1), OnParsingFailure: fallback{Mode: "all"}},
			answering(`{"tools":["a","x",1]}`),
			`!Model selected invalid tools: ["x",1]`, 1,
		},
		"a tool to include that is not there": {
			builtin.LLMToolSelector{AlwaysInclude: []string{"x", "a"}},
			answering("?"),
			`!Tools in always_include not found in request: ["x"]. Available tools: ["a","b","c","d"]`, 0,
		},
		"nothing to select from": {builtin.LLMToolSelector{AlwaysInclude: []string{"a", "b", "c", "d"}}, answering("?"), "a b c d", 0},
		"no tool at all":         {builtin.LLMToolSelector{MaxTools: new(0)}, answering(`{"tools":["a"]}`), "", 1},
		"a model that fails":     {builtin.LLMToolSelector{}, &askedModel{err: errors.New("busy")}, "!busy", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			main := answering("done")
			test.config.Model = "small"
			agent := selecting(t, test.small, main, test.config)
			_, err := askOnce(t, agent)
			require.NoError(t, agent.Close())
			require.Len(t, test.small.requests, test.askedModel)
			if text, failed := strings.CutPrefix(test.want, "!"); failed {
				require.ErrorContains(t, err, text)
				require.Empty(t, main.requests)
				return
			}
			require.NoError(t, err)
			require.Equal(t, []string{test.want}, main.offered())
		})
	}
}

func TestLLMToolSelectorWithoutAQuestion(t *testing.T) {
	t.Parallel()
	agent := selecting(t, answering("?"), answering("done"), builtin.LLMToolSelector{Model: "small"})
	closing(t, agent)
	_, err := agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.AI("hello")}})
	require.ErrorContains(t, err, "No user message found in request messages")
}

// Without a model of its own the one of the request selects: here one that another middleware has chosen, with a tool that
// it forces and that is not selected.
func TestLLMToolSelectorAsksTheModelOfTheRequest(t *testing.T) {
	t.Parallel()
	other := answering(`{"tools":["a"]}`, "done")
	route := host.WrapModelCall("route", func(
		ctx context.Context, _ *host.Runtime, req *model.Request, next host.ModelHandler,
	) (*model.Response, *host.Update, error) {
		resp, err := next(ctx, req.WithModel(other).WithToolChoice("c"))
		return resp, nil, err
	})
	agent := selecting(t, answering("?"), answering("?"), route, builtin.LLMToolSelector{})
	closing(t, agent)
	result, err := askOnce(t, agent)
	require.NoError(t, err)
	require.Equal(t, []string{"human which?", "ai done"}, lines(result.Messages))
	require.Equal(t, []string{"ToolSelectionResponse", "a c"}, other.offered())
	require.Equal(t, "c", other.requests[1].ToolChoice)
}

// What the selecting model says is neither history nor tokens, and its cost is the run's. A redactor and a limiter beside
// it work as ever, and over an interrupt.
func TestLLMToolSelectorWithOthersOverAnInterrupt(t *testing.T) {
	t.Parallel()
	small := answering(`{"tools":["a","b"]}`)
	small.responses[0].Messages[0].Usage = &abi.Usage{InputTokens: 5, OutputTokens: 2, TotalTokens: 7}
	main := scripted.NewTurns(scripted.CallTools(abi.Call("1", "a", nil), abi.Call("2", "b", nil), abi.Call("3", "c", nil)), scripted.Say("done ann@example.com"))
	agent := selecting(t, small, main,
		builtin.ToolCallLimit{RunLimit: new(2)},
		builtin.HumanInTheLoop{InterruptOn: map[string]builtin.ReviewPolicy{"b": builtin.AnyDecision()}},
		builtin.PII{PIIType: "email", ApplyToOutput: true},
		builtin.LLMToolSelector{Model: "small"},
	)
	closing(t, agent)
	var tokens strings.Builder
	note := func(e host.Event) error {
		tokens.WriteString(e.Text)
		return nil
	}
	result, err := agent.RunEvents(t.Context(), host.Input{Thread: "t", Messages: []abi.Message{abi.Human("which?")}}, note)
	require.NoError(t, err)
	require.Equal(t, host.Interrupted, result.Status)
	result, err = agent.RunEvents(t.Context(), host.Input{Thread: "t", Resume: []host.Answer{{Value: builtin.Decisions{
		Decisions: []builtin.Decision{{Type: builtin.Approve}},
	}}}}, note)
	require.NoError(t, err)
	got := lines(result.Messages)
	slices.Sort(got[2:5]) // the blocked call is answered first
	require.Equal(t, []string{
		"human which?", "ai a:1 b:2 c:3", "tool 1 did a", "tool 2 did b", "tool 3! Tool call limit exceeded. Do not make additional tool calls.",
		"ai done [REDACTED_EMAIL]",
	}, got)
	require.Equal(t, "done [REDACTED_EMAIL]", tokens.String())
	require.Len(t, small.requests, 2, "the model was called twice")
}

// A cancelled run ends, whatever the fallback.
func TestLLMToolSelectorPassesCancellation(t *testing.T) {
	t.Parallel()
	main := answering("done")
	agent := selecting(t, &askedModel{err: context.Canceled}, main, builtin.LLMToolSelector{
		Model: "small", OnParsingFailure: builtin.SelectionFallback{Mode: "all"},
	})
	closing(t, agent)
	_, err := askOnce(t, agent)
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, main.requests)
}

// Whatever the model selects, the call has tools of the agent, each once, those that are always included last, and not
// more than it may have.
func TestLLMToolSelectorProperty(t *testing.T) {
	t.Parallel()
	all := []string{"a", "b", "c", "d"}
	rapid.Check(t, func(t *rapid.T) {
		always := rapid.SliceOfNDistinct(rapid.SampledFrom(all), 0, 3, rapid.ID[string]).Draw(t, "always")
		free := slices.DeleteFunc(slices.Clone(all), func(name string) bool { return slices.Contains(always, name) })
		chosen := rapid.SliceOfN(rapid.SampledFrom(free), 0, 6).Draw(t, "chosen")
		most := rapid.IntRange(0, 4).Draw(t, "most")
		raw, err := wire.Of(map[string]any{"tools": chosen})
		require.NoError(t, err)
		main := answering("done")
		agent := selecting(t, answering(raw.JSON()), main, builtin.LLMToolSelector{Model: "small", MaxTools: &most, AlwaysInclude: always})
		_, err = askOnce(t, agent)
		require.NoError(t, err)
		require.NoError(t, agent.Close())
		got := strings.Fields(main.offered()[0])
		selected, included := got[:len(got)-len(always)], got[len(got)-len(always):]
		require.ElementsMatch(t, always, included)
		require.True(t, slices.IsSorted(included))
		require.True(t, slices.IsSorted(selected), "in the agent's order")
		slices.Sort(chosen)
		require.Len(t, selected, min(most, len(slices.Compact(chosen))))
		require.Subset(t, free, selected)
	})
}
