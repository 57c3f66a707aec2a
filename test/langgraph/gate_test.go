package langgraph_test

import (
	"context"
	"sync"
)

// gate holds what takes its time in the recorded agents, so that tests wait for nothing.
type gate struct {
	passes chan struct{} // one for each that may pass
	open   chan struct{} // closed when all may pass
	once   sync.Once
}

// newGate returns a closed gate.
func newGate() *gate { return &gate{passes: make(chan struct{}), open: make(chan struct{})} }

// letAll lets everything through from now on.
func (g *gate) letAll() { g.once.Do(func() { close(g.open) }) }

// letOne lets one through. It waits until there is one, or until ctx ends or the gate opens.
func (g *gate) letOne(ctx context.Context) {
	select {
	case g.passes <- struct{}{}:
	case <-g.open:
	case <-ctx.Done():
	}
}

// wait waits until the gate lets the caller through.
func (g *gate) wait(ctx context.Context) error {
	select {
	case <-g.open:
		return nil
	case <-g.passes:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
