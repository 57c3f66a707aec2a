package main

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

// signals ends the command by signals: the first one cancels its context, the second one kills it. But a run that is kept stops after its
// present step if the first one is a SIGTERM; then the second one cancels the context.
type signals struct {
	terminalHold
	stopper
}

// listen returns a context that the first signal cancels.
func listen(ctx context.Context) (context.Context, *signals) {
	ctx, cancel := context.WithCancel(ctx)
	s := &signals{}
	s.end = cancel
	arrived := make(chan os.Signal, 1)
	signal.Notify(arrived, os.Interrupt, syscall.SIGTERM)
	go func() { // runs as long as the process
		for got := range arrived {
			if got == os.Interrupt && s.held() {
				continue
			}
			if got == syscall.SIGTERM && s.tell() {
				continue
			}
			signal.Stop(arrived)
			cancel()
			return
		}
	}()
	return ctx, s
}

// terminalHold counts the programs that have the terminal. Ctrl-C is meant for them.
type terminalHold struct{ programs atomic.Int32 }

// late is how long after the end of a program a Ctrl-C still counts as its own: the signal that ended it may arrive here later.
const late = 200 * time.Millisecond

// hold leaves Ctrl-C to another program until release is called.
func (h *terminalHold) hold() (release func()) {
	h.programs.Add(1)
	return func() { time.AfterFunc(late, func() { h.programs.Add(-1) }) }
}

func (h *terminalHold) held() bool { return h.programs.Load() > 0 }
