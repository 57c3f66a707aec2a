package builtin

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
)

// OpenAIModelRouter chooses the model for each run, like model_router, and lets the agent's own model answer where nothing is chosen:
// if there is no human message, or the classifier refuses. Any other failure of the classifier fails the run.
//
// The classifier is meant to be a model of OpenAI's Decisions API, {provider: openai, name: NAME, api: decisions}, which gives
// probabilities; any other model is asked for a structured answer. It sees the text and the images of the last human message; a
// request that it refuses with images (HTTP 400 or 413) is made once more without.
//
// The answer, {choice, probabilities, confidence} or null, is in the field model_route of the state.
//
// Behaviour is that of langchain-openai 1.7.4's OpenAIModelRouterMiddleware, except where an unknown choice is named in the error.
type OpenAIModelRouter struct {
	// Choices are the models to choose from, by label; their criteria are texts. Required.
	Choices map[string]ModelChoice `yaml:"choices"`
	// Instructions tell the classifier how to choose. Required.
	Instructions string `yaml:"instructions"`
	// Model is the name of the agent's model that chooses. Required.
	Model string `yaml:"model"`
}

var openAIModelRouterEntry = Entry{
	Name:    "openai_model_router",
	Summary: "lets OpenAI's Decisions API choose the model for each run",
	Example: `- openai_model_router:
    model: judge
    instructions: Choose the cheapest model that can do what the user asks.
    choices:
      fast: {model: small, criteria: Small talk and questions with a short answer.}
      strong: {model: large, criteria: "Code, proofs, and plans with several steps."}
`,
	Needs: "models:\n  judge: {provider: openai, name: gpt-6-luna, api: decisions}\n" +
		"  large: openai:gpt-5.2\n  small: openai:gpt-5-nano\n",
	New: func() host.Middleware { return &OpenAIModelRouter{} },
}

// Name returns "openai_model_router".
func (r OpenAIModelRouter) Name() string { return "openai_model_router" }

// Hooks finds the models.
func (r OpenAIModelRouter) Hooks(_ context.Context, env host.Env) (*host.Hooks, error) {
	for _, label := range slices.Sorted(maps.Keys(r.Choices)) {
		if _, ok := r.Choices[label].Criteria.(string); !ok && r.Choices[label].Criteria != nil {
			return nil, fmt.Errorf("choices.%s.criteria: must be a text", label)
		}
	}
	router, err := newModelRouter(&env, r.Choices, r.Instructions, "model", r.Model)
	if err != nil {
		return nil, err
	}
	return router.hooks((&openAIRouter{router}).choose), nil
}

// openAIRouter is a checked [OpenAIModelRouter].
type openAIRouter struct{ *modelRouter }

// choose asks the classifier for the model of the run.
func (r *openAIRouter) choose(ctx context.Context, rt *host.Runtime) (*host.Update, error) {
	route := wire.AppendNil(nil)
	if human, ok := lastHuman(rt.State().Messages()); ok {
		answer, err := askWithImages(ctx, rt, r.classifier, routeQuestion, r.question, func(images bool) (wire.Raw, error) {
			shown := withoutMedia(&human, images)
			return shownMessage(&shown)
		})
		if err != nil {
			return nil, err
		}
		if answer != nil {
			document := answer.Document()
			document.Delete("type")
			route = document.Raw()
		}
	}
	update := &host.Update{}
	return update, modelRouteField.Set(update, route)
}

// askWithImages asks a question about a state with images, and once more without if the API refuses them. The answer is nil if the
// classifier refuses to answer, or does not.
func askWithImages(
	ctx context.Context, rt *host.Runtime, c *classifier, id string, question model.Question, state func(images bool) (wire.Raw, error),
) (*model.Decision, error) {
	shown, err := state(true)
	if err != nil {
		return nil, err
	}
	answer, err := c.ask(ctx, rt, shown, id, question)
	if refused, ok := errors.AsType[*model.Error](err); ok &&
		(refused.Status == http.StatusBadRequest || refused.Status == http.StatusRequestEntityTooLarge) {
		text, textErr := state(false)
		if textErr != nil || text.Equal(shown) {
			return nil, errors.Join(err, textErr)
		}
		answer, err = c.ask(ctx, rt, text, id, question)
	}
	if _, ok := errors.AsType[*model.UnansweredError](err); ok {
		return nil, nil //nolint:nilnil // no answer is not an error here
	}
	return answer, err
}

// withoutMedia returns a message with texts in place of what the Decisions API does not take: all media but images that are given with
// their bytes, and those as well unless images is set.
func withoutMedia(m *abi.Message, images bool) abi.Message {
	out := *m
	if m.Content.IsText() {
		return out
	}
	blocks := slices.Clone(m.Content.Blocks())
	for i, block := range blocks {
		if block.IsMedia() && (!images || block.Type() != abi.BlockImage || block.Data() == nil) {
			blocks[i] = abi.TextBlock("[" + block.Type() + " omitted]")
		}
	}
	out.Content = abi.Blocks(blocks...)
	return out
}
