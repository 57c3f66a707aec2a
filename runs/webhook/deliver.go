package webhook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Delivery is a document for a webhook.
type Delivery struct {
	ID   string // the same for each attempt, such as the id of the run
	URL  string
	Body json.RawMessage
	// Header has more headers of the request, by which a client recognizes the sender. They replace those of every delivery.
	Header http.Header
}

// Deliver posts a document, and again if that fails in a way that may pass, until its attempts are used up or the context ends. Any status
// from 200 to 299 is a success. The error wraps [ErrRefused] if the address may not be called, and a [*StatusError] if the server did not
// accept the last attempt. It never contains the path and the query of the address, where a secret may be.
func (s *Sender) Deliver(ctx context.Context, d Delivery) error {
	to, err := s.parse(d.URL)
	if err != nil {
		return err
	}
	for attempt := 1; ; attempt++ {
		asked, err := s.post(ctx, to, &d)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil || attempt >= s.attempts || !passes(err) || !wait(ctx, pause(attempt, asked)) {
			return fmt.Errorf("webhook %s://%s: attempt %d: %w", to.Scheme, to.Host, attempt, err)
		}
	}
}

// post makes one attempt. It returns how long the server asks to wait before the next.
func (s *Sender) post(ctx context.Context, to *url.URL, d *Delivery) (asked time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, to.String(), bytes.NewReader(d.Body))
	if err != nil {
		return 0, refused("it is not a URL")
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "agenthost")
	r.Header.Set("Webhook-Id", d.ID)
	maps.Copy(r.Header, d.Header)
	response, err := s.client.Do(r)
	if err != nil {
		if isDenied(err) {
			return 0, refused("its address is not public")
		}
		if own, ok := errors.AsType[*url.Error](err); ok {
			err = own.Err // it quotes the whole address
		}
		return 0, err
	}
	_ = response.Body.Close() // nothing in it counts
	if response.StatusCode/100 == 2 {
		return 0, nil
	}
	seconds, err := strconv.ParseUint(response.Header.Get("Retry-After"), 10, 16)
	if err != nil {
		seconds = 0
	}
	return time.Duration(seconds) * time.Second, &StatusError{response.StatusCode}
}
