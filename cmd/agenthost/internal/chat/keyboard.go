package chat

import (
	"context"
	"io"
	"sync"
)

// Keyboard is an input that several read, one after the other. It is read only when somebody wants something: a program
// that gets the terminal meanwhile loses nothing. Who waits for it can leave; what is typed then is for the next one.
type Keyboard struct {
	from io.Reader

	mu      sync.Mutex
	rest    []byte        // was read, and not taken
	failed  error         // of reading, when the rest is taken
	arrived chan struct{} // closed when the reading that goes on has ended; nil: nobody reads
}

// NewKeyboard returns a keyboard.
func NewKeyboard(from io.Reader) *Keyboard { return &Keyboard{from: from} }

// During returns the input as long as a context lasts.
func (k *Keyboard) During(ctx context.Context) io.Reader { return &lease{ctx, k} }

// lease is the use of a keyboard.
type lease struct {
	ctx context.Context //nolint:containedctx // an io.Reader has no other place for it
	of  *Keyboard
}

// Read waits for input no longer than the context lasts.
func (l *lease) Read(p []byte) (int, error) {
	for {
		n, arrived, err := l.of.take(l.ctx, p)
		if arrived == nil {
			return n, err
		}
		select {
		case <-arrived:
		case <-l.ctx.Done():
		}
	}
}

// take returns what is there or, if nothing is, what closes when there may be something.
func (k *Keyboard) take(ctx context.Context, p []byte) (n int, arrived <-chan struct{}, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case ctx.Err() != nil:
		return 0, nil, context.Cause(ctx)
	case len(k.rest) > 0:
		n = copy(p, k.rest)
		k.rest = k.rest[n:]
		return n, nil, nil
	case k.failed != nil:
		return 0, nil, k.failed
	case k.arrived == nil:
		k.arrived = make(chan struct{})
		go k.read(k.arrived)
	}
	return 0, k.arrived, nil
}

// read reads once. It cannot be broken off, so it goes on when nobody waits any more.
func (k *Keyboard) read(arrived chan<- struct{}) {
	buffer := make([]byte, 4096)
	n, err := k.from.Read(buffer)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.rest, k.failed, k.arrived = append(k.rest, buffer[:n]...), err, nil
	close(arrived)
}
