package main

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
)

// signals are those that end the command: the first one cancels what it does, a second one kills it.
type signals struct{ held atomic.Int32 }

// listen returns a context that ends with the first signal.
func listen(ctx context.Context) (context.Context, *signals) {
	ctx, cancel := context.WithCancel(ctx)
	s := &signals{}
	arrived := make(chan os.Signal, 1)
	signal.Notify(arrived, os.Interrupt, syscall.SIGTERM)
	go func() { // it lasts as long as the process
		for got := range arrived {
			if got == os.Interrupt && s.held.Load() > 0 {
				continue
			}
			signal.Stop(arrived)
			cancel()
			return
		}
	}()
	return ctx, s
}

// hold leaves Ctrl-C to a program that has the terminal, until release is called.
func (s *signals) hold() (release func()) {
	s.held.Add(1)
	return func() { s.held.Add(-1) }
}
