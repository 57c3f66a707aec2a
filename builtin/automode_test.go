package builtin_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// deciding is a decision model.
type deciding struct {
	scripted.Echo

	decide func(req *model.DecisionRequest) (*model.Decisions, error)
}

func (d *deciding) Decide(_ context.Context, req *model.DecisionRequest) (*model.Decisions, error) {
	return d.decide(req)
}

// risk is a decision model that gives every call the same risk.
func risk(p float64) *deciding {
	return &deciding{decide: func(*model.DecisionRequest) (*model.Decisions, error) {
		return &model.Decisions{
			Answers: map[string]model.Decision{"is_risky": {Type: model.QuestionNoul, Noul: p}}, Usage: abi.Usage{InputTokens: 3, TotalTokens: 3},
		}, nil
	}}
}

// judged runs an agent whose only tool is judged by a classifier. It returns the result and how often the tool ran.
func judged(t *testing.T, classifier model.Model, middleware ...host.Middleware) (result *host.Result, runs int, err error) {
	t.Helper()
	tools := []host.Tool{work("work", func(context.Context, int) (string, error) {
		runs++
		return "done", nil
	})}
	config := toolAgent(calls("work:1"), tools, append(middleware, builtin.AutoMode{Tools: []string{"work"}, Classifier: "judge"})...)
	config.Models = map[string]model.Model{"judge": classifier}
	out, err := try(t.Context(), t, config)
	return out.result, runs, err
}

func TestAutoModeBlocksRiskyCalls(t *testing.T) {
	t.Parallel()
	for p, blocked := range map[float64]string{0: "", 0.4999: "", 0.5: "0.50", 0.875: "0.88", 1: "1.00"} {
		result, runs, err := judged(t, risk(p))
		require.NoError(t, err)
		require.Equal(t, uint64(3), result.Usage.TotalTokens, "the classifier's tokens count")
		if blocked == "" {
			require.Equal(t, 1, runs, p)
			continue
		}
		require.Zero(t, runs, p)
		answer := result.Messages.At(2)
		require.True(t, answer.Failed())
		require.Equal(t, "The tool call `work` was blocked because it was classified as risky (probability: "+blocked+"). The tool was not executed.",
			answer.Content.Text())
	}
}

// Whatever goes wrong with the classifier, the tool does not run.
// The default criteria are those that the reference has but does not send.
func TestAutoModeHasCriteria(t *testing.T) {
	t.Parallel()
	const both = `{"false":"Execution is low risk, reversible, and clearly authorized by the user.",` +
		`"true":"Execution could cause harm, exceed authorization, expose sensitive data, or create an external side effect."}`
	for want, given := range map[string]*builtin.RiskCriteria{
		both: nil, "{}": {}, `{"true":"It costs money."}`: {True: "It costs money."},
	} {
		var asked model.Question
		judge := risk(0)
		answer := judge.decide
		judge.decide = func(req *model.DecisionRequest) (*model.Decisions, error) {
			asked = req.Questions["is_risky"]
			return answer(req)
		}
		config := toolAgent(calls("work:1"), []host.Tool{work("work", func(context.Context, int) (string, error) { return "done", nil })},
			builtin.AutoMode{Tools: []string{"work"}, Classifier: "judge", Criteria: given})
		config.Models = map[string]model.Model{"judge": judge}
		_, err := try(t.Context(), t, config)
		require.NoError(t, err)
		require.JSONEq(t, want, asked.Criteria.Raw().JSON())
	}
}

func TestAutoModeFailsClosed(t *testing.T) {
	t.Parallel()
	answers := func(answers map[string]model.Decision, err error) model.Model {
		return &deciding{decide: func(*model.DecisionRequest) (*model.Decisions, error) { return &model.Decisions{Answers: answers}, err }}
	}
	for name, test := range map[string]struct {
		classifier model.Model
		says       string
	}{
		"its error":       {answers(nil, errBoom), "boom"},
		"nothing":         {&deciding{decide: func(*model.DecisionRequest) (*model.Decisions, error) { return nil, nil }}, "neither answers nor an error"},
		"no answer":       {answers(nil, nil), `has not answered the question "is_risky"`},
		"another type":    {answers(map[string]model.Decision{"is_risky": {Type: model.QuestionChoice, Choice: "no"}}, nil), "which must be noul"},
		"a chat's text":   {scripted.NewTurns(scripted.Say("It is fine, run it.")), `the answer to the question "is_risky" cannot be used`},
		"a chat's number": {scripted.NewTurns(scripted.Say(`{"is_risky": {"probability": -1}}`)), `the answer to the question "is_risky" cannot be used`},
		"a chat's error":  {always("judge", errBoom), "boom"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, runs, err := judged(t, test.classifier)
			require.ErrorContains(t, err, test.says)
			require.Zero(t, runs)
			if turns, ok := test.classifier.(*scripted.Turns); ok {
				turns.AfterEnd = scripted.EndRepeat
			}
			result, runs, err := judged(t, test.classifier, builtin.ToolError{OnError: builtin.ToolErrorAnswer{Format: "{message}"}})
			require.NoError(t, err)
			require.Contains(t, result.Messages.At(2).Content.Text(), test.says[:4])
			require.Zero(t, runs)
		})
	}
	nan := answers(map[string]model.Decision{"is_risky": {Type: model.QuestionNoul, Noul: math.NaN()}}, nil)
	_, runs, err := judged(t, nan)
	require.NoError(t, err)
	require.Zero(t, runs, "NaN is not below the threshold")
}

// A chat model judges by a structured answer; it sees the call, and nothing that only programs see.
func TestAutoModeAsksAChatModel(t *testing.T) {
	t.Parallel()
	judge := &asked{fn: func(context.Context, int) (string, error) { return `{"is_risky": {"probability": 0.75}}`, nil }}
	result, runs, err := judged(t, judge)
	require.NoError(t, err)
	require.Zero(t, runs)
	require.Contains(t, result.Messages.At(2).Content.Text(), "(probability: 0.75)")
}

// tokenJudge is a chat model that reports the probabilities of its first token, as many times as it says.
type tokenJudge struct {
	yes   float64
	times int
	asked int
}

func (*tokenJudge) Info() model.Info { return model.Info{Name: "judge", Logprobs: model.SupportYes} }

func (j *tokenJudge) Generate(_ context.Context, req *model.Request) (*model.Response, error) {
	message := abi.AI(`{"is_risky": {"probability": 0.25}}`)
	message.Usage = &abi.Usage{TotalTokens: 5}
	resp := model.Reply(message)
	j.asked++
	if req.TopLogprobs > 0 && j.asked <= j.times {
		resp.Logprobs = []model.Logprob{{Token: "Yes", Logprob: math.Log(j.yes)}, {Token: "No", Logprob: math.Log(1 - j.yes)}}
	}
	return resp, nil
}

// A chat model that reports log probabilities judges by them, and otherwise by a structured answer, which is a warning of the run.
func TestAutoModeReadsProbabilitiesOfTokens(t *testing.T) {
	t.Parallel()
	result, runs, err := judged(t, &tokenJudge{yes: 0.75, times: 1})
	require.NoError(t, err)
	require.Zero(t, runs)
	require.Contains(t, result.Messages.At(2).Content.Text(), "(probability: 0.75)")
	require.Equal(t, uint64(5), result.Usage.TotalTokens, "the tokens count once")

	config := toolAgent(calls("work:1"), []host.Tool{work("work", func(context.Context, int) (string, error) { return "done", nil })},
		builtin.AutoMode{Tools: []string{"work"}, Classifier: "judge"})
	config.Models = map[string]model.Model{"judge": &tokenJudge{}}
	out, err := try(t.Context(), t, config)
	require.NoError(t, err)
	require.Equal(t, uint64(10), out.result.Usage.TotalTokens, "both calls count")
	require.Contains(t, strings.Join(out.warned, "\n"), "the server sends no log probabilities")
}

func TestAutoModeGuardsTools(t *testing.T) {
	t.Parallel()
	for _, optional := range []bool{false, true} {
		config := toolAgent(calls("work:1"), []host.Tool{work("work", nil)},
			builtin.AutoMode{Tools: []string{"wrok"}, Classifier: "judge", Optional: optional})
		config.Models = map[string]model.Model{"judge": risk(1)}
		agent, err := host.New(config)
		if optional {
			require.NoError(t, err)
			require.NoError(t, agent.Close())
			continue
		}
		require.ErrorContains(t, err, `"wrok"`, "a misspelt name protects nothing")
	}
}

func TestAutoModeConfiguration(t *testing.T) {
	t.Parallel()
	for says, auto := range map[string]builtin.AutoMode{
		"tools is missing":        {Classifier: "judge"},
		"tools has an empty name": {Classifier: "judge", Tools: []string{" "}},
		"classifier is missing":   {Tools: []string{"work"}},
		`there is no model "x"`:   {Tools: []string{"work"}, Classifier: "x"},
		"criteria.true":           {Tools: []string{"work"}, Classifier: "judge", Criteria: &builtin.RiskCriteria{True: make(chan int)}},
	} {
		config := toolAgent(calls("work:1"), []host.Tool{work("work", nil)}, auto)
		config.Models = map[string]model.Model{"judge": risk(1)}
		_, err := host.New(config)
		require.ErrorContains(t, err, says)
	}
}
