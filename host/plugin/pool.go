package plugin

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/agenthost/agenthost/host"
)

// pool keeps the instances of a plugin that are free, the last used first. How many may be in use at once the host
// counts, in leases; take is called only by who holds a lease, so that it never waits.
type pool struct {
	plugin *Plugin
	leases *host.Pool
	ids    atomic.Uint64

	mu   sync.Mutex
	free []*instance
}

func newPool(p *Plugin) *pool {
	return &pool{plugin: p, leases: host.NewPool(p.limits.Instances)}
}

func (l *pool) nextID() uint64 { return l.ids.Add(1) }

// take returns a free instance, or a new one.
func (l *pool) take(ctx context.Context) (*instance, error) {
	l.mu.Lock()
	if last := len(l.free) - 1; last >= 0 {
		i := l.free[last]
		l.free = l.free[:last]
		l.mu.Unlock()
		return i, nil
	}
	l.mu.Unlock()
	return l.plugin.newInstance(ctx)
}

// put gives an instance back that is fit for another call.
func (l *pool) put(i *instance) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.free = append(l.free, i)
}

// giveBack returns an instance after a call that ended with err: after a fault it is thrown away.
func (l *pool) giveBack(i *instance, err error) {
	if err == nil {
		l.put(i)
		return
	}
	_ = i.close() // the fault is what is reported
}
