package plugin

import (
	"context"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model"
)

// modelGenerate calls the granted model.
func (i *instance) modelGenerate(request *abi.GenerateRequest) (abi.Status, []byte) {
	return i.await(i.generate(request))
}

// generate prepares a call of the granted model.
func (i *instance) generate(request *abi.GenerateRequest) waiting {
	p := i.plugin
	if len(request.Messages) == 0 {
		return refusal(abi.EINVAL)
	}
	for n := range request.Messages {
		if !isRole(request.Messages[n].Role) {
			return refusal(abi.EINVAL)
		}
	}
	grant := p.grant.ModelGenerate
	switch {
	case request.Model != "" && request.Model != grant.Model:
		return refusal(abi.EDENIED)
	case !p.capabilities.modelCalls.spend(i.frame.rt.RunID(), 1, int64(grant.calls())):
		return refusal(abi.ELIMIT)
	}
	asked := &model.Request{
		Messages: history.Of(request.Messages...), Model: p.capabilities.model, Settings: request.Settings, System: request.System,
	}
	g := i.frame.rt.StartGenerate(i.frame.ctx, asked.Model, asked)
	return waiting{
		perform: func(_ context.Context, say func(string)) { g.Perform(say) },
		reply: func() (abi.Status, []byte) {
			response, err := g.Finish()
			if err != nil {
				return i.failed(err)
			}
			return i.bounded(responseDocument(response))
		},
	}
}
