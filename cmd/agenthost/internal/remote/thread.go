package remote

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/server/client"
)

// nameKey is the key of a thread's metadata that has the name which a person gave the thread: its id is the server's.
const nameKey = "thread_name"

// Thread is a thread in a list.
type Thread struct {
	Name string // that which a person gave it, or its id
	client.Thread
}

// Threads returns the threads that were changed last, at most limit.
func (a *Agent) Threads(ctx context.Context, limit int) ([]Thread, error) {
	found, err := a.client.SearchThreads(ctx, client.ThreadQuery{Limit: limit})
	if err != nil {
		return nil, explained(err)
	}
	out := make([]Thread, len(found))
	for i := range found {
		out[i] = Thread{Name: found[i].ID, Thread: found[i]}
		if name, ok := found[i].Metadata.Get(nameKey).AsString(); ok && name != "" {
			out[i].Name = name
		}
	}
	return out, nil
}

// id returns the id of the thread with a name, which may be its id, or [checkpoint.ErrNoThread].
func (a *Agent) id(ctx context.Context, name string) (string, error) {
	if id, ok := asID(name); ok {
		return id, nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if id, ok := a.threads[name]; ok {
		return id, nil
	}
	id, err := find(ctx, a.client, name)
	if err == nil {
		a.threads[name] = id
	}
	return id, err
}

// asID returns a name as an id, if it is one.
func asID(name string) (id string, ok bool) {
	parsed, err := uuid.Parse(name)
	return parsed.String(), err == nil && strings.EqualFold(parsed.String(), name)
}

// find returns the id of the thread that a person gave a name.
func find(ctx context.Context, c *client.Client, name string) (string, error) {
	found, err := c.SearchThreads(ctx, client.ThreadQuery{Metadata: named(name), Limit: 2})
	switch {
	case err != nil:
		return "", explained(err)
	case len(found) == 0:
		return "", fmt.Errorf("thread %q: %w", name, checkpoint.ErrNoThread)
	case len(found) > 1:
		return "", &UsageError{fmt.Sprintf("several threads of the server have the name %q; give the id of one, such as %s", name, found[0].ID)}
	}
	return found[0].ID, nil
}

// create makes a thread with a name.
func (a *Agent) create(ctx context.Context, name string) (string, error) {
	made, err := a.client.CreateThread(ctx, named(name))
	if err != nil {
		return "", explained(err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.threads[name] = made.ID
	return made.ID, nil
}

func named(name string) wire.Map { return wire.Map{{Key: nameKey, Value: wire.String(name)}} }
