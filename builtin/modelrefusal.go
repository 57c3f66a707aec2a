package builtin

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
)

// ModelRefusal makes an error of an answer in which the model declines to answer, so that a model_fallback outside asks another
// model. Without one, the run fails, tool calls beside the refusal do not run, and the thread keeps nothing of the answer.
//
// It looks for blocks of the type refusal, which the adapters of OpenAI and Anthropic make of the provider's own mark. It does not
// judge words: a text in which a model says that it will not help is an ordinary answer. It also looks at answers that are not
// the structured answer that was asked for.
//
// model_retry does not repeat a refusal unless retry_on names content_filter or model_refusal.
//
// Behaviour and text are those of LangChain 1.5.0's ModelRefusalMiddleware.
type ModelRefusal struct{}

var modelRefusalEntry = Entry{
	Name:    "model_refusal",
	Summary: "makes an error of an answer in which the model refuses, so that a fallback asks another model",
	Example: `- model_refusal
`,
	New: func() host.Middleware { return &ModelRefusal{} },
}

// ModelRefusalError means that a model has declined to answer.
type ModelRefusalError struct {
	Provider string
	Category string // the provider's category of the refusal; may be ""
	Text     string // the words of the refusal; may be ""
}

// Error describes the refusal in LangChain's words.
func (e *ModelRefusalError) Error() string {
	text := "Model refused to produce the requested output"
	if e.Category != "" {
		text += " (category='" + e.Category + "')"
	}
	if e.Text != "" {
		text += ": " + e.Text
	}
	return text
}

// ErrorType returns "model_refusal".
func (*ModelRefusalError) ErrorType() string { return "model_refusal" }

// Unwrap returns the refusal as an error of the provider, which cannot pass.
func (e *ModelRefusalError) Unwrap() error {
	return &model.Error{Provider: e.Provider, Kind: model.ErrorContentFilter, Err: fmt.Errorf("the model refused: %s", e.Text)}
}

// Name returns "model_refusal".
func (ModelRefusal) Name() string { return "model_refusal" }

// Hooks returns the hook.
func (ModelRefusal) Hooks(context.Context, host.Env) (*host.Hooks, error) {
	return &host.Hooks{
		WrapModelCall: host.WrapModelHook{Func: refuseRefusals, PassesTokens: true},
		Order: []host.Order{{
			Inside: modelFallbackEntry.Name, Reason: "outside of it, model_fallback takes a refusal for an answer",
		}},
	}, nil
}

func refuseRefusals(
	ctx context.Context, _ *host.Runtime, req *model.Request, next host.ModelHandler,
) (*model.Response, *host.Update, error) {
	resp, err := next(ctx, req)
	if wrong, ok := errors.AsType[*host.StructuredError](err); ok && wrong.Answer != nil {
		err = cmp.Or(refusalIn(wrong.Answer), err)
	}
	if err != nil {
		return nil, nil, err
	}
	for i := range resp.Messages {
		if refusal := refusalIn(&resp.Messages[i]); refusal != nil {
			return nil, nil, refusal
		}
	}
	return resp, nil, nil
}

// refusalIn returns the refusal in a message of the model; nil if there is none.
func refusalIn(m *abi.Message) error {
	if m.Role != abi.RoleAI {
		return nil
	}
	for _, block := range m.Content.Blocks() {
		if block.Type() == abi.BlockRefusal {
			out := &ModelRefusalError{Text: block.Text(), Category: block.Category()}
			out.Provider, _ = m.Meta.Get("provider").AsString()
			return out
		}
	}
	return nil
}
