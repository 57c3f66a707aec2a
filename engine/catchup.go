package engine

import (
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/runs"
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
	for event, err := range runs.AllEvents(a.ctx, a.engine.config.Store, a.run.Owner, a.run.ID, 0) {
		if err != nil {
			return last, err
		}
		if event.Type != string(host.EventCheckpoint) {
			continue
		}
		told, err := event.Host()
		if err != nil {
			return last, err
		}
		last = told.Checkpoint
	}
	return last, nil
}
