package builtin

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
)

// ModelRouter chooses the model for each run. When a run begins, a classifier reads the last human message and chooses one of
// choices. All model calls of the run then go to the model of this choice, also after an interrupt, and whatever the agent's
// own model is. Everything else in the requests stays.
//
// The whole answer, {type, choice, probabilities, confidence}, is in the field model_route of the state. The caller cannot set
// the route; the classifier overwrites what it gives.
//
// The classifier is any of the agent's models: a chat model gives the probabilities of its tokens, or writes them, and never sees the
// rest of the conversation. Its tokens count as the run's. If it fails, or chooses nothing, the run fails before any model
// call, and asks again when it continues.
//
// A model_fallback inside asks its own models when the chosen one has failed. A model_fallback outside never gets that far: each
// of its attempts asks the chosen model again.
//
// Behaviour and texts are those of LangChain 1.5.0's ModelRouterMiddleware, except where a missing or unknown choice is named in
// the error.
type ModelRouter struct {
	// Choices are the models to choose from, by label. Required.
	Choices map[string]ModelChoice `yaml:"choices"`
	// Instructions tell the classifier how to choose. Required.
	Instructions string `yaml:"instructions"`
	// Classifier is the name of the agent's model that chooses. Required.
	Classifier string `yaml:"classifier"`
}

// ModelChoice is one of the models of [ModelRouter].
type ModelChoice struct {
	// Model is the name of one of the agent's models. Required.
	Model string `yaml:"model"`
	// Criteria describe when to choose this model: a text, or a list or mapping of texts. Required.
	Criteria any `yaml:"criteria"`
}

var modelRouterEntry = Entry{
	Name:    "model_router",
	Summary: "lets a classifier choose the model for each run",
	Example: `- model_router:
    classifier: small
    instructions: Choose the cheapest model that can do what the user asks.
    choices:
      fast: {model: small, criteria: Small talk and questions with a short answer.}
      strong: {model: large, criteria: "Code, proofs, and plans with several steps."}
`,
	Needs: "models:\n  large: anthropic:claude-opus-4-5\n  small: anthropic:claude-haiku-4-5\n",
	New:   func() host.Middleware { return &ModelRouter{} },
}

// routeQuestion is the id of the question, and the name of the field with its answer.
const routeQuestion = "model_route"

var modelRouteField = host.NewField[wire.Raw](routeQuestion)

// Name returns "model_router".
func (r ModelRouter) Name() string { return "model_router" }

// Hooks finds the models.
func (r ModelRouter) Hooks(_ context.Context, env host.Env) (*host.Hooks, error) {
	router, err := newModelRouter(&env, r.Choices, r.Instructions, "classifier", r.Classifier)
	if err != nil {
		return nil, err
	}
	return router.hooks(router.choose), nil
}

// modelRouter is a checked [ModelRouter] or [OpenAIModelRouter].
type modelRouter struct {
	classifier *classifier
	question   model.Question
	models     map[string]model.Model // by label
}

// newModelRouter checks a configuration. The key names the classifier.
func newModelRouter(
	env *host.Env, choices map[string]ModelChoice, instructions, key, classifier string,
) (router *modelRouter, err error) {
	if len(choices) == 0 {
		return nil, errors.New("choices is missing; name the models to choose from, such as {fast: {model: small, criteria: Short questions.}}")
	}
	if strings.TrimSpace(instructions) == "" {
		return nil, errors.New("instructions is missing; tell the classifier how to choose a model")
	}
	router = &modelRouter{models: map[string]model.Model{}}
	router.question = model.Question{Type: model.QuestionChoice, Instructions: instructions}
	for _, label := range slices.Sorted(maps.Keys(choices)) {
		choice, key := choices[label], "choices."+label
		if choice.Model == "" || choice.Criteria == nil {
			return nil, fmt.Errorf("%s needs the keys model and criteria", key)
		}
		m, err := modelOf(env, key+".model", choice.Model)
		if err != nil {
			return nil, err
		}
		criteria, err := criterion(key+".criteria", choice.Criteria)
		if err != nil {
			return nil, err
		}
		router.models[label] = m
		router.question.Criteria.Set(label, criteria)
	}
	router.classifier, err = classifierOf(env, key, classifier)
	return router, err
}

// hooks returns the hooks. The first writes the route.
func (r *modelRouter) hooks(choose host.NodeFunc) *host.Hooks {
	return &host.Hooks{
		State:         []host.Field{modelRouteField.Field},
		BeforeAgent:   host.NodeHook{Func: choose},
		WrapModelCall: host.WrapModelHook{Func: r.route, PassesTokens: true},
		Order: []host.Order{{
			Outside: modelFallbackEntry.Name,
			Reason:  "inside of it, every attempt asks the chosen model again, and the models of model_fallback are never asked",
		}},
	}
}

// choose asks the classifier for the model of the run.
func (r *modelRouter) choose(ctx context.Context, rt *host.Runtime) (*host.Update, error) {
	human, ok := lastHuman(rt.State().Messages())
	if !ok {
		//nolint:staticcheck,revive // the text is LangChain's
		return nil, errors.New("ModelRouterMiddleware requires a HumanMessage in the agent state to route on.")
	}
	state, err := shownMessage(&human)
	if err != nil {
		return nil, err
	}
	answer, err := r.classifier.ask(ctx, rt, state, routeQuestion, r.question)
	if err != nil {
		return nil, err
	}
	update := &host.Update{}
	return update, modelRouteField.Set(update, answer.Document().Raw())
}

// route sends a call to the chosen model.
func (r *modelRouter) route(
	ctx context.Context, rt *host.Runtime, req *model.Request, next host.ModelHandler,
) (*model.Response, *host.Update, error) {
	answer, _, err := modelRouteField.Get(rt.State())
	if err != nil {
		return nil, nil, err
	}
	if answer.IsNil() && !answer.IsZero() { // OpenAIModelRouter has chosen nothing
		resp, err := next(ctx, req)
		return resp, nil, err
	}
	label, _ := answer.Get("choice").AsString()
	m, ok := r.models[label]
	switch {
	case label == "":
		return nil, nil, errors.New("no model was chosen for this run; a hook outside of model_router may have jumped past it")
	case !ok:
		return nil, nil, fmt.Errorf("the classifier chose %q, but the choices are %s", label, strings.Join(slices.Sorted(maps.Keys(r.models)), ", "))
	}
	resp, err := next(ctx, forModel(req, m))
	return resp, nil, err
}

// forModel returns a request for another model, without marks for the prompt cache that its provider would refuse.
func forModel(req *model.Request, m model.Model) *model.Request {
	req = req.WithModel(m)
	if takesCacheMarks(m.Info()) {
		return req
	}
	return withoutCacheMarks(req)
}
