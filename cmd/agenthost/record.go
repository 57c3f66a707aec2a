package main

import (
	"context"

	"github.com/agenthost/agenthost/telemetry"
)

// record begins to record what agents do, if the configuration or the variables OTEL_* ask for it.
func (a *app) record(ctx context.Context, c telemetry.Config) (err error) {
	a.recorded, c.Version = true, thisBuild().version
	a.telemetry, err = telemetry.Open(ctx, c)
	return err
}

// recordIfAsked is like record, for commands that go on without telemetry: the variables may be meant for other programs.
func (a *app) recordIfAsked(ctx context.Context) {
	if a.recorded {
		return
	}
	logger := a.logger()
	if err := a.record(ctx, telemetry.Config{Logger: logger}); err != nil {
		logger.Warn("nothing is recorded", "error", err)
	}
}
