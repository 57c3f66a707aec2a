package backend

import (
	"context"

	"github.com/agenthost/agenthost/host"
)

// State keeps files in the state of the thread, in the field "files" ([Field]), deepagents' StateBackend. They are forked,
// resumed and shown with the thread, and are gone with it. A change takes effect with the step that makes it; parallel calls of
// one middleware's tools in one step see each other's changes. All files together have at most [MaxState].
type State struct{}

// Open returns the files of the agent's threads.
func (State) Open(context.Context, host.Env, Options) (*Opened, error) {
	steps := &stateSteps{}
	return &Opened{
		At: func(rt *host.Runtime, call string) (View, error) {
			view, err := steps.at(rt, call)
			if err != nil {
				return View{}, err
			}
			return View{Files: view, Update: view.update}, nil
		},
		State:   []host.Field{Field.Field},
		InState: func(string) bool { return true },
		End:     func(_ context.Context, run string) { steps.forget(run) },
	}, nil
}
