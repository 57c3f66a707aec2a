package decision

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model"
)

const (
	// letters stand for the labels of a choice. One with more labels is asked in another way. The letter I is missing because answers
	// begin with that word, too.
	letters = "ABCDEFGHJKLMNOPQR"
	// spareCandidates is how many candidates are asked for besides the options: other spellings of them. A yes-or-no question asks for
	// five, the most that some servers allow, and a choice for at most twenty, the most that any does.
	spareCandidates = 3
	// fewestMass is the probability that all options must have together. With less, the model was about to say something else.
	fewestMass = 0.5
)

//go:embed prompttoken.md
var tokenPrompt string

// option is a possible answer of one token.
type option struct {
	token string // "Yes", "No", or a letter
	label string // what it means: "true", "false", or the label of a choice
}

// options returns the possible answers to a question; nil if there are too many.
func options(q *model.Question) []option {
	if q.Type == model.QuestionNoul {
		return []option{{"Yes", "true"}, {"No", "false"}}
	}
	if len(q.Criteria) > len(letters) {
		return nil
	}
	out := make([]option, len(q.Criteria))
	for i, label := range q.Criteria {
		out[i] = option{letters[i : i+1], label.Key}
	}
	return out
}

// fromTokens answers those questions of a request that it can from the probabilities of tokens, one call for each. It returns the
// questions that are left, and why; nil if none is.
func (c *Chat) fromTokens(ctx context.Context, req *model.DecisionRequest, out *model.Decisions) (left *model.DecisionRequest, why, err error) {
	left = &model.DecisionRequest{State: req.State, Questions: maps.Clone(req.Questions)}
	for _, id := range slices.Sorted(maps.Keys(req.Questions)) {
		question := req.Questions[id]
		possible := options(&question)
		if len(possible) == 0 {
			continue
		}
		answer, err := c.fromToken(ctx, req.State, &question, possible, out)
		switch {
		case unusable(err):
			return left, err, nil
		case err != nil:
			return nil, nil, err
		}
		out.Answers[id] = *answer
		delete(left.Questions, id)
	}
	return left, nil, nil
}

// errNoLogprobs means that a server reports no probabilities, although the model's profile says so.
var errNoLogprobs = errors.New("the server sends no log probabilities")

// massError means that a model was about to say something other than one of the options.
type massError struct{ mass float64 }

func (e *massError) Error() string {
	return fmt.Sprintf("the probability that the model names one of the options is only %.2f", e.mass)
}

// unusable reports whether an error means that a model must be asked in another way: the server refuses the request or reports no
// probabilities, or the model says something else.
func unusable(err error) bool {
	_, small := errors.AsType[*massError](err)
	refused, ok := errors.AsType[*model.Error](err)
	return small || errors.Is(err, errNoLogprobs) || ok && refused.Kind == model.ErrorInvalidRequest
}

// fromToken answers a question that has these possible answers.
func (c *Chat) fromToken(
	ctx context.Context, state wire.Raw, q *model.Question, possible []option, out *model.Decisions,
) (*model.Decision, error) {
	asked, err := c.tokenRequest(state, q, possible)
	if err != nil {
		return nil, err
	}
	resp, err := c.Model.Generate(ctx, asked)
	if err != nil {
		return nil, err
	}
	c.count(out, resp)
	if len(resp.Logprobs) == 0 {
		return nil, errNoLogprobs
	}
	return weigh(q, possible, resp.Logprobs)
}

// tokenRequest returns the request for one token.
func (c *Chat) tokenRequest(state wire.Raw, q *model.Question, possible []option) (*model.Request, error) {
	media := mediaOf(c.Model.Info())
	state, err := media.without(state)
	if err != nil {
		return nil, err
	}
	listed := make([]any, len(possible))
	for i, o := range possible {
		entry := map[string]any{"answer": o.token}
		if q.Type == model.QuestionChoice {
			entry["label"] = o.label
		}
		if criteria := q.Criteria.Get(o.label); !criteria.IsNil() && !criteria.IsZero() {
			entry["criteria"] = criteria
		}
		listed[i] = entry
	}
	document, err := wire.Of(map[string]any{"state": state, "instructions": q.Instructions, "options": listed})
	if err != nil {
		return nil, err
	}
	human := abi.Message{Role: abi.RoleHuman, Content: abi.Blocks(append([]abi.Block{abi.TextBlock(document.JSON())}, media.seen...)...)}
	return &model.Request{
		Model: c.Model, System: abi.Text(strings.TrimSpace(tokenPrompt)), Messages: history.Of(human),
		TopLogprobs: len(possible) + spareCandidates,
	}, nil
}

// weigh answers a question with the probabilities of the options among the candidates for a token, scaled so that they add up to 1.
func weigh(q *model.Question, possible []option, candidates []model.Logprob) (*model.Decision, error) {
	weights, mass, all := map[string]float64{}, 0.0, 0.0
	for _, candidate := range candidates {
		if math.IsNaN(candidate.Logprob) {
			continue
		}
		p := math.Exp(min(candidate.Logprob, 0))
		all += p
		for _, o := range possible {
			if strings.EqualFold(bare(candidate.Token), o.token) {
				weights[o.label] += p
				mass += p
			}
		}
	}
	if share := mass / max(all, 1); share < fewestMass { // the probabilities of a broken server may add up to more than 1
		return nil, &massError{share}
	}
	if q.Type == model.QuestionNoul {
		return &model.Decision{Type: q.Type, Noul: weights["true"] / mass}, nil
	}
	out := &model.Decision{Type: q.Type, Probabilities: make(map[string]float64, len(possible))}
	for _, o := range possible {
		p := weights[o.label] / mass
		out.Probabilities[o.label] = p
		if p > out.Confidence {
			out.Choice, out.Confidence = o.label, p
		}
	}
	return out, nil
}

// bare returns a token without spaces, quotes and emphasis around the word. Some servers show the spaces of a token as "▁" or "Ġ".
func bare(token string) string { return strings.Trim(token, " \t\r\n▁Ġ\"'`*.:()") }
