package backend

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/store"
)

// Store keeps files in a store of values, where they outlive the thread and other threads see them, deepagents' StoreBackend. A
// file is an entry: its key is the path, and its value is the content. Changes take effect at once, and remain if the step
// fails. A path has at most 512 bytes. Deleting a directory deletes its files one after the other.
type Store struct {
	// Namespace returns the namespace of the files, such as {"users", id}. It is called for each call of a hook or tool, with the
	// run that the call belongs to; [Namespace] returns one that is the same for all runs. The files are below {"files"} in the
	// store, so no namespace reaches other values. Required.
	Namespace func(rt *host.Runtime) (store.Namespace, error)
	// Values is the store; nil: the agent's, see [host.Config].
	Values store.Store
	// Quota limits all files of a namespace. The zero Quota allows [MaxState] bytes.
	Quota store.Quota
}

// filesName is the first name of the namespaces that hold files.
const filesName = "files"

// Namespace returns a function for [Store] that returns these names.
func Namespace(names ...string) func(*host.Runtime) (store.Namespace, error) {
	return func(*host.Runtime) (store.Namespace, error) { return names, nil }
}

// Open checks that there is a store.
func (s Store) Open(_ context.Context, env host.Env, _ Options) (*Opened, error) {
	values, quota := s.Values, s.Quota
	switch {
	case s.Namespace == nil:
		return nil, errors.New("store: the namespace is missing; name where the files are, such as [notes]")
	case values == nil && env.Store == nil:
		return nil, errors.New("store: the agent has no store; set host.Config.Store")
	case values == nil:
		values = env.Store
	}
	if quota == (store.Quota{}) {
		quota.Bytes = MaxState
	}
	return &Opened{At: func(rt *host.Runtime, _ string) (View, error) {
		namespace := sync.OnceValues(func() (store.Namespace, error) {
			names, err := s.Namespace(rt)
			if err == nil && len(names) == 0 {
				err = errors.New("the namespace is empty")
			}
			ns := slices.Concat(store.Namespace{filesName}, names)
			if err == nil {
				err = ns.Check()
			}
			return ns, err
		})
		return View{Files: &storeFiles{values: values, quota: quota, namespace: namespace}}, nil
	}}, nil
}
