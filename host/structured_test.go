package host_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// A middleware may take formats away.
func TestRespondNarrowed(t *testing.T) {
	t.Parallel()
	narrow := func(to *model.ResponseFormat) host.Middleware {
		return host.WrapModelCall("narrow", func(
			ctx context.Context, _ *host.Runtime, req *model.Request, next host.ModelHandler,
		) (*model.Response, *host.Update, error) {
			resp, err := next(ctx, req.WithResponse(to))
			return resp, nil, err
		})
	}
	run := func(to *model.ResponseFormat) (*providing, *host.Result, error) {
		m := newProviding(false, scripted.CallTools(reports("1", "a")), scripted.Say("b"))
		b := setup(t).use(narrow(to)).answering("work", "worked")
		b.Model, b.ResponseFormat = m, host.RespondOneOf(host.FormatOf[report](), host.FormatOf[refusal]())
		result, err := b.build().Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("go")}})
		return m, result, err
	}

	m, result, err := run(host.Respond[report]())
	require.NoError(t, err)
	require.Len(t, m.asked[0].Tools, 2)
	require.JSONEq(t, `{"title":"a"}`, result.Structured.JSON())

	m, _, err = run(nil)
	require.NoError(t, err)
	require.Len(t, m.asked[0].Tools, 1)
	require.Empty(t, m.asked[0].ToolChoice)

	_, _, err = run(host.Respond[paging]())
	require.ErrorContains(t, err, "ToolStrategy specifies tool 'paging' which wasn't declared in the original response format")
}

type paging struct {
	Page int `json:"page"`
}

// In the model step beyond max_loops only the formats are left, so that the run can end with a value.
func TestRespondInTheLastLoop(t *testing.T) {
	t.Parallel()
	m := newProviding(false, scripted.CallTools(abi.Call("1", "work", nil)), scripted.CallTools(reports("2", "a")))
	b := setup(t).answering("work", "worked")
	b.Model, b.ResponseFormat = m, host.Respond[report]()
	b.ToolCalls = host.ToolCallConfig{MaxLoops: 1, ErrorOnExceedLimit: new(false)}

	result, err := b.build().Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("go")}})

	require.NoError(t, err)
	require.JSONEq(t, `{"title":"a"}`, result.Structured.JSON())
	require.Len(t, m.asked[1].Tools, 1)
	require.Equal(t, "report", m.asked[1].Tools[0].Name)
}

// A call of a tool that does not exist is answered, also where the formats are all that there is.
func TestRespondWithoutToolsAnswersUnknownCalls(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.CallTools(abi.Call("1", "nothing", nil)), scripted.CallTools(reports("2", "a")))
	b.ResponseFormat = host.Respond[report]()

	result, err := b.build().Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("go")}})

	require.NoError(t, err)
	require.JSONEq(t, `{"title":"a"}`, result.Structured.JSON())
	answer := result.Messages.At(2)
	require.Equal(t, "Error: nothing is not a valid tool, try one of [].", answer.Content.Text())
}

func TestResponseFormatsThatAreRefused(t *testing.T) {
	t.Parallel()
	schemaOf := func(text string) wire.Raw {
		raw, err := wire.FromJSON([]byte(text), wire.DefaultLimits)
		require.NoError(t, err)
		return raw
	}
	for says, format := range map[string]*model.ResponseFormat{
		"it has no formats":                  {},
		`the strategy is "magic"`:            {Strategy: "magic", Formats: formats()},
		`format "x" has no schema`:           {Formats: []model.Format{{Name: "x"}}},
		`two formats have the name`:          {Formats: []model.Format{host.FormatOf[report](), host.FormatOf[report]()}},
		`has the name of a tool`:             {Formats: []model.Format{{Name: "work", Schema: schemaOf(`{"type": "object"}`)}}},
		`takes one format, not 2`:            {Strategy: model.StrategyProvider, Formats: []model.Format{host.FormatOf[report](), host.FormatOf[refusal]()}},
		`format "x": schema: must be a map`:  {Formats: []model.Format{{Name: "x", Schema: wire.String("x")}}},
		`format "x": schema: /type: invalid`: {Formats: []model.Format{{Name: "x", Schema: schemaOf(`{"type": 7}`)}}},
		`format "title": schema:`:            {Formats: []model.Format{{Schema: schemaOf(`{"oneOf": [{"title": "title", "type": 7}]}`)}}},
		`the strategy "provider" takes`:      {Strategy: model.StrategyProvider, Formats: []model.Format{{Schema: schemaOf(`{"oneOf": [{"title": "a"}, {"title": "b"}]}`)}}},
	} {
		b := setup(t).answering("work", "worked")
		b.ResponseFormat = format
		_, err := host.New(b.Config)
		require.ErrorContains(t, err, says)
		var wrong *host.ConfigError
		require.ErrorAs(t, err, &wrong)
		require.Equal(t, host.ConfigSubject{Kind: host.SubjectResponseFormat}, wrong.Subject)
	}
}

// Formats without a title are numbered, titles become names that providers take, and a oneOf is written out.
func TestNamesOfFormats(t *testing.T) {
	t.Parallel()
	raw, err := wire.FromJSON([]byte(`{"oneOf": [{"title": "A report, please!", "description": "d", "type": "object"}, {"type": "object"}, {"type": "object"}]}`),
		wire.DefaultLimits)
	require.NoError(t, err)
	m := newProviding(true, scripted.CallTools(abi.Call("1", "response_format_2", nil)))
	b := setup(t)
	b.Model, b.ResponseFormat = m, host.RespondOneOf(model.Format{Schema: raw})

	_, err = b.build().Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("go")}})

	require.NoError(t, err)
	var names []string
	for _, offered := range m.asked[0].Tools {
		names = append(names, offered.Name+" "+offered.Description)
	}
	require.Equal(t, []string{"A_report_please d", "response_format ", "response_format_2 "}, names)
}

func TestRespondPanicsOfTypesWithoutSchema(t *testing.T) {
	t.Parallel()
	require.Panics(t, func() { host.Respond[int]() })
}

func TestWrapThatReturnsNoAIMessage(t *testing.T) {
	t.Parallel()
	b := setup(t).use(host.WrapModelCall("odd", func(
		context.Context, *host.Runtime, *model.Request, host.ModelHandler,
	) (*model.Response, *host.Update, error) {
		return &model.Response{Messages: []abi.Message{abi.Human("x")}}, nil, nil
	}))
	_, err := b.build().Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("go")}})
	require.EqualError(t, err, `middleware "odd": wrap_model_call: the response has no AI message`)
}

func TestResponseFormatsOfAnAgent(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Say("hi"))
	require.Empty(t, b.build().ResponseFormats())
	b.ResponseFormat = host.Respond[struct {
		City string `json:"city"`
	}]()
	formats := b.build().ResponseFormats()
	require.Len(t, formats, 1)
	require.False(t, formats[0].Schema.Get("properties").Get("city").IsZero())
}
