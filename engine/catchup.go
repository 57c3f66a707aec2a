package engine

import (
	"encoding/json"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
)

// catchUp tells readers what earlier attempts have saved and not told: the process died before it passed on its last events.
func (a *attempt) catchUp() error {
	known, err := a.lastTold()
	if err != nil {
		return err
	}
	for event, err := range a.agent.Replay(a.ctx, a.thread, known) {
		if err != nil {
			return err
		}
		if err := a.send(&event); err != nil {
			return err
		}
	}
	return nil
}

// lastTold returns the newest checkpoint that the events of the run name, or the one before the run.
func (a *attempt) lastTold() (checkpoint.ID, error) {
	last := a.before
	for after := uint64(0); ; {
		events, err := a.engine.config.Store.Events(a.ctx, a.run.Owner, a.run.ID, after, 0)
		if err != nil || len(events) == 0 {
			return last, err
		}
		for i := range events {
			after = events[i].Seq
			if events[i].Type != string(host.EventCheckpoint) {
				continue
			}
			var told host.Event
			if err := json.Unmarshal(events[i].Data, &told); err != nil {
				return last, err
			}
			last = told.Checkpoint
		}
	}
}
