package oidc

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/agenthost/agenthost/server/auth"
)

const (
	keysAge    = time.Hour        // after which keys are fetched again, so that a withdrawn one does not stay for ever
	keysLife   = 24 * time.Hour   // after which keys that could not be fetched again are no longer trusted
	fetchPause = 5 * time.Second  // the shortest time between a successful request for keys and the next
	firstRetry = time.Second      // the time between a failed request and the next; it doubles
	lastRetry  = 30 * time.Second // the longest of these times
)

// keySource has the keys of an issuer, and fetches them when they are needed.
type keySource struct {
	fetcher fetcher

	mu     sync.Mutex
	set    *keySet       // nil: never fetched
	err    error         // of the last request; nil: it succeeded
	next   time.Time     // no request begins earlier
	delay  time.Duration // after the last request, which failed
	flight chan struct{} // closed when the present request is over; nil: there is none
}

func newKeySource(issuer, url string, client *http.Client) *keySource {
	return &keySource{fetcher: fetcher{issuer: issuer, url: url, fixed: url != "", client: client}}
}

// verify returns the payload of a token that a key of the issuer has signed. The error wraps [auth.ErrUnavailable] if the keys are not
// known, and [auth.ErrBadCredential] otherwise. It is an oidc.KeySet's method, but has the error as it is: see checkedKeys.
func (s *keySource) verify(ctx context.Context, token string) ([]byte, error) {
	set, err := s.fresh(ctx)
	if err != nil {
		return nil, err
	}
	payload, err := set.verify(ctx, token)
	if err == nil {
		return payload, nil
	}
	newer, failed := s.refresh(ctx, set)
	if newer != set {
		if payload, err = newer.verify(ctx, token); err == nil {
			return payload, nil
		}
	} else if failed != nil && errors.Is(err, errNoKey) { // it may be a new one
		return nil, fmt.Errorf("the issuer's keys cannot be fetched: %w: %w", failed, auth.ErrUnavailable)
	}
	return nil, fmt.Errorf("%w: %w", err, auth.ErrBadCredential)
}

// fresh returns keys that are not old, or, while the issuer cannot be reached, that were not too long ago.
func (s *keySource) fresh(ctx context.Context) (*keySet, error) {
	s.mu.Lock()
	set := s.set
	s.mu.Unlock()
	if set != nil && time.Since(set.fetched) < keysAge {
		return set, nil
	}
	set, err := s.refresh(ctx, set)
	if set == nil || time.Since(set.fetched) > keysLife {
		return nil, fmt.Errorf("the issuer's keys cannot be fetched: %w: %w", err, auth.ErrUnavailable)
	}
	return set, nil
}

// refresh fetches the keys again, unless others than the caller's are there already, or it is too early. It returns the keys that are there
// then, and why they are not newer. The first caller performs the request, and the others wait for it.
func (s *keySource) refresh(ctx context.Context, have *keySet) (*keySet, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.set == have && s.flight != nil {
		flight := s.flight
		s.mu.Unlock()
		select {
		case <-flight:
		case <-ctx.Done():
		}
		s.mu.Lock()
		if ctx.Err() != nil {
			return s.set, ctx.Err()
		}
	}
	if s.set != have || time.Now().Before(s.next) {
		return s.set, s.err
	}
	s.flight = make(chan struct{})
	s.mu.Unlock()
	set, err := s.fetch(ctx)
	s.mu.Lock()
	s.note(set, err)
	close(s.flight)
	s.flight = nil
	return s.set, s.err
}

// fetch does not end with the request that causes it, because others wait for it too.
func (s *keySource) fetch(ctx context.Context) (set *keySet, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*requestTimeout)
	defer cancel()
	defer func() {
		if recover() != nil { // a client of the embedder
			set, err = nil, errors.New("the request for keys panicked")
		}
	}()
	return s.fetcher.fetch(ctx)
}

// note keeps the result of a request. The caller holds the lock.
func (s *keySource) note(set *keySet, err error) {
	s.err = err
	if err == nil {
		s.set, s.delay, s.next = set, 0, time.Now().Add(fetchPause)
		return
	}
	s.delay = min(max(2*s.delay, firstRetry), lastRetry)
	s.next = time.Now().Add(s.delay)
}

// checkedKeys are the keys for one token. The verifier of go-oidc turns errors of keys into text, so they are kept here.
type checkedKeys struct {
	source *keySource
	err    error
}

// VerifySignature returns the payload of a token.
func (k *checkedKeys) VerifySignature(ctx context.Context, token string) ([]byte, error) {
	var payload []byte
	payload, k.err = k.source.verify(ctx, token)
	return payload, k.err
}
