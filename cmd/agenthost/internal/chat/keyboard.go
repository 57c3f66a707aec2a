package chat

import (
	"context"
	"io"
	"sync"
)

// Keyboard is an input with several readers, one after the other. It reads only on demand, so another program that gets the
// terminal in between loses nothing. A reader may stop waiting; the next one gets what is typed then.
type Keyboard struct {
	from io.Reader

	mu      sync.Mutex
	rest    []byte        // read but not taken yet
	failed  error         // the error of reading, returned after rest
	arrived chan struct{} // closed when the current read ends; nil if there is none
}

// NewKeyboard returns a keyboard.
func NewKeyboard(from io.Reader) *Keyboard { return &Keyboard{from: from} }

// During returns the input for as long as the context lasts.
func (k *Keyboard) During(ctx context.Context) io.Reader { return &reader{ctx, k} }

// reader reads from the keyboard until its context ends.
type reader struct {
	ctx context.Context //nolint:containedctx // an io.Reader has no other place for it
	of  *Keyboard
}

// Read waits for input until the context ends.
func (r *reader) Read(p []byte) (int, error) {
	for {
		n, arrived, err := r.of.take(r.ctx, p)
		if arrived == nil {
			return n, err
		}
		select {
		case <-arrived:
		case <-r.ctx.Done():
		}
	}
}

// take returns available input or, if there is none, a channel that closes when there may be some.
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

// read reads once. A read cannot be cancelled, so it continues even if nobody waits any more.
func (k *Keyboard) read(arrived chan<- struct{}) {
	buffer := make([]byte, 4096)
	n, err := k.from.Read(buffer)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.rest, k.failed, k.arrived = append(k.rest, buffer[:n]...), err, nil
	close(arrived)
}

// maxAhead is how much text that was typed ahead is kept, in bytes.
const maxAhead = 1 << 20

// Ahead takes what was typed and not read yet. ready reports whether a read would return at once.
func (k *Keyboard) Ahead(ready func() bool) []byte {
	for {
		pending := ready()
		k.mu.Lock()
		arrived := k.arrived
		if arrived == nil && k.failed == nil && pending && len(k.rest) < maxAhead {
			k.arrived = make(chan struct{})
			arrived = k.arrived
			go k.read(arrived)
		}
		if arrived == nil || !pending {
			rest := k.rest
			k.rest = nil
			k.mu.Unlock()
			return rest
		}
		k.mu.Unlock()
		<-arrived
	}
}
