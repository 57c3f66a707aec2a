package access

import (
	"container/list"
	"fmt"
	"math"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/agenthost/agenthost/server/auth"
	"github.com/agenthost/agenthost/server/internal/detail"
)

// RateConfig says how many requests a client may send.
type RateConfig struct {
	PerSecond float64                      // how fast a bucket fills; it must be positive
	Burst     int                          // how many requests at once a full bucket allows; at least 1
	Key       func(r *http.Request) string // whose bucket a request uses: [ByPrincipal], or [ByAddress] before authentication
	Buckets   int                          // how many buckets are kept; 0: 10,000
}

const defaultBuckets = 10_000

// Rates limits how many requests a client may send. Its methods may be called by several goroutines at once.
type Rates struct{ table *buckets }

// NewRates returns a limit with a bucket for each client.
func NewRates(config RateConfig) (*Rates, error) {
	if err := config.check(); err != nil {
		return nil, err
	}
	return &Rates{newBuckets(config)}, nil
}

// Wrap refuses requests for which the client's token bucket has no token, with 429 and Retry-After.
func (l *Rates) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := l.Take(r); err != nil {
			detail.Write(w, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// Take takes a token of the client that sent a request. The error is a [*detail.Error] with the status 429.
func (l *Rates) Take(r *http.Request) error {
	if wait := l.table.take(l.table.config.Key(r), time.Now()); wait > 0 {
		return &detail.Error{Status: http.StatusTooManyRequests, Text: "too many requests; try again later", RetryAfter: wait}
	}
	return nil
}

// check checks the numbers, and sets the one that has a default.
func (c *RateConfig) check() error {
	if !(c.PerSecond > 0) || math.IsInf(c.PerSecond, 1) || c.Burst < 1 || c.Key == nil || c.Buckets < 0 {
		return fmt.Errorf("requests a second (%v) and burst (%d) must be positive", c.PerSecond, c.Burst)
	}
	if c.Buckets == 0 {
		c.Buckets = defaultBuckets
	}
	return nil
}

// ByPrincipal is a bucket for each credential, and for each address where all are anonymous.
func ByPrincipal(r *http.Request) string {
	if p, ok := auth.FromContext(r.Context()); ok && p.Owner != "" {
		return p.ID()
	}
	return ByAddress(r)
}

// ByAddress is a bucket for each IPv4 address, and for each IPv6 network of 64 bits, which is what one client has. Requests of a Unix socket
// share one.
func ByAddress(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return "address:"
	}
	addr, err := netip.ParseAddr(host)
	if err != nil {
		return "address:"
	}
	if addr = addr.Unmap().WithZone(""); addr.Is6() {
		return "address:" + netip.PrefixFrom(addr, 64).Masked().String()
	}
	return "address:" + addr.String()
}

// buckets is a table of token buckets, of which the one that was not used for longest is the last.
type buckets struct {
	config RateConfig

	mu     sync.Mutex
	byKey  map[string]*list.Element // of *bucket
	recent *list.List
	shared *rate.Limiter // of newcomers for whom there is no room
}

type bucket struct {
	key     string
	limiter *rate.Limiter
}

func newBuckets(config RateConfig) *buckets {
	b := &buckets{config: config, byKey: map[string]*list.Element{}, recent: list.New()}
	b.shared = b.limiter()
	return b
}

func (b *buckets) limiter() *rate.Limiter {
	return rate.NewLimiter(rate.Limit(b.config.PerSecond), b.config.Burst)
}

// take takes a token, or returns how long it takes until there is one.
func (b *buckets) take(key string, now time.Time) time.Duration {
	limiter := b.of(key, now)
	reservation := limiter.ReserveN(now, 1)
	wait := reservation.DelayFrom(now)
	if wait > 0 {
		reservation.CancelAt(now)
	}
	return wait
}

// wait returns how long it takes until a key has a token, and takes none. It makes no bucket for a key that has none: it would be full.
func (b *buckets) wait(key string, now time.Time) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	limiter := b.shared
	if element, ok := b.byKey[key]; ok {
		limiter = element.Value.(*bucket).limiter //nolint:forcetypeassert // nothing else is in the list
	} else if !b.full(now) {
		return 0
	}
	missing := 1 - limiter.TokensAt(now)
	return max(0, time.Duration(missing/b.config.PerSecond*float64(time.Second)))
}

// full reports whether there is no room for another bucket: the one that was not used for longest is still needed.
func (b *buckets) full(now time.Time) bool {
	if b.recent.Len() < b.config.Buckets {
		return false
	}
	last := b.recent.Back().Value.(*bucket) //nolint:forcetypeassert // nothing else is in the list
	return last.limiter.TokensAt(now) < float64(b.config.Burst)
}

// of returns the bucket of a key. If the table is full, the bucket that was not used for longest makes room, but only if it is full, and so is like a
// new one: nobody gets a full bucket by filling the table. Otherwise all newcomers share one bucket.
func (b *buckets) of(key string, now time.Time) *rate.Limiter {
	b.mu.Lock()
	defer b.mu.Unlock()
	if element, ok := b.byKey[key]; ok {
		b.recent.MoveToFront(element)
		return element.Value.(*bucket).limiter //nolint:forcetypeassert // nothing else is in the list
	}
	if b.full(now) {
		return b.shared
	}
	if b.recent.Len() >= b.config.Buckets {
		old := b.recent.Remove(b.recent.Back()).(*bucket) //nolint:forcetypeassert // nothing else is in the list
		delete(b.byKey, old.key)
	}
	limiter := b.limiter()
	b.byKey[key] = b.recent.PushFront(&bucket{key, limiter})
	return limiter
}
