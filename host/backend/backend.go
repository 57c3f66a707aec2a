package backend

import (
	"context"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
)

// Backend is where the files of an agent are. One Backend can serve several agents, and several middleware of one agent.
type Backend interface {
	// Open opens the files for a middleware of an agent, which closes them with the agent.
	Open(ctx context.Context, env host.Env, o Options) (*Opened, error)
}

// Options are demands of a middleware on a backend.
type Options struct {
	// RefuseLinks demands that no symbolic link is followed. Rules about paths need it: a link gives a file a second path.
	RefuseLinks bool
}

// Opened is a [Backend] in its agent. At is required.
type Opened struct {
	// At returns the files as one call of a hook or tool sees them. call is the id of the tool call, or "" in a hook.
	At func(rt *host.Runtime, call string) (View, error)
	// State are the fields of the state that the files need.
	State []host.Field
	// End is told that a run is over, see [host.Hooks].
	End func(ctx context.Context, run string)
	// Close releases the files.
	Close func() error
	// IgnoresCase means that paths which differ only in case may be the same file. Rules about paths must know.
	IgnoresCase bool
	// InState reports whether the file of a path is in the state of the thread; nil: none is.
	InState func(path string) bool
	// Artifacts is the directory for files that middleware makes, such as large results; "": the root.
	Artifacts string
}

// View is the files as one call sees them.
type View struct {
	Files
	// Update returns the fields of the state that the call has changed; nil: it changes none.
	Update func() wire.Map
}

// Changes returns the update with the call's changes to the state; nil if there are none.
func (v View) Changes() *host.Update {
	if v.Update == nil {
		return nil
	}
	if changed := v.Update(); len(changed) > 0 {
		return &host.Update{State: changed}
	}
	return nil
}

// Of returns a backend of files that are the same for all runs.
func Of(files Files) Backend { return fixed{files} }

type fixed struct{ files Files }

func (f fixed) Open(context.Context, host.Env, Options) (*Opened, error) {
	return openedOf(f.files), nil
}

// openedOf returns files that are the same for all calls.
func openedOf(files Files) *Opened {
	return &Opened{At: func(*host.Runtime, string) (View, error) { return View{Files: files}, nil }}
}
