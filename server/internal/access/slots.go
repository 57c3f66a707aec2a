package access

import (
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/agenthost/agenthost/server/internal/detail"
)

// Slots limits how many of something happen at once, such as streams: for each owner, and for all together. Its methods may be called by
// several goroutines at once.
type Slots struct {
	what     string
	perOwner int
	total    int

	mu   sync.Mutex
	used map[string]int // only owners that use one
	all  int
}

// NewSlots returns slots for things of this name, in the plural; 0 is no limit.
func NewSlots(what string, perOwner, total int) *Slots {
	return &Slots{what: what, perOwner: perOwner, total: total, used: map[string]int{}}
}

// Acquire takes a slot of an owner. The caller must call release, once; more calls do nothing. The error is a [*detail.Error] with the status 429, or 503 if
// all owners together use too many.
func (s *Slots) Acquire(owner string) (release func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.perOwner > 0 && s.used[owner] >= s.perOwner {
		return nil, &detail.Error{
			Status: http.StatusTooManyRequests, RetryAfter: time.Second,
			Text: fmt.Sprintf("you have %d %s at once, which is the limit of this server; wait until one has ended", s.used[owner], s.what),
		}
	}
	if s.total > 0 && s.all >= s.total {
		return nil, &detail.Error{Status: http.StatusServiceUnavailable, RetryAfter: time.Second, Text: "this server has too many " + s.what + " at the moment"}
	}
	s.used[owner]++
	s.all++
	return sync.OnceFunc(func() { s.release(owner) }), nil
}

func (s *Slots) release(owner string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all--
	s.used[owner]--
	if s.used[owner] == 0 {
		delete(s.used, owner)
	}
}

// InUse returns how many slots an owner uses, and how many all owners use.
func (s *Slots) InUse(owner string) (own, all int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used[owner], s.all
}
