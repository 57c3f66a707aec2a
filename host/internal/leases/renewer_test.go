package leases_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/internal/leases"
)

const length = 3 * time.Second

var errLost = errors.New("lost")

// rows is a store of leases that answers as a test wants.
type rows struct {
	mu     sync.Mutex
	sizes  []int                                        // of the lists that it was asked to extend
	lost   map[string]bool                              // taken by others
	locked map[string]bool                              // left out
	hang   func(ctx context.Context, keys []leases.Key) // may take its time
	err    error
}

func (r *rows) renew(ctx context.Context, keys []leases.Key) (renewed, lost []string, err error) {
	r.mu.Lock()
	r.sizes = append(r.sizes, len(keys))
	hang := r.hang
	r.mu.Unlock()
	if hang != nil {
		hang(ctx, keys)
	}
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, key := range keys {
		switch {
		case r.lost[key.Token]:
			lost = append(lost, key.Token)
		case !r.locked[key.Token]:
			renewed = append(renewed, key.Token)
		}
	}
	return renewed, lost, r.err
}

func (r *rows) set(change func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change()
}

// asked returns the sizes of the lists since the last call.
func (r *rows) asked() (sizes []int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	sizes, r.sizes = r.sizes, nil
	return sizes
}

func (r *rows) renewer(t *testing.T) *leases.Renewer {
	t.Helper()
	renewer := leases.New(length, errLost, r.renew)
	t.Cleanup(renewer.Close)
	return renewer
}

func add(r *leases.Renewer, n int) *leases.Lease {
	return r.Add(leases.Key{Row: int64(n), Token: fmt.Sprint("token", n)}, time.Now())
}

func requireHeld(t *testing.T, held ...*leases.Lease) {
	t.Helper()
	synctest.Wait()
	for _, l := range held {
		require.NoError(t, l.Held().Err(), l.Token)
	}
}

func requireLost(t *testing.T, lost ...*leases.Lease) {
	t.Helper()
	synctest.Wait()
	for _, l := range lost {
		require.Error(t, l.Held().Err(), l.Token)
		require.ErrorIs(t, context.Cause(l.Held()), errLost)
	}
}

// TestLeasesAreRenewedTogether adds leases over time: however many they are, there are three statements for each length.
func TestLeasesAreRenewedTogether(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &rows{}
		renewer := store.renewer(t)
		held := make([]*leases.Lease, 900)
		for i := range held {
			held[i] = add(renewer, i)
			time.Sleep(time.Millisecond)
		}
		time.Sleep(length)
		store.asked()
		time.Sleep(10 * length)
		requireHeld(t, held...)
		sizes := store.asked()
		require.Len(t, sizes, 30)
		for _, size := range sizes {
			require.Equal(t, 900, size)
		}
		for _, l := range held[1:] {
			l.Release()
		}
		time.Sleep(length)
		require.Equal(t, []int{1, 1, 1}, store.asked())
		held[0].Release()
		time.Sleep(10 * length)
		require.Empty(t, store.asked())
		requireHeld(t, held...)
	})
}

func TestALongListIsDivided(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &rows{}
		renewer := store.renewer(t)
		for i := range 2*leases.MaxBatch + 7 {
			add(renewer, i)
		}
		time.Sleep(length/3 + length/6)
		synctest.Wait()
		require.Equal(t, []int{leases.MaxBatch, leases.MaxBatch, 7}, store.asked())
	})
}

// TestALeaseThatIsTaken also checks that the others notice nothing.
func TestALeaseThatIsTaken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &rows{lost: map[string]bool{"token1": true}}
		renewer := store.renewer(t)
		a, b, c := add(renewer, 0), add(renewer, 1), add(renewer, 2)
		requireHeld(t, a, b, c)
		time.Sleep(length / 3)
		requireLost(t, b)
		time.Sleep(10 * length)
		requireHeld(t, a, c)
		b.Release() // does no harm
	})
}

// TestALockedRowIsTriedAgainAtOnce lets others lock a row for half a second, and then for good.
func TestALockedRowIsTriedAgainAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &rows{locked: map[string]bool{"token1": true}}
		renewer := store.renewer(t)
		a, b := add(renewer, 0), add(renewer, 1)
		time.Sleep(length/3 + length/6)
		synctest.Wait()
		sizes := store.asked()
		require.Equal(t, 2, sizes[0])
		require.Greater(t, len(sizes), 5)
		for _, size := range sizes[1:] {
			require.Equal(t, 1, size, "the other lease is left alone")
		}
		store.set(func() { store.locked = nil })
		time.Sleep(length / 24)
		synctest.Wait()
		store.asked()
		time.Sleep(length)
		requireHeld(t, a, b)
		require.Subset(t, []int{2}, store.asked(), "both are together again")

		store.set(func() { store.locked = map[string]bool{"token1": true} })
		time.Sleep(length)
		requireLost(t, b)
		requireHeld(t, a)
	})
}

// TestAStoreThatFails fails for a while, and then for longer than a lease lasts. A lease is lost before its end.
func TestAStoreThatFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &rows{err: errors.New("no connection")}
		renewer := store.renewer(t)
		a, b := add(renewer, 0), add(renewer, 1)
		time.Sleep(length * 3 / 4)
		requireHeld(t, a, b)
		store.set(func() { store.err = nil })
		time.Sleep(10 * length)
		requireHeld(t, a, b)
		store.set(func() { store.err = errors.New("no connection") })
		time.Sleep(length - time.Millisecond)
		requireLost(t, a, b)
		store.asked()
		time.Sleep(length)
		require.Empty(t, store.asked(), "there is no lease to renew")
	})
}

// TestAStatementThatHangs checks that holders are told in time, whether the driver heeds its context or not.
func TestAStatementThatHangs(t *testing.T) {
	t.Parallel()
	for name, heeds := range map[string]bool{"until its context ends": true, "for good": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				goOn := make(chan struct{})
				store := &rows{hang: func(ctx context.Context, _ []leases.Key) {
					if heeds {
						<-ctx.Done()
					} else {
						<-goOn
					}
				}}
				renewer := store.renewer(t)
				began := time.Now()
				a, b := add(renewer, 0), add(renewer, 1)
				<-a.Held().Done()
				requireLost(t, a, b)
				require.Less(t, time.Since(began), length)
				require.Greater(t, time.Since(began), length*2/3)

				began = time.Now()
				later := add(renewer, 2) // while the statement still hangs
				<-later.Held().Done()
				require.Less(t, time.Since(began), length)
				store.set(func() { store.hang = nil })
				close(goOn)
				last := add(renewer, 3)
				time.Sleep(10 * length)
				requireHeld(t, last)
			})
		})
	}
}

// TestAProcessThatWasStopped keeps what nobody has taken: it asks first.
func TestAProcessThatWasStopped(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &rows{lost: map[string]bool{"token1": true}}
		renewer := store.renewer(t)
		given := time.Now().Add(-time.Hour)
		mine := renewer.Add(leases.Key{Row: 1, Token: "token0"}, given)
		taken := renewer.Add(leases.Key{Row: 2, Token: "token1"}, given)
		requireLost(t, taken)
		time.Sleep(length)
		requireHeld(t, mine)
	})
}

// TestALeaseThatTookLongToGet is renewed before those that were there before it.
func TestALeaseThatTookLongToGet(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &rows{}
		renewer := store.renewer(t)
		a := add(renewer, 0)
		synctest.Wait()
		b := renewer.Add(leases.Key{Row: 1, Token: "token1"}, time.Now().Add(-length/2))
		synctest.Wait()
		require.Equal(t, []int{2}, store.asked())
		requireHeld(t, a, b)
	})
}

// TestARenewerThatIsClosed loses what was not released. In a bubble, a goroutine that stays fails the test.
func TestARenewerThatIsClosed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &rows{hang: func(ctx context.Context, _ []leases.Key) { <-ctx.Done() }}
		renewer := leases.New(length, errLost, store.renew)
		open, closed := add(renewer, 0), add(renewer, 1)
		closed.Release()
		time.Sleep(length/3 + time.Millisecond) // a statement is under way
		renewer.Close()
		requireLost(t, open, add(renewer, 2))
		requireHeld(t, closed)
		renewer.Close()
	})
}

// TestLeasesComeAndGo adds and releases leases from many goroutines.
func TestLeasesComeAndGo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &rows{}
		renewer := store.renewer(t)
		var holders sync.WaitGroup
		for i := range 50 {
			holders.Go(func() {
				for n := range 20 {
					l := add(renewer, i*100+n)
					time.Sleep(time.Duration((i*7+n*13)%40) * 100 * time.Millisecond)
					if l.Held().Err() != nil {
						t.Error("a lease was lost")
					}
					l.Release()
				}
			})
		}
		holders.Wait()
		synctest.Wait()
		store.asked()
		time.Sleep(length)
		require.Empty(t, store.asked())
	})
}
