package host

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"golang.org/x/sync/semaphore"
)

// Pool is a limited supply of something that the hooks and tools of one middleware need to run, such as the instances of a
// plugin. Before a chain of wrap hooks and its tool starts, the host acquires everything that the chain needs. So no chain
// has to wait for another one after it has started: a short supply lowers parallelism, but never causes a deadlock.
type Pool struct {
	size   int
	supply *semaphore.Weighted
}

// NewPool makes a pool of the given size.
func NewPool(size int) *Pool { return &Pool{size: size, supply: semaphore.NewWeighted(int64(size))} }

// Size returns the size of the pool, whether its members are free or in use.
func (p *Pool) Size() int { return p.size }

// need is how many units of a pool a chain takes.
type need struct {
	pool  *Pool
	count int
}

// needs is what a chain takes of all pools, in the order of the middleware. All chains acquire in this order, so they cannot wait
// for each other in a circle.
type needs []need

// add returns the needs with one more unit of a pool.
func (n needs) add(p *Pool) needs {
	if p == nil {
		return n
	}
	for i := range n {
		if n[i].pool == p {
			out := slices.Clone(n)
			out[i].count++
			return out
		}
	}
	return append(slices.Clone(n), need{p, 1})
}

// poolOwner is the middleware that a pool belongs to.
type poolOwner struct {
	order int // place in the list of middleware
	name  string
}

// ordered sorts the needs by the order of the middleware, and checks that each pool is large enough.
func (n needs) ordered(owners map[*Pool]poolOwner) (needs, error) {
	for _, x := range n {
		if x.count > x.pool.size {
			return nil, fmt.Errorf("a chain of wrap hooks needs %d instances of %q at once, and its limit is %d; raise limits.instances",
				x.count, owners[x.pool].name, x.pool.size)
		}
	}
	slices.SortFunc(n, func(a, b need) int { return cmp.Compare(owners[a.pool].order, owners[b.pool].order) })
	return n, nil
}

// acquire takes everything, or nothing if ctx ends first.
func (n needs) acquire(ctx context.Context) error {
	for i := range n {
		if err := n[i].pool.supply.Acquire(ctx, int64(n[i].count)); err != nil {
			n[:i].release()
			return context.Cause(ctx)
		}
	}
	return nil
}

// try takes everything, or nothing if it would have to wait.
func (n needs) try() bool {
	for i := range n {
		if !n[i].pool.supply.TryAcquire(int64(n[i].count)) {
			n[:i].release()
			return false
		}
	}
	return true
}

func (n needs) release() {
	for i := range n {
		n[i].pool.supply.Release(int64(n[i].count))
	}
}
