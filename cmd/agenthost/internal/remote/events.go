package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/server/client"
)

// Events returns the events that a server keeps of all runs of a thread, given its name or id. Only agenthost's server has them. The error is
// [checkpoint.ErrNoThread] if there is no thread with this name.
func Events(ctx context.Context, config client.Config, thread string) (events []host.Event, err error) {
	c, err := client.New(config)
	if err != nil {
		return nil, &UsageError{err.Error()}
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	id, ok := asID(thread)
	if !ok {
		if id, err = find(ctx, c, thread); err != nil {
			return nil, err
		}
	}
	for event, err := range c.ThreadEvents(ctx, id) {
		if err != nil {
			return nil, explained(err)
		}
		text, err := wire.AppendJSON(nil, event)
		if err != nil {
			return nil, err
		}
		var e host.Event
		if err := json.Unmarshal(text, &e); err != nil || e.Type == "" {
			return nil, fmt.Errorf("an event of the thread %s cannot be read; is the server an agenthost of another version?", id)
		}
		events = append(events, e)
	}
	return events, nil
}
