package sse

import "context"

// batch is what a source returned.
type batch struct {
	events   []Event
	news     <-chan struct{}
	err      error
	panicked any
}

// pull asks a source for batches, one after another, in a goroutine of its own. The goroutine ends whenever the source waits for news, so that a stream
// in which nothing happens keeps neither it nor the stack that the source has used.
type pull struct {
	source  Source
	results chan batch    // not buffered: at most one batch waits
	done    chan struct{} // closed when the goroutine has ended; nil if there was none
}

func newPull(source Source) *pull { return &pull{source: source, results: make(chan batch)} }

// start starts the goroutine, after the one before it has ended. It ends when the source waits or returns an error, or when the context ends.
func (p *pull) start(ctx context.Context) {
	if p.done != nil {
		p.wait()
	}
	done := make(chan struct{})
	p.done = done
	go func() {
		defer close(done)
		for {
			b := ask(ctx, p.source)
			select {
			case p.results <- b:
			case <-ctx.Done():
				return
			}
			if b.err != nil || b.panicked != nil || b.news != nil {
				return
			}
		}
	}()
}

// wait waits for the end of the goroutine.
func (p *pull) wait() { <-p.done }

// ask returns the next batch. A panic would end the process here; the handler's goroutine passes it on to who recovers it there.
func ask(ctx context.Context, source Source) (b batch) {
	defer func() { b.panicked = recover() }()
	b.events, b.news, b.err = source(ctx)
	return b
}
