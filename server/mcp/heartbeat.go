package mcp

import (
	"maps"
	"net/http"
	"sync"
	"time"
)

// beating keeps an answer alive that takes long: it writes a comment, which clients skip, between the events that the SDK writes.
type beating struct {
	w       http.ResponseWriter
	control *http.ResponseController
	header  http.Header // what the SDK sets; it is read only when the SDK writes
	done    chan struct{}
	ended   sync.WaitGroup

	mu      sync.Mutex
	written bool
}

// beat begins to keep an answer alive. The caller calls stop before the answer ends.
func beat(w http.ResponseWriter, every time.Duration) *beating {
	if every <= 0 {
		every = 5 * time.Second
	}
	b := &beating{w: w, control: http.NewResponseController(w), header: maps.Clone(w.Header()), done: make(chan struct{})}
	b.ended.Go(func() {
		tick := time.NewTicker(every) //nolint:forbidigo // proxies wait in real time
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				if b.write() != nil {
					return // the client is gone
				}
			case <-b.done:
				return
			}
		}
	})
	return b
}

// stop ends the comments.
func (b *beating) stop() {
	close(b.done)
	b.ended.Wait()
}

// write writes a comment. If nothing was written before, the answer becomes a stream.
func (b *beating) write() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	h := b.w.Header()
	switch {
	case !b.written:
		h.Set("Content-Type", "text/event-stream")
		h.Set("Cache-Control", "no-cache, no-transform")
		b.written = true
	case h.Get("Content-Type") != "text/event-stream":
		return nil
	}
	if _, err := b.w.Write([]byte(": heartbeat\n\n")); err != nil {
		return err
	}
	return b.control.Flush()
}

// Header returns the headers of the SDK.
func (b *beating) Header() http.Header { return b.header }

// begin sets the headers of the SDK, unless the answer has begun.
func (b *beating) begin() {
	if !b.written {
		clear(b.w.Header())
		maps.Copy(b.w.Header(), b.header)
		b.written = true
	}
}

// WriteHeader begins the answer.
func (b *beating) WriteHeader(status int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.written {
		b.begin()
		b.w.WriteHeader(status)
	}
}

func (b *beating) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.begin()
	return b.w.Write(p)
}

// FlushError is what [http.ResponseController] calls.
func (b *beating) FlushError() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.control.Flush()
}
