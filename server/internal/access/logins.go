package access

import (
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/agenthost/agenthost/server/auth"
	"github.com/agenthost/agenthost/server/internal/detail"
)

// errGuessed is why a request with a valid credential was refused, for its line in the log.
var errGuessed = errors.New("the credential is valid, but its address has sent too many wrong ones")

// Logins returns an authenticator that lets an address send only so many wrong credentials in a minute, and as many at once after a pause.
// After that its requests are refused with 429 and Retry-After, those with a valid credential too: otherwise trying would go on to pay. Three kinds
// of requests pass: those with a credential that was accepted from this address before, those with one that nobody can guess, and those without any,
// which the authenticator refuses.
func Logins(authenticator auth.Authenticator, perMinute int) (auth.Authenticator, error) {
	config := RateConfig{PerSecond: float64(perMinute) / 60, Burst: perMinute, Key: ByAddress}
	if err := config.check(); err != nil {
		return nil, err
	}
	return &logins{inner: authenticator, failed: newBuckets(config), accepted: newRecent(config.Buckets)}, nil
}

type logins struct {
	inner    auth.Authenticator
	failed   *buckets // a token for each credential of an address that may still be wrong
	accepted *recent  // addresses with the credentials that were accepted from them
}

func (l *logins) Authenticate(r *http.Request) (auth.Principal, error) {
	p, err := l.inner.Authenticate(r)
	from, now := ByAddress(r), time.Now()
	var wait time.Duration
	switch {
	case errors.Is(err, auth.ErrBadCredential):
		wait = l.failed.take(from, now)
	case err == nil && p.Guessable() && !l.accepted.has(from+" "+p.ID()):
		if wait = l.failed.wait(from, now); wait == 0 {
			l.accepted.add(from + " " + p.ID())
			break
		}
		err = errGuessed
	}
	if wait == 0 {
		return p, err
	}
	Note(r.Context(), err)
	return auth.Principal{}, &detail.Error{
		Status: http.StatusTooManyRequests, RetryAfter: wait, Text: "too many wrong credentials from this address; try again later",
	}
}

// recent is a set that forgets what was added long ago: it keeps between half of its size and its size.
type recent struct {
	most int

	mu          sync.Mutex
	young, aged map[string]struct{}
}

func newRecent(most int) *recent { return &recent{most: most, young: map[string]struct{}{}} }

// has reports whether something is in the set, and keeps it there.
func (s *recent) has(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.young[key]; ok {
		return true
	}
	_, ok := s.aged[key]
	if ok {
		s.put(key)
	}
	return ok
}

func (s *recent) add(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.put(key)
}

func (s *recent) put(key string) {
	if len(s.young) >= s.most/2 {
		s.young, s.aged = map[string]struct{}{}, s.young
	}
	s.young[key] = struct{}{}
}
