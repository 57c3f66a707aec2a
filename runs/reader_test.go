package runs_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/runs/memory"
)

var performer = &runs.Worker{ID: "w", Agents: []string{"helper"}, Lease: time.Minute}

// running is a store with a run that the performer has claimed.
func running(t *testing.T) (*memory.Store, *runs.Run) {
	t.Helper()
	store := memory.New(memory.Options{})
	run := &runs.Run{Owner: "ann", ID: "r", Thread: "t", Agent: "helper", Assistant: "a"}
	require.NoError(t, store.Submit(t.Context(), run, true, 0, nil))
	claimed, err := store.Claim(t.Context(), performer, 1)
	require.NoError(t, err)
	require.Len(t, claimed, 1)
	return store, run
}

func happened(n int) runs.Event {
	return runs.Event{Run: "r", Seq: runs.FirstSeq(1) + uint64(n), Time: time.Unix(1, 0), Type: "custom", Data: runs.Document(`{}`)}
}

// follow collects the positions in the attempt of the events that a reader gets, until it ends.
func follow(ctx context.Context, r *runs.Reader, after uint64, each func(n int)) (got []int, err error) {
	for e, err := range r.Follow(ctx, "ann", "r", after) {
		if err != nil {
			return got, err
		}
		n := int(e.Seq - runs.FirstSeq(1))
		got = append(got, n)
		if each != nil {
			each(n)
		}
	}
	return got, nil
}

// deaf is a store without hints.
type deaf struct{ runs.Store }

func (deaf) Listen(ctx context.Context, _ func(runs.Hint)) error {
	<-ctx.Done()
	return ctx.Err()
}

func TestAReaderFollowsARunToItsEnd(t *testing.T) {
	t.Parallel()
	for name, wrap := range map[string]func(runs.Store) runs.Store{
		"by hints":      func(s runs.Store) runs.Store { return s },
		"without hints": func(s runs.Store) runs.Store { return deaf{s} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				store, run := running(t)
				reader := runs.NewReader(wrap(store), nil, nil)
				defer reader.Close()
				require.NoError(t, store.Append(t.Context(), performer, []runs.Event{happened(1), happened(2)}))
				waited := make(chan *runs.Run, 1)
				go func() {
					over, err := reader.Wait(t.Context(), "ann", run.ID)
					if err != nil {
						t.Error(err)
					}
					waited <- over
				}()
				start := time.Now()
				got, err := follow(t.Context(), reader, 0, func(n int) {
					switch n {
					case 2:
						require.NoError(t, store.Append(t.Context(), performer, []runs.Event{happened(3)}))
					case 3:
						go func() {
							time.Sleep(5 * time.Second) // of the bubble: the reader waits meanwhile
							err := store.Finish(context.Background(), performer, &runs.Outcome{Run: "r", Status: runs.Success, Events: []runs.Event{happened(4)}})
							if err != nil {
								t.Error(err)
							}
						}()
					}
				})
				require.NoError(t, err)
				require.Equal(t, []int{1, 2, 3, 4}, got)
				require.Equal(t, runs.Success, (<-waited).Status)
				if name == "by hints" {
					require.Equal(t, 5*time.Second, time.Since(start), "it hears of the end at once")
				}

				got, err = follow(t.Context(), reader, happened(2).Seq, nil)
				require.NoError(t, err)
				require.Equal(t, []int{3, 4}, got, "again, after a position")
			})
		})
	}
}

func TestWhatEndsAReader(t *testing.T) {
	t.Parallel()
	t.Run("its context", func(t *testing.T) {
		t.Parallel()
		store, _ := running(t)
		reader := runs.NewReader(store, nil, nil)
		defer reader.Close()
		ctx, cancel := context.WithCancelCause(t.Context())
		gone := errors.New("the client has gone")
		require.NoError(t, store.Append(t.Context(), performer, []runs.Event{happened(1)}))
		got, err := follow(ctx, reader, 0, func(int) { cancel(gone) })
		require.ErrorIs(t, err, gone)
		require.Equal(t, []int{1}, got)
	})
	t.Run("a rollback", func(t *testing.T) {
		t.Parallel()
		store, _ := running(t)
		reader := runs.NewReader(store, nil, nil)
		defer reader.Close()
		require.NoError(t, store.Append(t.Context(), performer, []runs.Event{happened(1)}))
		got, err := follow(t.Context(), reader, 0, func(int) {
			require.NoError(t, store.Finish(t.Context(), performer, &runs.Outcome{Run: "r", Remove: true}))
		})
		require.NoError(t, err)
		require.Equal(t, []int{1}, got)
		_, err = reader.Wait(t.Context(), "ann", "r")
		require.ErrorIs(t, err, runs.ErrNoRun)
	})
	t.Run("a stranger", func(t *testing.T) {
		t.Parallel()
		store, _ := running(t)
		reader := runs.NewReader(store, nil, nil)
		defer reader.Close()
		for _, err := range reader.Follow(t.Context(), "bob", "r", 0) {
			require.ErrorIs(t, err, runs.ErrNoRun)
		}
		_, err := reader.Wait(t.Context(), "bob", "r")
		require.ErrorIs(t, err, runs.ErrNoRun)
	})
}

// shared is a store that other processes may use.
type shared struct{ runs.Store }

func (shared) Shared() bool { return true }

func TestAReaderWatchesThreads(t *testing.T) {
	t.Parallel()
	for name, wrap := range map[string]func(runs.Store) runs.Store{
		"by hints": func(s runs.Store) runs.Store { return s },
		"by looks": func(s runs.Store) runs.Store { return deaf{shared{s}} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				store, _ := running(t)
				reader := runs.NewReader(wrap(store), nil, nil)
				defer reader.Close()
				news, end := reader.WatchThread("t")
				defer end()
				time.Sleep(3 * time.Second) // it looks for the first time
				select {
				case <-news:
				default:
				}
				run := &runs.Run{Owner: "ann", ID: "r2", Thread: "t", Agent: "helper", Assistant: "a"}
				require.NoError(t, store.Submit(t.Context(), run, false, 0, nil))
				begun := time.Now()
				<-news
				require.LessOrEqual(t, time.Since(begun), time.Second)
				if name == "by looks" {
					return
				}
				elsewhere := &runs.Run{Owner: "ann", ID: "r3", Thread: "other", Agent: "helper", Assistant: "a"}
				require.NoError(t, store.Submit(t.Context(), elsewhere, true, 0, nil))
				synctest.Wait()
				require.Empty(t, news, "another thread is not ours")
			})
		})
	}
}

// counting counts the looks at a run.
type counting struct {
	runs.Store
	looks atomic.Int32
}

func (c *counting) Run(ctx context.Context, owner, id string) (*runs.Run, error) {
	c.looks.Add(1)
	return c.Store.Run(ctx, owner, id)
}

func TestWhoWaitsForTheEndDoesNotLookAtEachEvent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store, run := running(t)
		counted := &counting{Store: store}
		reader := runs.NewReader(counted, nil, nil)
		defer reader.Close()
		ended := make(chan error)
		go func() {
			_, err := reader.Wait(t.Context(), "ann", run.ID)
			ended <- err
		}()
		synctest.Wait()
		looks := counted.looks.Load()
		for n := range 50 {
			require.NoError(t, store.Append(t.Context(), performer, []runs.Event{happened(n + 1)}))
			synctest.Wait()
		}
		require.Equal(t, looks, counted.looks.Load())
		require.NoError(t, store.Finish(t.Context(), performer, &runs.Outcome{Run: run.ID, Status: runs.Success}))
		require.NoError(t, <-ended)
		require.Equal(t, looks+1, counted.looks.Load())
	})
}
