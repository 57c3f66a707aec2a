package ratelimit

import (
	"slices"
	"sync"

	"github.com/agenthost/agenthost/host/model"
)

// account names a model of an account. Models with equal ones share a limiter.
type account struct{ provider, host, id, model string }

func accountOf(m model.Model) account {
	info := m.Info()
	a := account{provider: info.Provider, model: info.Name}
	if accountant, ok := model.As[model.Accountant](m); ok {
		if used, err := accountant.Account(); err == nil {
			a.host, a.id = used.Host, used.ID
		}
	}
	return a
}

// accounts holds the limiters of this process. A provider limits accounts, whatever agents there are, so agents must share them.
var accounts = registry{limiters: map[account]*shared{}}

type registry struct {
	mu       sync.Mutex
	limiters map[account]*shared
}

// shared is the limiter of a model of an account.
type shared struct {
	*limiter

	open []*Model // those that have set the limit; the last one counts
}

// manyAccounts is the number of limiters above which idle ones are forgotten.
const manyAccounts = 1000

// limiter returns the limiter of a model, and the limit that counts; nil if there is no limit.
func (r *registry) limiter(m *Model) (*limiter, Limit) {
	r.mu.Lock()
	defer r.mu.Unlock()
	of := accountOf(m.Model)
	s, limit := r.limiters[of], m.limit
	if s != nil && len(s.open) > 0 {
		limit = s.open[len(s.open)-1].limit
	}
	if limit.isZero() {
		return nil, limit
	}
	s = r.made(of, limit)
	s.set(limit)
	s.touch()
	return s.limiter, limit
}

// made returns the limiter of an account, and makes it if it is missing.
func (r *registry) made(of account, limit Limit) *shared {
	s := r.limiters[of]
	if s != nil {
		return s
	}
	if len(r.limiters) >= manyAccounts {
		for other, s := range r.limiters {
			if len(s.open) == 0 && s.idle() {
				delete(r.limiters, other)
			}
		}
	}
	s = &shared{limiter: newLimiter(limit)}
	r.limiters[of] = s
	return s
}

// add makes the limit of a model that of its account, and returns what ends that.
func (r *registry) add(m *Model) (remove func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.made(accountOf(m.Model), m.limit)
	s.open = append(s.open, m)
	s.touch()
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		s.open = slices.DeleteFunc(s.open, func(other *Model) bool { return other == m })
	}
}
