package builtin

import (
	"context"
	"errors"
	"fmt"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
)

// ModelFallback asks other models when the model has failed: first the model of the request, then each of models in their
// order, until one answers. If all fail, the error is that of the last one. Each failure that is followed by another model
// is reported as a warning.
//
// Messages, tools, settings and the rest of the request are the same for all models, with one exception: marks for the
// prompt cache (cache_control), which anthropic_prompt_caching sets, are removed for a model that does not accept them,
// because its provider would refuse the request. There is no delay between models. To try each model several times, put a
// model_retry inside, with on_failure: error; a model_retry outside repeats the whole list.
//
// Interrupts, cancellation and errors that concern the run, such as limits, are not passed to another model. Tokens of a
// failed model may already have been shown. Tokens of the next model have another index, which makes the earlier ones void.
//
// Behaviour is that of LangChain 1.5.0's ModelFallbackMiddleware, with one list in place of first_model and
// additional_models.
type ModelFallback struct {
	// Models are the models to ask, by their names among the agent's models. Required.
	Models []string `yaml:"models"`
}

var modelFallbackEntry = Entry{
	Name:    "model_fallback",
	Summary: "asks other models when the model has failed",
	Example: `- model_fallback:
    models: [large, small]
`,
	Needs: "models:\n  large: anthropic:claude-opus-4-5\n  small: anthropic:claude-haiku-4-5\n",
	New:   func() host.Middleware { return &ModelFallback{} },
}

// Name returns "model_fallback".
func (f ModelFallback) Name() string { return "model_fallback" }

// Hooks finds the models.
func (f ModelFallback) Hooks(_ context.Context, env host.Env) (*host.Hooks, error) {
	if len(f.Models) == 0 {
		return nil, errors.New("models is missing; name the models to ask when the agent's model has failed, such as [small]")
	}
	models := make([]model.Model, len(f.Models))
	for i, name := range f.Models {
		m, err := modelOf(&env, fmt.Sprintf("models[%d]", i), name)
		if err != nil {
			return nil, err
		}
		models[i] = m
	}
	wrap := func(
		ctx context.Context, rt *host.Runtime, req *model.Request, next host.ModelHandler,
	) (*model.Response, *host.Update, error) {
		resp, err := next(ctx, req)
		for i, m := range models {
			if err == nil || ctx.Err() != nil || !hasFailed[*host.ModelError](err) {
				break
			}
			rt.Warn(fmt.Sprintf("%s: asking the model %q: %v", env.Name, f.Models[i], err))
			resp, err = next(ctx, forModel(req, m))
		}
		return resp, nil, err
	}
	return &host.Hooks{WrapModelCall: host.WrapModelHook{Func: wrap, PassesTokens: true}}, nil
}
