package host_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// report is what the agents under test answer with.
type report struct {
	Title string `json:"title"`
	Score int    `json:"score,omitempty" default:"7" min:"0" max:"10"`
}

type refusal struct {
	Reason string `json:"reason"`
}

// reports is a call that brings a report.
func reports(id, title string) abi.ToolCall {
	return abi.Call(id, "report", map[string]any{"title": title})
}

// misreports is a call whose report has no title.
func misreports(id string) abi.ToolCall { return abi.Call(id, "report", map[string]any{"score": 3}) }

// providing is a model whose provider has structured output. It notes what it is asked.
type providing struct {
	*scripted.Turns

	info  model.Info
	asked []*model.Request
}

func (p *providing) Info() model.Info { return p.info }

func (p *providing) Generate(ctx context.Context, req *model.Request) (*model.Response, error) {
	p.asked = append(p.asked, req)
	return p.Turns.Generate(ctx, req)
}

func newProviding(structured bool, turns ...scripted.Turn) *providing {
	return &providing{Turns: scripted.NewTurns(turns...), info: model.Info{Name: "p", StructuredOutput: structured}}
}

func TestRespond(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		format *model.ResponseFormat
		turns  []scripted.Turn
		want   string // the value
		texts  []string
		calls  int
	}{
		{
			"a value", nil,
			[]scripted.Turn{scripted.CallTools(reports("1", "a"))},
			`{"title":"a"}`,
			[]string{`Returning structured response: {"title":"a"}`},
			1,
		},
		{
			"one that does not fit is answered, and the next one counts", nil,
			[]scripted.Turn{scripted.CallTools(misreports("1")), scripted.CallTools(reports("2", "b"))},
			`{"title":"b"}`,
			[]string{
				"Error: Failed to parse structured output for tool 'report': Failed to parse data to report: title: Field required." +
					"\n Please fix your mistakes.",
				`Returning structured response: {"title":"b"}`,
			},
			2,
		},
		{
			"two at once are answered each", nil,
			[]scripted.Turn{scripted.CallTools(reports("1", "a"), reports("2", "b")), scripted.CallTools(reports("3", "c"))},
			`{"title":"c"}`,
			[]string{
				"Error: Model incorrectly returned multiple structured responses (report, report) when only one is expected.\n Please fix your mistakes.",
				"Error: Model incorrectly returned multiple structured responses (report, report) when only one is expected.\n Please fix your mistakes.",
				`Returning structured response: {"title":"c"}`,
			},
			2,
		},
		{
			"an ordinary call beside it runs, and then the run ends", nil,
			[]scripted.Turn{scripted.CallTools(abi.Call("1", "work", nil), reports("2", "a"))},
			`{"title":"a"}`,
			[]string{`Returning structured response: {"title":"a"}`, "worked"},
			1,
		},
		{
			"an ordinary call beside one that does not fit runs, and the model tries again", nil,
			[]scripted.Turn{scripted.CallTools(abi.Call("1", "work", nil), misreports("2")), scripted.CallTools(reports("3", "b"))},
			`{"title":"b"}`,
			[]string{
				"Error: Failed to parse structured output for tool 'report': Failed to parse data to report: title: Field required." +
					"\n Please fix your mistakes.", "worked", `Returning structured response: {"title":"b"}`,
			},
			2,
		},
		{
			"a text of one's own answers the call", &model.ResponseFormat{Formats: formats(), ToolMessage: "thanks"},
			[]scripted.Turn{scripted.CallTools(reports("1", "a"))},
			`{"title":"a"}`,
			[]string{"thanks"},
			1,
		},
		{
			"a text of one's own answers errors", &model.ResponseFormat{Formats: formats(), OnError: host.AnswerErrors("again!")},
			[]scripted.Turn{scripted.CallTools(misreports("1")), scripted.CallTools(reports("2", "b"))},
			`{"title":"b"}`,
			[]string{"again!", `Returning structured response: {"title":"b"}`},
			2,
		},
		{
			"errors of some kinds are answered",
			&model.ResponseFormat{Formats: formats(), OnError: host.AnswerErrorKinds(host.StructuredInvalid)},
			[]scripted.Turn{scripted.CallTools(misreports("1")), scripted.CallTools(reports("2", "b"))},
			`{"title":"b"}`,
			[]string{
				"Error: Failed to parse structured output for tool 'report': Failed to parse data to report: title: Field required." +
					"\n Please fix your mistakes.", `Returning structured response: {"title":"b"}`,
			},
			2,
		},
		{
			"a text with tools ends the run without a value", nil, []scripted.Turn{scripted.Say("no")}, ``, nil, 1,
		},
		{
			"one of several", host.RespondOneOf(host.FormatOf[report](), host.FormatOf[refusal]()),
			[]scripted.Turn{scripted.CallTools(abi.Call("1", "refusal", map[string]any{"reason": "r"}))},
			`{"reason":"r"}`,
			[]string{`Returning structured response: {"reason":"r"}`},
			1,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			script := scripted.NewTurns(test.turns...)
			b := setup(t).answering("work", "worked")
			b.Model = script
			if b.ResponseFormat = test.format; test.format == nil {
				b.ResponseFormat = host.Respond[report]()
			}

			result, err := b.build().Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("go")}})

			require.NoError(t, err)
			require.Equal(t, test.want, jsonOrNone(result.Structured))
			var texts []string
			for _, m := range result.Messages.All() {
				if m.Role == abi.RoleTool {
					texts = append(texts, m.Content.Text())
					require.False(t, m.Failed(), "LangChain's answers have the status success")
				}
			}
			require.Equal(t, test.texts, texts)
			require.Equal(t, test.calls, script.Calls())
			require.Empty(t, result.State, "the value stands in the result")
		})
	}
}

func formats() []model.Format { return []model.Format{host.FormatOf[report]()} }

func jsonOrNone(raw wire.Raw) string {
	if raw.IsZero() {
		return ""
	}
	return raw.JSON()
}

func TestStructuredDecodesWithDefaults(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.CallTools(reports("1", "a")))
	b.ResponseFormat = host.Respond[report]()
	result, err := b.build().Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("go")}})
	require.NoError(t, err)

	got, err := host.Structured[report](result)

	require.NoError(t, err)
	require.Equal(t, report{Title: "a", Score: 7}, got)
	_, err = host.Structured[report](&host.Result{})
	require.EqualError(t, err, "the model has given no structured response")
}

func TestRespondFails(t *testing.T) {
	t.Parallel()
	four := []scripted.Turn{
		scripted.CallTools(misreports("1")), scripted.CallTools(misreports("2")), scripted.CallTools(misreports("3")),
		scripted.CallTools(misreports("4")), scripted.CallTools(reports("5", "too late")),
	}
	for _, test := range []struct {
		name   string
		format *model.ResponseFormat
		model  *providing
		kind   host.StructuredErrorKind
		says   string
	}{
		{
			"where errors are not answered", &model.ResponseFormat{Formats: formats(), OnError: host.AnswerErrorKinds()},
			newProviding(false, scripted.CallTools(misreports("1"))), host.StructuredInvalid,
			"Failed to parse structured output for tool 'report': Failed to parse data to report: title: Field required.",
		},
		{
			"where errors of the kind are not answered",
			&model.ResponseFormat{Formats: formats(), OnError: host.AnswerErrorKinds(host.StructuredInvalid)},
			newProviding(false, scripted.CallTools(reports("1", "a"), reports("2", "b"))), host.StructuredMultiple,
			"Model incorrectly returned multiple structured responses (report, report) when only one is expected.",
		},
		{
			"after too many that do not fit", host.Respond[report](), newProviding(false, four...), host.StructuredMissing,
			`model "p": the model has given no structured response`,
		},
		{
			"after too many texts", host.Respond[report](),
			newProviding(false, scripted.Say("1"), scripted.Say("2"), scripted.Say("3"), scripted.Say("4"), scripted.Say("5")),
			host.StructuredMissing, `model "p": the model has given no structured response`,
		},
		{
			"a provider's text that is not JSON", host.Respond[report](), newProviding(true, scripted.Say("no")), host.StructuredInvalid,
			"Failed to parse structured output for tool 'report': Native structured output expected valid JSON for report, but parsing failed:",
		},
		{
			"a provider's text that does not fit", host.Respond[report](), newProviding(true, scripted.Say(`{"score": 1}`)),
			host.StructuredInvalid, "Failed to parse data to report: title: Field required",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.Model, b.ResponseFormat = test.model, test.format

			result, err := b.build().Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("go")}})

			require.ErrorContains(t, err, test.says)
			var wrong *host.StructuredError
			require.ErrorAs(t, err, &wrong)
			require.Equal(t, test.kind, wrong.Kind)
			require.Equal(t, string(test.kind), host.ErrorDocument(err).Type)
			require.Empty(t, result.Structured)
			require.LessOrEqual(t, len(test.model.asked), 4)
		})
	}
}

func TestRespondAsksModelsForWhatTheyCan(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		strategy model.Strategy
		info     model.Info
		tools    bool
		native   bool
	}{
		{"auto of a model with native output", "", model.Info{StructuredOutput: true}, true, true},
		{"auto of a model without", "", model.Info{}, true, false},
		{"tool of a model with native output", model.StrategyTool, model.Info{StructuredOutput: true}, false, false},
		{"provider of a model that nothing is known of", model.StrategyProvider, model.Info{}, true, true},
		{"an old gemini with tools", "", model.Info{Provider: "gemini", Name: "gemini-2.5-pro", StructuredOutput: true}, true, false},
		{"an old gemini without tools", "", model.Info{Provider: "gemini", Name: "gemini-2.5-pro", StructuredOutput: true}, false, true},
		{"a new gemini with tools", "", model.Info{Provider: "gemini", Name: "models/gemini-3.1-pro", StructuredOutput: true}, true, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			turn := scripted.CallTools(reports("1", "a"))
			if test.native {
				turn = scripted.Say(`{"title": "a"}`)
			}
			m := newProviding(false, turn)
			m.info = test.info
			b := setup(t)
			b.Model, b.ResponseFormat = m, &model.ResponseFormat{Strategy: test.strategy, Formats: formats()}
			if test.tools {
				b.answering("work", "worked")
			}

			result, err := b.build().Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("go")}})

			require.NoError(t, err)
			require.JSONEq(t, `{"title":"a"}`, result.Structured.JSON())
			require.Len(t, m.asked, 1)
			names := []string{}
			for _, offered := range m.asked[0].Tools {
				names = append(names, offered.Name)
			}
			require.Equal(t, test.tools, strings.Contains(strings.Join(names, " "), "work"))
			if test.native {
				require.Equal(t, "report", m.asked[0].Format.Name)
				require.NotContains(t, names, "report")
				require.Empty(t, m.asked[0].ToolChoice)
			} else {
				require.Nil(t, m.asked[0].Format)
				require.Equal(t, "report", names[len(names)-1], "behind the tools")
				require.Equal(t, "any", m.asked[0].ToolChoice)
			}
		})
	}
}

// A value is that of the last model call, in this run.
func TestStructuredIsNeverStale(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.CallTools(reports("1", "a")), scripted.Say("nothing more")).answering("work", "worked")
	b.ResponseFormat, b.Checkpointer = host.Respond[report](), memory.New()
	agent := b.build()
	first, err := agent.Run(t.Context(), host.Input{Thread: "t", Messages: []abi.Message{abi.Human("go")}})
	require.NoError(t, err)
	require.JSONEq(t, `{"title":"a"}`, first.Structured.JSON())

	second, err := agent.Run(t.Context(), host.Input{Thread: "t", Messages: []abi.Message{abi.Human("and?")}})

	require.NoError(t, err)
	require.Empty(t, second.Structured)
}

// The value lasts over an interrupt of a tool that runs beside it.
func TestStructuredOutlastsAnInterrupt(t *testing.T) {
	t.Parallel()
	script := scripted.NewTurns(scripted.CallTools(reports("1", "a"), abi.Call("2", "ask", nil)))
	b := setup(t)
	b.Model = script
	b.tool("ask", func(_ context.Context, rt *host.Runtime, _ *abi.ToolCall) (*host.ToolOutput, error) {
		answer, err := rt.Interrupt("k", wire.String("sure?"))
		return host.TextOutput(answer.JSON()), err
	})
	b.ResponseFormat, b.Checkpointer = host.Respond[report](), memory.New()
	agent := b.build()
	waiting, err := agent.Run(t.Context(), host.Input{Thread: "t", Messages: []abi.Message{abi.Human("go")}})
	require.NoError(t, err)
	require.Equal(t, host.Interrupted, waiting.Status)

	result, err := agent.Run(t.Context(), host.Input{Thread: "t", Resume: []host.Answer{{Value: wire.String("yes")}}})

	require.NoError(t, err)
	require.Equal(t, host.Completed, result.Status)
	require.JSONEq(t, `{"title":"a"}`, result.Structured.JSON())
	require.Equal(t, 1, script.Calls())
}

// A retry around the model sees the error of a value that nobody answers.
func TestRespondErrorsAreSeenByWraps(t *testing.T) {
	t.Parallel()
	var seen []error
	again := host.WrapModelCall("again", func(
		ctx context.Context, _ *host.Runtime, req *model.Request, next host.ModelHandler,
	) (*model.Response, *host.Update, error) {
		resp, err := next(ctx, req)
		for err != nil {
			seen = append(seen, err)
			resp, err = next(ctx, req)
		}
		return resp, nil, nil
	})
	b := setup(t, scripted.CallTools(misreports("1")), scripted.CallTools(reports("2", "b"))).use(again)
	b.ResponseFormat = &model.ResponseFormat{Formats: formats(), OnError: host.AnswerErrorKinds()}

	result, err := b.build().Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("go")}})

	require.NoError(t, err)
	require.JSONEq(t, `{"title":"b"}`, result.Structured.JSON())
	require.Len(t, seen, 1)
	require.Equal(t, 3, result.Messages.Len(), "the refused answer is nowhere")
}

// What a wrap answers in the place of the model counts as the model's answer.
func TestRespondReadsTheAnswersOfWraps(t *testing.T) {
	t.Parallel()
	cache := host.WrapModelCall("cache", func(
		context.Context, *host.Runtime, *model.Request, host.ModelHandler,
	) (*model.Response, *host.Update, error) {
		return model.Reply(abi.Message{ToolCalls: []abi.ToolCall{reports("", "cached")}}), nil, nil
	})
	b := setup(t).answering("work", "worked").use(cache)
	b.ResponseFormat = host.Respond[report]()

	result, err := b.build().Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("go")}})

	require.NoError(t, err)
	require.JSONEq(t, `{"title":"cached"}`, result.Structured.JSON())
	require.Equal(t, 3, result.Messages.Len(), "the call is answered, under the id that it got")
}
