package telemetry

import (
	"context"

	"github.com/agenthost/agenthost/host"
)

// Gauges is what a server says of itself whenever metrics are read.
type Gauges struct {
	// Streams counts the streams that clients read in this process.
	Streams func() int
	// Waiting counts the threads of each agent that wait for a person, in the database.
	Waiting func(ctx context.Context) (map[string]int, error)
	// Middleware returns the middleware of each agent.
	Middleware func() map[string][]host.Part
}
