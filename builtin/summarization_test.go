package builtin_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

const summaryText = "Here is a summary of the conversation to date:\n\n"

func messagesOf(n int) builtin.ContextSize { return builtin.ContextSize{Messages: new(n)} }

func tokensOf(n int) builtin.ContextSize { return builtin.ContextSize{Tokens: new(n)} }

// summarizing makes summaries from so many messages on, with a short prompt.
func summarizing(from, keep int) builtin.Summarization {
	return builtin.Summarization{
		Model: "small", Trigger: builtin.ContextTriggers{messagesOf(from)}, Keep: messagesOf(keep), SummaryPrompt: "{messages}",
	}
}

func TestSummarizationIsDecoded(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]builtin.Summarization{
		"{}": {TrimTokensToSummarize: new(4000)},
		`{model: small, summarizer: large, trigger: {tokens: 10, messages: 2}, keep: {fraction: 1}, token_counter: {counter: chars},
			summary_prompt: "a {messages}", trim_tokens_to_summarize: 7}`: {
			Model: "small", Summarizer: "large", Trigger: builtin.ContextTriggers{{Tokens: new(10), Messages: new(2)}},
			Keep: builtin.ContextSize{Fraction: new(1.0)}, TokenCounter: builtin.TokenCounter{Counter: "chars"},
			SummaryPrompt: "a {messages}", TrimTokensToSummarize: new(7),
		},
		"{trigger: [{tokens: 10}, {fraction: 0.5}], token_counter: {per_message: 3}, trim_tokens_to_summarize: null}": {
			Trigger:      builtin.ContextTriggers{{Tokens: new(10)}, {Fraction: new(0.5)}},
			TokenCounter: builtin.TokenCounter{PerMessage: 3}, TrimTokensToSummarize: new(0),
		},
		"{trigger: null}": {TrimTokensToSummarize: new(4000)},
	} {
		entry, ok := builtin.Lookup("summarization")
		require.True(t, ok)
		decoded := entry.New()
		require.NoError(t, strictyaml.Decode("agenthost.yaml", []byte(text), decoded), text)
		require.Equal(t, &want, decoded, text)
	}
	for text, problem := range map[string]string{
		"{trigger: 5}":                         "a trigger is a mapping",
		"{trigger: {messages: 1.5}}":           "trigger.messages: expected an integer",
		"{trigger: {words: 5}}":                `unknown key "words"`,
		"{trigger: [{tokens: 5}, {wrds: 5}]}":  `unknown key "wrds"`,
		"{trigger: {messages: true}}":          "trigger.messages: expected an integer",
		"{keep: [{messages: 1}]}":              "keep: expected a mapping",
		"{trim_tokens_to_summarize: all}":      "expected an integer",
		"{max_tokens_before_summary: 1000000}": `unknown key "max_tokens_before_summary"`,
	} {
		err := strictyaml.Decode("agenthost.yaml", []byte(text), new(builtin.Summarization))
		require.ErrorContains(t, err, problem, text)
	}
}

func TestSummarizationRefuses(t *testing.T) {
	t.Parallel()
	for problem, s := range map[string]builtin.Summarization{
		"trigger thresholds must be greater than 0, got 0.":           {Trigger: builtin.ContextTriggers{messagesOf(0)}},
		"trigger thresholds must be greater than 0, got -1.":          {Trigger: builtin.ContextTriggers{tokensOf(-1)}},
		"Fractional trigger values must be between 0 and 1, got 1.5.": {Trigger: builtin.ContextTriggers{{Fraction: new(1.5)}}},
		"Fractional keep values must be between 0 and 1, got 0.":      {Keep: builtin.ContextSize{Fraction: new(0.0)}},
		"trigger clause must specify at least one of":                 {Trigger: builtin.ContextTriggers{{}}},
		"keep thresholds must be greater than 0, got 0.":              {Keep: messagesOf(0)},
		"keep has several sizes":                                      {Keep: builtin.ContextSize{Tokens: new(1), Messages: new(1)}},
		"Model profile information is required":                       {Trigger: builtin.ContextTriggers{{Fraction: new(0.5)}}},
		"what its max_input_tokens are":                               {Keep: builtin.ContextSize{Fraction: new(0.5)}},
		`model: there is no model "x"`:                                {Model: "x"},
		`summarizer: there is no model "x"`:                           {Summarizer: "x"},
		"summary_prompt has no {messages}":                            {SummaryPrompt: "Sum up."},
		"summary_prompt has no placeholder {history}":                 {SummaryPrompt: "{messages} {history}"},
		"trim_tokens_to_summarize is -1":                              {TrimTokensToSummarize: new(-1)},
		"token_counter has several ways":                              {TokenCounter: builtin.TokenCounter{Counter: "chars", PerMessage: 1}},
		`there is no counter "words"`:                                 {TokenCounter: builtin.TokenCounter{Counter: "words"}},
		"per_message is -1":                                           {TokenCounter: builtin.TokenCounter{PerMessage: -1}},
		"both Summarize and summarizer":                               {Summarizer: "small", Summarize: noSummary},
	} {
		_, err := host.New(host.Config{
			Model: scripted.NewTurns(), Models: map[string]model.Model{"small": scripted.NewTurns()}, Middleware: []host.Middleware{s},
		})
		var refused *host.ConfigError
		require.ErrorAs(t, err, &refused)
		require.ErrorContains(t, err, problem)
	}
}

func noSummary(context.Context, *host.Runtime, history.List) (string, error) { return " \n", nil }

func TestSummarizationTriggers(t *testing.T) {
	t.Parallel()
	reporting := func(provider string, tokens uint64) []abi.Message {
		m := talk("human 1", "ai: 2", "human 3")
		m[1].Usage, m[1].Meta = &abi.Usage{TotalTokens: tokens}, wire.Map{{Key: "provider", Value: wire.String(provider)}}
		return m
	}
	five := talk("human 1", "ai: 2", "human 3", "ai: 4", "human 5")
	for name, test := range map[string]struct {
		trigger  builtin.ContextTriggers
		messages []abi.Message
		want     bool
	}{
		"none":                                 {nil, five, false},
		"messages":                             {builtin.ContextTriggers{messagesOf(5)}, five, true},
		"too few messages":                     {builtin.ContextTriggers{messagesOf(6)}, five, false},
		"tokens":                               {builtin.ContextTriggers{tokensOf(50)}, five, true},
		"too few tokens":                       {builtin.ContextTriggers{tokensOf(51)}, five, false},
		"a fraction":                           {builtin.ContextTriggers{{Fraction: new(0.5)}}, five, true},
		"too small a fraction":                 {builtin.ContextTriggers{{Fraction: new(0.51)}}, five, false},
		"all of one size":                      {builtin.ContextTriggers{{Tokens: new(50), Messages: new(5)}}, five, true},
		"not all of one size":                  {builtin.ContextTriggers{{Tokens: new(50), Messages: new(6)}}, five, false},
		"tokens and a fraction":                {builtin.ContextTriggers{{Tokens: new(10), Fraction: new(0.51)}}, five, false},
		"any of a list":                        {builtin.ContextTriggers{messagesOf(9), tokensOf(50)}, five, true},
		"none of a list":                       {builtin.ContextTriggers{messagesOf(9), tokensOf(51)}, five, false},
		"reported tokens":                      {builtin.ContextTriggers{tokensOf(99)}, reporting("acme", 99), true},
		"too few reported tokens":              {builtin.ContextTriggers{tokensOf(100)}, reporting("acme", 99), false},
		"tokens that another provider reports": {builtin.ContextTriggers{tokensOf(99)}, reporting("other", 99), false},
		"tokens that nobody reports":           {builtin.ContextTriggers{tokensOf(99)}, reporting("", 99), false},
		"absurd tokens":                        {builtin.ContextTriggers{tokensOf(99)}, reporting("acme", 1<<64-1), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			small := newWitness(scripted.Say("SUMMARY"))
			small.info.MaxInputTokens = 100
			s := summarizing(1, 1)
			s.Trigger, s.TokenCounter = test.trigger, builtin.TokenCounter{PerMessage: 10}
			main := newWitness(scripted.Say("done"))
			_, err := ask(t, newReader(t, main, small, s), test.messages)
			require.NoError(t, err)
			require.Equal(t, test.want, small.Calls() == 1)
			require.Equal(t, test.want, main.seen()[0] == "human "+summaryText+"SUMMARY")
		})
	}
}

// What is kept begins where no call is separated from its answers.
func TestSummarizationCuts(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long ", 1000)
	for name, test := range map[string]struct {
		keep     builtin.ContextSize
		messages []string
		kept     []string // ids
	}{
		"between messages":              {messagesOf(2), []string{"human 1", "ai: 2", "human 3", "ai: 4", "human 5"}, []string{"m03", "m04"}},
		"fewer messages":                {messagesOf(5), []string{"human 1", "ai: 2", "human 3", "ai: 4", "human 5"}, nil},
		"a call and its answer":         {messagesOf(2), []string{"human 1", "ai search:1", "tool 1 x", "human 4"}, []string{"m01", "m02", "m03"}},
		"parallel calls":                {messagesOf(1), []string{"human 1", "ai a:1 b:2 c:3", "tool 1 x", "tool 2 x", "tool 3 x"}, []string{"m01", "m02", "m03", "m04"}},
		"an answer that comes late":     {messagesOf(2), []string{"human 1", "ai a:1 b:2", "tool 1 x", "human 4", "tool 2 x", "ai: 6"}, []string{"m01", "m02", "m03", "m04", "m05"}},
		"a late one behind the cut":     {messagesOf(3), []string{"human 1", "ai a:1 b:2", "tool 1 x", "human 4", "tool 2 x", "ai: 6"}, []string{"m01", "m02", "m03", "m04", "m05"}},
		"answers that call each other":  {messagesOf(1), []string{"human 1", "ai a:1", "human 3", "ai b:2", "tool 1 x", "tool 2 x"}, []string{"m01", "m02", "m03", "m04", "m05"}},
		"ids that come again":           {messagesOf(1), []string{"human 1", "ai a:1", "tool 1 x", "ai a:1", "tool 1 x"}, []string{"m03", "m04"}},
		"an answer to nothing":          {messagesOf(2), []string{"human 1", "ai: 2", "tool 9 x", "human 4"}, []string{"m03"}},
		"nothing but answers":           {messagesOf(1), []string{"human 1", "ai: 2", "tool 8 x", "tool 9 x"}, []string{}},
		"a second answer":               {messagesOf(2), []string{"human 1", "ai a:1", "tool 1 x", "human 4", "tool 1 again", "human 6"}, []string{"m05"}},
		"the first message":             {messagesOf(1), []string{"ai a:1", "tool 1 x"}, nil},
		"tokens":                        {tokensOf(30), []string{"human 1", "ai: 2", "human 3", "ai: 4", "human 5"}, []string{"m02", "m03", "m04"}},
		"enough tokens":                 {tokensOf(50), []string{"human 1", "ai: 2", "human 3", "ai: 4", "human 5"}, nil},
		"tokens of a large last answer": {tokensOf(30), []string{"human 1", "ai: 2", "ai search:1", "tool 1 " + long}, []string{"m02", "m03"}},
		"tokens of a large message":     {tokensOf(30), []string{"human 1", "human " + long}, []string{"m01"}},
		"tokens of one large message":   {tokensOf(30), []string{"human " + long}, nil},
		"a fraction":                    {builtin.ContextSize{Fraction: new(0.3)}, []string{"human 1", "ai: 2", "human 3", "ai: 4"}, []string{"m01", "m02", "m03"}},
		"a tiny fraction":               {builtin.ContextSize{Fraction: new(0.0001)}, []string{"human 1", "ai: 2", "human 3"}, []string{"m02"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			small := newWitness(scripted.Say("SUMMARY"))
			small.info.MaxInputTokens = 100
			s := summarizing(1, 1)
			s.Keep = test.keep
			s.TokenCounter.Func = func(m *abi.Message) int { return 10 + len(m.Content.Text())/100 }
			given := talk(test.messages...)
			result, err := ask(t, newReader(t, newWitness(scripted.Say("done")), small, s), given)
			require.NoError(t, err)
			got := result.Messages.Messages()
			got = got[:len(got)-1]
			if test.kept == nil {
				require.Equal(t, ids(given), ids(got))
				require.Zero(t, small.Calls())
				return
			}
			require.Equal(t, summaryText+"SUMMARY", got[0].Content.Text())
			require.Equal(t, `{"lc_source":"summarization"}`, got[0].Meta.Raw().JSON())
			require.Equal(t, test.kept, ids(got[1:]))
			require.Equal(t, given[len(given)-len(test.kept):], got[1:], "they stay as they are")
		})
	}
}

// A summary is a message like others: it becomes part of the next one, and no fact gets lost on the way.
func TestSummaryOfASummary(t *testing.T) {
	t.Parallel()
	small := newWitness(scripted.Say("FIRST"), scripted.Say("SECOND"))
	agent := newReaderWith(t, host.Config{
		Model: newWitness(scripted.Say("ok")), Models: map[string]model.Model{"small": small}, Checkpointer: memory.New(),
	}, summarizing(4, 2))
	var result *host.Result
	for _, text := range []string{"one", "two", "three", "four"} {
		var err error
		result, err = agent.Run(t.Context(), host.Input{Thread: "t", Messages: []abi.Message{abi.Human(text)}})
		require.NoError(t, err)
	}
	require.Equal(t, []string{
		`<message type="human">one</message>` + "\n" + `<message type="ai">ok</message>` + "\n" + `<message type="human">two</message>`,
		`<message type="human">` + summaryText + "FIRST</message>\n" + `<message type="ai">ok</message>` + "\n" +
			`<message type="human">three</message>`,
	}, small.prompts())
	require.Equal(t, []string{"human " + summaryText + "SECOND", "ai ok", "human four", "ai ok"}, lines(result.Messages))
}

func TestSummarizationTrims(t *testing.T) {
	t.Parallel()
	human := func(text string) string { return `<message type="human">` + text + "</message>" }
	ai := func(text string) string { return `<message type="ai">` + text + "</message>" }
	words := strings.Repeat("word ", 200)
	for name, test := range map[string]struct {
		trim     int
		messages []string
		first    bool // the first message is an earlier summary
		want     string
		part     string // of the transcript, instead of want
	}{
		"everything fits":    {trim: 60, messages: []string{"ai: 1", "human 2"}, want: ai("1") + "\n" + human("2")},
		"the last of them":   {trim: 25, messages: []string{"human 1", "human 2", "human 3", "ai: 4"}, want: human("3") + "\n" + ai("4")},
		"from a human on":    {trim: 30, messages: []string{"human 1", "ai: 2", "human 3", "ai: 4"}, want: human("3") + "\n" + ai("4")},
		"not at any price":   {trim: 30, messages: []string{"human 1", "ai: 2", "ai: 3", "human 4"}, want: ai("2") + "\n" + ai("3") + "\n" + human("4")},
		"no human at all":    {trim: 25, messages: []string{"human 1", "ai: 2", "ai: 3", "ai: 4"}, want: ai("3") + "\n" + ai("4")},
		"a system message":   {trim: 30, messages: []string{"system S", "human 2", "human 3", "human 4"}, want: `<message type="system">S</message>` + "\n" + human("3") + "\n" + human("4")},
		"an earlier summary": {trim: 30, messages: []string{"human S", "human 2", "human 3", "human 4"}, first: true, want: human("S") + "\n" + human("3") + "\n" + human("4")},
		"last lines":         {trim: 26, messages: []string{"human " + words + "\nthe end\n", "ai: 2"}, want: human("the end\n") + "\n" + ai("2")},
		"a large summary":    {trim: 40, messages: []string{"human A" + words, "human 2", "human 3", "human 4"}, first: true, part: "omitted ...]\n\n"},
		"a large message":    {trim: 20, messages: []string{"human 1", "ai: B" + words + "E"}, part: `<message type="ai">Bword`},
		"hardly anything":    {trim: 1, messages: []string{"human 1", "ai: B" + words + "E"}, part: "word E</message>"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			small := newWitness(scripted.Say("SUMMARY"))
			s := summarizing(1, 1)
			s.TrimTokensToSummarize = new(test.trim)
			s.TokenCounter.Func = func(m *abi.Message) int { return 10 + len(m.Content.Text())/10 }
			given := talk(append(test.messages, "human last")...)
			if test.first {
				given[0].Meta = wire.Map{{Key: "lc_source", Value: wire.String("summarization")}}
			}
			_, err := ask(t, newReader(t, newWitness(scripted.Say("done")), small, s), given)
			require.NoError(t, err)
			got := small.prompts()[0]
			if test.part == "" {
				require.Equal(t, strings.TrimSpace(test.want), got)
				return
			}
			require.Contains(t, got, test.part)
			require.Less(t, len(got), 600)
		})
	}
}

func TestFailedSummaryNeverReplacesTheHistory(t *testing.T) {
	t.Parallel()
	failing := errors.New("no connection")
	for name, test := range map[string]struct {
		turns []scripted.Turn
		calls int
		want  string // the error; "": none
	}{
		"once":                  {[]scripted.Turn{scripted.Fail(failing), scripted.Say("SUMMARY")}, 2, ""},
		"twice":                 {[]scripted.Turn{scripted.Fail(failing), scripted.Fail(failing), scripted.Say("SUMMARY")}, 3, ""},
		"three times":           {[]scripted.Turn{scripted.Fail(failing)}, 3, "no connection"},
		"an empty text":         {[]scripted.Turn{scripted.Say(" \n\t ")}, 3, "empty text"},
		"an empty text once":    {[]scripted.Turn{scripted.Say(""), scripted.Say(" SUMMARY ")}, 2, ""},
		"a call in its place":   {[]scripted.Turn{scripted.CallTools(abi.Call("1", "search", nil))}, 3, "empty text"},
		"what cannot be mended": {[]scripted.Turn{scripted.Fail(&model.Error{Kind: model.ErrorAuthentication})}, 1, "authentication"},
		"too long a pause": {[]scripted.Turn{scripted.Fail(&model.Error{
			Kind: model.ErrorRateLimit, Retryable: true, RetryAfter: time.Hour,
		})}, 1, "rate limit"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			small := newWitness(test.turns...)
			main := newWitness(scripted.Say("done"))
			agent := newReaderWith(t, host.Config{
				Model: main, Models: map[string]model.Model{"small": small}, Checkpointer: memory.New(),
			}, summarizing(3, 1))
			given := talk("human 1", "ai: 2", "human 3")
			_, err := agent.Run(t.Context(), host.Input{Thread: "t", Messages: given})
			require.Equal(t, test.calls, small.Calls())
			if test.want == "" {
				require.NoError(t, err)
				require.Equal(t, "human "+summaryText+"SUMMARY", main.seen()[0])
				return
			}
			require.ErrorContains(t, err, test.want)
			require.ErrorContains(t, err, "the history was not summarized and stays unchanged")
			thread, err := agent.State(t.Context(), "t", 0)
			require.NoError(t, err)
			require.Equal(t, given, thread.Messages.Messages())
			require.Zero(t, main.Calls())
		})
	}
}

// The pauses are those that the provider asks for, and at least a second and two.
func TestSummaryIsTriedAgainAfterAPause(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		busy := scripted.Fail(&model.Error{Kind: model.ErrorOverloaded, Retryable: true})
		asks := scripted.Fail(&model.Error{Kind: model.ErrorRateLimit, Retryable: true, RetryAfter: 20 * time.Second})
		small := newWitness(busy, asks, scripted.Say("SUMMARY"))
		agent := newReader(t, newWitness(scripted.Say("done")), small, summarizing(3, 1))
		start := time.Now()
		_, err := ask(t, agent, talk("human 1", "ai: 2", "human 3"))
		require.NoError(t, err)
		require.Equal(t, 21*time.Second, time.Since(start))

		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		agent = newReader(t, newWitness(scripted.Say("done")), newWitness(asks), summarizing(3, 1))
		start = time.Now()
		_, err = agent.Run(ctx, host.Input{Messages: talk("human 1", "ai: 2", "human 3")})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, 3*time.Second, time.Since(start), "a pause ends with the run")
	})
}

func TestCancelledSummary(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	small := newWitness(scripted.Fail(context.Canceled))
	agent := newReader(t, newWitness(scripted.Say("done")), small, summarizing(3, 1), host.BeforeModel("stop",
		func(context.Context, *host.Runtime) (*host.Update, error) { return nil, nil }))
	cancel()
	_, err := agent.Run(ctx, host.Input{Messages: talk("human 1", "ai: 2", "human 3")})
	require.ErrorIs(t, err, context.Canceled)
	require.LessOrEqual(t, small.Calls(), 1, "a cancelled call is not repeated")
}

// A transcript that is too long for the model is asked about once more without its middle.
func TestSummaryOfTooLongATranscript(t *testing.T) {
	t.Parallel()
	overflow := scripted.Fail(&model.Error{Kind: model.ErrorContextLength})
	given := talk("human START"+strings.Repeat("a", 5000), "ai: "+strings.Repeat("b", 5000)+"END", "human last")
	for name, test := range map[string]struct {
		limit, length int
	}{"half of it": {0, 5100}, "what the model takes": {500, 900}} {
		small := newWitness(overflow, scripted.Say("SUMMARY"))
		small.info.MaxInputTokens = test.limit
		s := summarizing(3, 1)
		_, err := ask(t, newReader(t, newWitness(scripted.Say("done")), small, s), given)
		require.NoError(t, err, name)
		prompts := small.prompts()
		require.Len(t, prompts, 2, name)
		require.InDelta(t, test.length, len(prompts[1]), 60, name)
		require.True(t, strings.HasPrefix(prompts[1], `<message type="human">START`), name)
		require.True(t, strings.HasSuffix(prompts[1], "END</message>"), name)
		require.Contains(t, prompts[1], "[... middle of conversation omitted ...]", name)
	}
	small := newWitness(overflow)
	_, err := ask(t, newReader(t, newWitness(scripted.Say("done")), small, summarizing(3, 1)), given)
	var failure *host.ModelError
	require.ErrorAs(t, err, &failure)
	require.Equal(t, model.ErrorContextLength, failure.Kind)
	require.Equal(t, 2, small.Calls())
}

// Somebody other than the model whose context is kept small may write the summary.
func TestSummarizer(t *testing.T) {
	t.Parallel()
	own := newWitness(scripted.Say("done"))
	small := newWitness(scripted.Say("SUMMARY"))
	s := summarizing(3, 1)
	s.Model, s.Summarizer = "", "small"
	result, err := ask(t, newReader(t, own, small, s), talk("human 1", "ai: 2", "human 3"))
	require.NoError(t, err)
	require.Equal(t, summaryText+"SUMMARY", firstText(result))
	require.Equal(t, 1, own.Calls())

	s.Summarizer = ""
	own = newWitness(scripted.Say("SUMMARY"), scripted.Say("done"))
	result, err = ask(t, newReader(t, own, small, s), talk("human 1", "ai: 2", "human 3"))
	require.NoError(t, err)
	require.Equal(t, summaryText+"SUMMARY", firstText(result), "without a name the agent's own model writes it")

	s.TrimTokensToSummarize = new(1)
	s.Summarize = func(_ context.Context, rt *host.Runtime, messages history.List) (string, error) {
		return rt.Step() + ": " + strings.Join(lines(messages), ", ") + "\n", nil
	}
	result, err = ask(t, newReader(t, own, small, s), talk("human 1", "ai: 2", "human 3"))
	require.NoError(t, err)
	require.Equal(t, summaryText+"summarization.before_model: human 1, ai 2", firstText(result))

	s.Summarize = noSummary
	_, err = ask(t, newReader(t, own, small, s), talk("human 1", "ai: 2", "human 3"))
	require.ErrorContains(t, err, "empty text")
}

func firstText(result *host.Result) string {
	m := result.Messages.At(0)
	return m.Content.Text()
}

func TestDefaultSummaryPrompt(t *testing.T) {
	t.Parallel()
	small := newWitness(scripted.Say("SUMMARY"))
	s := summarizing(3, 1)
	s.SummaryPrompt = ""
	_, err := ask(t, newReader(t, newWitness(scripted.Say("done")), small, s), talk("human {messages}", "ai: 2", "human 3"))
	require.NoError(t, err)
	prompt := small.prompts()[0]
	for _, section := range []string{"## SESSION INTENT\n", "## SUMMARY\n", "## ARTIFACTS\n", "## NEXT STEPS\n"} {
		require.Contains(t, prompt, section)
	}
	require.True(t, strings.HasSuffix(prompt, "\n<messages>\nMessages to summarize:\n"+
		`<message type="human">{messages}</message>`+"\n"+`<message type="ai">2</message>`+"\n</messages>"), "braces in a message are text")
}

// A stream shows no token of a summary; its cost counts.
func TestSummaryIsNotStreamed(t *testing.T) {
	t.Parallel()
	answer := abi.AI("SECRET")
	answer.Usage = &abi.Usage{InputTokens: 70, OutputTokens: 7, TotalTokens: 77}
	small := newWitness(scripted.Turn{Message: answer})
	agent := newReader(t, newWitness(scripted.Say("done")), small, summarizing(3, 1))
	var streamed strings.Builder
	result, err := agent.RunEvents(t.Context(), host.Input{Messages: talk("human 1", "ai: 2", "human 3")}, func(e host.Event) error {
		if e.Type == host.EventToken {
			streamed.WriteString(e.Text)
		}
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, "done", streamed.String())
	require.EqualValues(t, 77, result.Usage.TotalTokens)
}
