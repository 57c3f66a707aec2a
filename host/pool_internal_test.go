package host

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestNeedsAddUp(t *testing.T) {
	t.Parallel()
	a, b := NewPool(2), NewPool(1)
	one := needs(nil).add(a).add(nil).add(b)
	two := one.add(a)
	require.Equal(t, needs{{a, 1}, {b, 1}}, one, "what was there stays as it was")
	require.Equal(t, needs{{a, 2}, {b, 1}}, two)

	sorted, err := two.ordered(map[*Pool]poolOwner{a: {1, "a"}, b: {0, "b"}})
	require.NoError(t, err)
	require.Equal(t, needs{{b, 1}, {a, 2}}, sorted)
	_, err = two.add(a).ordered(map[*Pool]poolOwner{a: {0, "redact"}})
	require.EqualError(t, err, `a chain of wrap hooks needs 3 instances of "redact" at once, and its limit is 2; raise limits.instances`)
	require.Equal(t, 2, a.Size())
}

func TestAcquireTakesAllOrNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a, b := NewPool(1), NewPool(1)
		both := needs{{a, 1}, {b, 1}}
		require.NoError(t, needs{{b, 1}}.acquire(t.Context()))
		because := errors.New("enough")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, because)
		defer cancel()

		require.Same(t, because, both.acquire(ctx))

		require.True(t, a.supply.TryAcquire(1), "what was taken is given back")
		a.supply.Release(1)
		needs{{b, 1}}.release()
		require.NoError(t, both.acquire(t.Context()))
		both.release()
	})
}

// Calls whose chain of wraps and tool needs more of one pool than there is run one after the other, and none waits for
// another in the middle of its chain.
func TestAShortSupplyLowersParallelism(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		pool := NewPool(3)
		chain := needs{{pool, 2}}
		start := time.Now()
		done := make(chan error)
		for range 4 {
			go func() {
				err := chain.acquire(t.Context())
				time.Sleep(time.Second)
				chain.release()
				done <- err
			}()
		}
		for range 4 {
			require.NoError(t, <-done)
		}
		require.Equal(t, 4*time.Second, time.Since(start))
	})
}

// Chains that wait for a pool get it in the order in which they came, also a large need before small ones that would fit at once, so
// that no run of a crowd waits while others overtake it.
func TestChainsAcquireInTheOrderOfTheirArrival(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const waiting = 100
		pool := NewPool(2)
		one := needs{{pool, 1}}
		require.NoError(t, one.acquire(t.Context()))
		require.NoError(t, one.acquire(t.Context()))
		got := make(chan int, waiting)
		for i := range waiting {
			go func() {
				chain := needs{{pool, 1 + i%2}}
				if chain.acquire(t.Context()) == nil {
					got <- i
					chain.release()
				}
			}()
			synctest.Wait() // it waits in the queue before the next one comes
		}
		one.release()
		synctest.Wait()
		require.Len(t, got, 1, "the second needs two units, and the third does not overtake it")
		require.False(t, one.try(), "neither does a call that would not wait")
		one.release()
		synctest.Wait()
		close(got)
		var order []int
		for i := range got {
			order = append(order, i)
		}
		require.Len(t, order, waiting)
		require.IsIncreasing(t, order)
	})
}
