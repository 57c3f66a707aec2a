package mcp

import (
	"context"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agenthost/agenthost/runs"
)

// maxWatched is how many threads one client may watch.
const maxWatched = 100

// watches are the threads that a client watches.
type watches struct {
	mu     sync.Mutex
	stops  map[string]context.CancelFunc // by the addresses of the threads
	ending sync.WaitGroup
}

// wait waits until nothing is watched any more.
func (w *watches) wait() {
	w.mu.Lock()
	for _, stop := range w.stops {
		stop()
	}
	w.mu.Unlock()
	w.ending.Wait()
}

// subscribe lets the client know when a run of a thread has ended.
func (s *session) subscribe(ctx context.Context, req *sdk.SubscribeRequest) error {
	if err := s.who.Load().Need(scopes["resources/subscribe"]); err != nil { // it may be a part of another request
		return refusal("the credential lacks the scope %s", scopes["resources/subscribe"])
	}
	uri := req.Params.URI
	t, err := s.threadAt(ctx, uri)
	if err != nil {
		return err
	}
	w := &s.watching
	w.mu.Lock()
	defer w.mu.Unlock()
	if s.life.Err() != nil || w.stops[uri] != nil {
		return nil
	}
	if len(w.stops) >= maxWatched {
		return refusal("you watch %d threads, which is the limit of this server", maxWatched)
	}
	life, stop := s.door.untilClosing(s.life)
	w.stops[uri] = stop
	w.ending.Go(func() {
		s.watch(life, t.ID, func() { _ = s.server.ResourceUpdated(life, &sdk.ResourceUpdatedNotificationParams{URI: uri}) }) // the client may be gone
	})
	return nil
}

// unsubscribe ends that.
func (s *session) unsubscribe(_ context.Context, req *sdk.UnsubscribeRequest) error {
	w := &s.watching
	w.mu.Lock()
	defer w.mu.Unlock()
	if stop := w.stops[req.Params.URI]; stop != nil {
		stop()
		delete(w.stops, req.Params.URI)
	}
	return nil
}

// watch tells of each run of a thread that ends, and of the thread's end, until the context ends.
func (s *session) watch(ctx context.Context, thread string, tell func()) {
	news, end := s.door.Service.Reader().WatchThread(thread)
	defer end()
	last := uint64(0)
	for first := true; ; first = false {
		found, err := s.door.Service.FindRuns(ctx, s.owner, thread, &runs.RunQuery{Limit: 1})
		switch {
		case ctx.Err() != nil:
			return
		case err != nil: // it was removed
			tell()
			return
		case len(found) == 1 && found[0].Number != last:
			last = found[0].Number
			over := found[0].Status.Over()
			if !over {
				_, _ = s.door.Service.Reader().Wait(ctx, s.owner, found[0].ID) // it may also be removed
			}
			if ctx.Err() == nil && (!first || !over) {
				tell()
			}
			continue
		}
		select {
		case <-news:
		case <-ctx.Done():
			return
		}
	}
}
