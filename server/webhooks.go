package server

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/runs/webhook"
)

// deliveries tells webhooks how runs ended. What is not delivered when the server stops is lost.
type deliveries struct {
	s     *Server
	slots chan struct{} // one for each delivery that is on its way

	mu     sync.Mutex
	closed bool
	all    sync.WaitGroup
}

// maxDeliveries is how many webhooks are called at once. Others wait.
const maxDeliveries = 64

func newDeliveries(s *Server) *deliveries {
	return &deliveries{s: s, slots: make(chan struct{}, maxDeliveries)}
}

// ended delivers the webhook of a run, if it has one, and tells the clients of its task.
func (d *deliveries) ended(r *runs.Run) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if r.Webhook == "" && !d.s.a2a.MayNotify(r) || d.closed {
		return
	}
	d.all.Go(func() {
		select {
		case d.slots <- struct{}{}:
			defer func() { <-d.slots }()
		case <-d.s.closing.Done():
			return
		}
		if err := d.deliver(d.s.closing, r); err != nil {
			d.s.log.Error("a webhook could not be told how its run ended", "run", r.ID, "error", err)
		}
	})
}

func (d *deliveries) deliver(ctx context.Context, r *runs.Run) error {
	all, err := d.s.a2a.Deliveries(ctx, r)
	errs := []error{err}
	if r.Webhook != "" {
		document, err := d.s.door.WebhookOf(ctx, r)
		if err != nil {
			errs = append(errs, err)
		} else if body, err := json.Marshal(document); err != nil {
			errs = append(errs, err)
		} else {
			all = append(all, webhook.Delivery{ID: r.ID, URL: r.Webhook, Body: body})
		}
	}
	var waiting sync.WaitGroup
	failed := make([]error, len(all))
	for i := range all {
		waiting.Go(func() { failed[i] = d.s.webhooks.Deliver(ctx, all[i]) })
	}
	waiting.Wait()
	return errors.Join(append(errs, failed...)...)
}

// close waits for those that are on their way, whose context has ended.
func (d *deliveries) close() {
	d.mu.Lock()
	d.closed = true
	d.mu.Unlock()
	d.all.Wait()
}
