package plugin

import (
	"sync"

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
	case !p.capabilities.budget.spend(i.frame.rt.RunID(), grant.calls()):
		return abi.ELIMIT, nil
	}
	asked := &model.Request{
		Messages: history.Of(request.Messages...), Model: p.capabilities.model, Settings: request.Settings, System: request.System,
	}
	var response *model.Response
	var err error
	i.aside(func() { response, err = i.frame.rt.Generate(i.frame.ctx, asked.Model, asked) })
	if err != nil {
		return i.failed(err)
	}
	return i.bounded(responseDocument(response))
}

// modelBudget counts the model calls of each active run.
type modelBudget struct {
	mu    sync.Mutex
	spent map[string]int
}

// spend counts a call, unless the run has already made the given maximum.
func (b *modelBudget) spend(run string, most int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.spent[run] >= most {
		return false
	}
	if b.spent == nil {
		b.spent = map[string]int{}
	}
	b.spent[run]++
	return true
}

// forget removes a finished run.
func (b *modelBudget) forget(run string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.spent, run)
}
