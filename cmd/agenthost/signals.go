package main

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

// signals are those that end the command: the first one cancels what it does, a second one kills it.
type signals struct{ holding }

// listen returns a context that ends with the first signal.
func listen(ctx context.Context) (context.Context, *signals) {
	ctx, cancel := context.WithCancel(ctx)
	s := &signals{}
	arrived := make(chan os.Signal, 1)
	signal.Notify(arrived, os.Interrupt, syscall.SIGTERM)
	go func() { // it lasts as long as the process
		for got := range arrived {
			if got == os.Interrupt && s.held() {
				continue
			}
			signal.Stop(arrived)
			cancel()
			return
		}
	}()
	return ctx, s
}

// holding are programs that have the terminal, and to which Ctrl-C is left.
type holding struct{ programs atomic.Int32 }

// late is how long behind its end a Ctrl-C counts for a program: it may have ended by one before this process hears of that.
const late = 200 * time.Millisecond

// hold leaves Ctrl-C to a program until release is called.
func (h *holding) hold() (release func()) {
	h.programs.Add(1)
	return func() { time.AfterFunc(late, func() { h.programs.Add(-1) }) }
}

func (h *holding) held() bool { return h.programs.Load() > 0 }
