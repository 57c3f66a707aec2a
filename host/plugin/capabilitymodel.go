package plugin

import (
	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model"
)

// modelGenerate calls the granted model.
func (i *instance) modelGenerate(request *abi.GenerateRequest) (abi.Status, []byte) {
	p := i.plugin
	if len(request.Messages) == 0 {
		return abi.EINVAL, nil
	}
	for n := range request.Messages {
		if !isRole(request.Messages[n].Role) {
			return abi.EINVAL, nil
		}
	}
	grant := p.grant.ModelGenerate
	switch {
	case request.Model != "" && request.Model != grant.Model:
		return abi.EDENIED, nil
	case !p.capabilities.modelCalls.spend(i.frame.rt.RunID(), 1, int64(grant.calls())):
		return abi.ELIMIT, nil
	}
	asked := &model.Request{
		Messages: history.Of(request.Messages...), Model: p.capabilities.model, Settings: request.Settings, System: request.System,
	}
	var response *model.Response
	var err error
	i.waits(func() { response, err = i.frame.rt.Generate(i.frame.ctx, asked.Model, asked) })
	if err != nil {
		return i.failed(err)
	}
	return i.bounded(responseDocument(response))
}
