package sse

import "context"

// batch is what a source returned.
type batch struct {
	events   []Event
	err      error
	panicked any
}

// pull asks a source for batches in a goroutine of its own, one after another.
type pull struct {
	results chan batch // not buffered: at most one batch waits
	done    chan struct{}
}

// startPull starts the goroutine. It ends when the source returns an error or the context ends; wait waits for that.
func startPull(ctx context.Context, source Source) *pull {
	p := &pull{results: make(chan batch), done: make(chan struct{})}
	go func() {
		defer close(p.done)
		for {
			b := ask(ctx, source)
			select {
			case p.results <- b:
			case <-ctx.Done():
				return
			}
			if b.err != nil || b.panicked != nil {
				return
			}
		}
	}()
	return p
}

func (p *pull) wait() { <-p.done }

// ask returns the next batch. A panic would end the process here; the handler's goroutine passes it on to who recovers it there.
func ask(ctx context.Context, source Source) (b batch) {
	defer func() { b.panicked = recover() }()
	b.events, b.err = source(ctx)
	return b
}
