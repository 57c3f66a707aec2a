package builtin

import (
	"context"
	"errors"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/decision"
)

// classifier is the decision model of a middleware.
type classifier struct {
	decider model.Decider
	info    model.Info // of the decider, for its price
	chat    bool       // the decider is a chat model, whose calls the run counts itself
}

// classifierOf returns the classifier that a configuration names.
func classifierOf(env *host.Env, key, name string) (*classifier, error) {
	if name == "" {
		return nil, fmt.Errorf("%s is missing; name one of the agent's models, such as small, which answers the question", key)
	}
	m, err := modelOf(env, key, name)
	if err != nil {
		return nil, err
	}
	if decider, ok := model.DeciderOf(m); ok {
		return &classifier{decider: decider, info: m.Info()}, nil
	}
	return &classifier{decider: &decision.Chat{Model: runModel{m}}, chat: true}, nil
}

// ask asks one question about a state, and returns an answer of the question's type. Its tokens count as the run's.
func (c *classifier) ask(
	ctx context.Context, rt *host.Runtime, state wire.Raw, id string, question model.Question,
) (*model.Decision, error) {
	req := &model.DecisionRequest{State: state, Questions: map[string]model.Question{id: question}}
	answers, err := c.decide(ctx, rt, req)
	if err != nil {
		return nil, err
	}
	return answers.Answer(id, question.Type)
}

func (c *classifier) decide(ctx context.Context, rt *host.Runtime, req *model.DecisionRequest) (*model.Decisions, error) {
	ctx = context.WithValue(model.WithNotice(ctx, rt.Warn), runKey{}, rt)
	if !c.chat {
		if err := rt.Affords(ctx, c.info); err != nil {
			return nil, err
		}
	}
	answers, err := c.decider.Decide(ctx, req)
	if err == nil && answers == nil {
		err = errors.New("the decision model has returned neither answers nor an error")
	}
	if err != nil {
		return nil, err
	}
	if !c.chat {
		rt.Count(ctx, c.info, answers.Usage)
	}
	return answers, nil
}

// runKey is the key under which a [runModel] finds the Runtime of the hook.
type runKey struct{}

// runModel is a model whose calls belong to the run that the context names.
type runModel struct{ model.Model }

// Generate calls the model for the run.
func (m runModel) Generate(ctx context.Context, req *model.Request) (*model.Response, error) {
	rt, _ := ctx.Value(runKey{}).(*host.Runtime) // decide has set it
	return rt.Generate(ctx, m.Model, req.WithModel(m.Model))
}

// shownMessage returns what a decision model sees of a message: without the data of providers and programs.
func shownMessage(m *abi.Message) (wire.Raw, error) {
	shown := *m
	shown.Artifact, shown.Meta, shown.Usage = nil, nil, nil
	document, err := shown.MarshalMsg(nil)
	if err != nil || !shown.Content.IsZero() {
		return document, err
	}
	var fields wire.Map
	if _, err := fields.UnmarshalMsg(document); err != nil {
		return nil, err
	}
	fields.Set("content", wire.String("")) // a document omits it
	return fields.Raw(), nil
}

// criterion returns a criterion of a configuration: a text, or a value of JSON.
func criterion(key string, value any) (wire.Raw, error) {
	out, err := wire.Of(value)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", key, err)
	}
	return out, nil
}
