package host

import (
	"fmt"
	"sync"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model"
)

// runContext is the document of Input.Context, which is made when somebody asks for it.
type runContext struct {
	once   sync.Once
	values wire.Map
	err    error
}

// ContextMap returns Input.Context as a document, for programs that are not written in Go; nil if there is none. The caller must not change
// it. An error says that the context is not a map, or that one of its values nests deeper than [wire.MaxValueDepth].
func (rt *Runtime) ContextMap() (wire.Map, error) {
	r := rt.run
	r.context.once.Do(func() { r.context.values, r.context.err = contextMap(r.input.Context) })
	return r.context.values, r.context.err
}

func contextMap(given any) (values wire.Map, err error) {
	if given == nil {
		return nil, nil
	}
	raw, err := Encode(given)
	if err != nil {
		return nil, fmt.Errorf("the run's context: %w", err)
	}
	if _, err := values.UnmarshalMsg(raw); err != nil {
		return nil, fmt.Errorf("the run's context is a %T, and not a map of values", given)
	}
	for i := range values {
		if wire.DeeperThan(values[i].Value, wire.MaxValueDepth) {
			return nil, fmt.Errorf("the run's context: %q nests more than %d arrays and maps", values[i].Key, wire.MaxValueDepth)
		}
	}
	return values, nil
}

// AgentName returns the name of the agent; "" if it has none.
func (rt *Runtime) AgentName() string { return rt.run.agent.config.Name }

// ParentRun returns the id of the run whose tool or hook started this one, see [Input.Parent]; "" if there is none.
func (rt *Runtime) ParentRun() string { return rt.run.input.Parent }

// Usage returns the tokens that the run's model calls have used so far, with those of [Runtime.Generate] and [Runtime.Spend].
func (rt *Runtime) Usage() abi.Usage { return rt.run.budget.usage.total() }

// Model returns the model that model steps call unless a hook chooses another.
func (rt *Runtime) Model() model.Model { return rt.run.model }

// ModelNamed returns one of the agent's named models, or nil.
func (rt *Runtime) ModelNamed(name string) model.Model { return rt.run.agent.config.Models[name] }
