package remote

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/server/client"
)

// State returns what a thread holds at its newest checkpoint. A server has no numbers of steps and tokens to tell.
func (a *Agent) State(ctx context.Context, thread string, at checkpoint.ID) (*host.Snapshot, error) {
	if at != 0 {
		return nil, &UsageError{"of a thread of a server, only the newest state can be shown"}
	}
	id, err := a.id(ctx, thread)
	if err != nil {
		return nil, err
	}
	state, err := a.client.State(ctx, id)
	if err != nil {
		return nil, explained(err)
	}
	return snapshotOf(thread, state)
}

const (
	messagesKey   = "messages"
	structuredKey = "structured_response"
	interruptKey  = "__interrupt__"
)

func snapshotOf(thread string, state *client.State) (*host.Snapshot, error) {
	out := &host.Snapshot{Thread: thread, Next: strings.Join(state.Next, ", ")}
	if n, err := strconv.ParseUint(state.Checkpoint, 10, 63); err == nil { // other servers have other ids
		out.Checkpoint = checkpoint.ID(n)
	}
	if out.Next == "__start__" {
		out.Next = ""
	}
	for i, asked := range state.Interrupts {
		out.Interrupts = append(out.Interrupts, host.Interrupt{ID: asked.ID, Step: asked.Step, Key: "question " + strconv.Itoa(i+1), Value: asked.Value})
	}
	for name, value := range state.Values.Pairs() {
		switch key := string(name); key {
		case messagesKey:
			read, err := client.ReadMessages(json.RawMessage(value.JSON()))
			if err != nil {
				return nil, err
			}
			out.Messages = history.Of(read.Messages...)
		case interruptKey:
		default:
			out.State = out.State.With(wire.Map{{Key: key, Value: value}})
		}
	}
	return out, nil
}
