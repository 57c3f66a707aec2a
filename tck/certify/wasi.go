package certify

import (
	"math/rand/v2"

	"github.com/agenthost/agenthost/abi"
)

// clock is the virtual clock of a frame.
type clock struct{ now uint64 }

// tick is how far each reading moves the clock, in nanoseconds.
const tick = 1000

func (c *clock) start(now uint64) { c.now = now }

func (c *clock) walltime() (sec int64, nsec int32) {
	now := uint64(c.nanotime())
	return int64(now / 1e9), int32(now % 1e9)
}

func (c *clock) nanotime() int64 {
	now := c.now
	c.now += tick
	return int64(now)
}

func (c *clock) sleep(ns int64) {
	if ns > 0 {
		c.now += uint64(ns)
	}
}

// random is WASI's source of random numbers in a frame.
type random struct{ source rand.PCG }

func (r *random) start(seed uint64) { r.source.Seed(seed, 0x74636b) }

// randomReader reads from the source of the current frame.
type randomReader struct{ instance *instance }

func (r randomReader) Read(b []byte) (int, error) {
	for n := range b {
		b[n] = byte(r.instance.frame.random.source.Uint64())
	}
	return len(b), nil
}

// output turns the guest's standard output and error into log lines of level 1.
type output struct{ instance *instance }

func (o output) Write(b []byte) (int, error) {
	o.instance.frame.line(abi.LogInfo, b)
	return len(b), nil
}
