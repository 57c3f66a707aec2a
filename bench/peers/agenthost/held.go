package main

import (
	"errors"
	"runtime"
	"runtime/metrics"

	"github.com/agenthost/agenthost/host"
)

// held keeps runs waiting, all at the same place.
type held struct {
	waits chan struct{} // receives one value for each run that waits
	open  chan struct{} // closed to let them go on
}

func (h *held) wait() {
	h.waits <- struct{}{}
	<-h.open
}

// liveBytes performs all runs once more and returns what they have in use, heap and stacks, while each waits in its last call of the
// model and everything else was collected. The instances of plugins, which the runs before have left, do not count.
func liveBytes(agent *host.Agent, m *slow) (float64, error) {
	before := inUse()
	m.held = &held{waits: make(chan struct{}, runs), open: make(chan struct{})}
	ended := make(chan error, runs)
	for i := range runs {
		go func() {
			_, err := oneRun(agent, i)
			ended <- err
		}()
	}
	var early []error // of runs that ended before their last call
	for range runs {
		select {
		case <-m.held.waits:
		case err := <-ended:
			early = append(early, err)
		}
	}
	live := inUse() - before
	close(m.held.open)
	failed := errors.Join(early...)
	for range runs - len(early) {
		failed = errors.Join(failed, <-ended)
	}
	return live, failed
}

// inUse returns what is left of the heap after a collection, with the stacks of all goroutines, in bytes.
func inUse() float64 {
	runtime.GC()
	runtime.GC() // the first empties pools only halfway
	samples := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(samples)
	return float64(samples[0].Value.Uint64()) + float64(samples[1].Value.Uint64())
}
