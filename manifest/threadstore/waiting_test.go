package threadstore_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/manifest/threadstore"
)

func TestABusyThreadIsWaitedFor(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ limit, closed, cancelled, took time.Duration }{
		"it becomes free":      {limit: time.Minute, closed: 10 * time.Second, took: 11 * time.Second},
		"it does not":          {limit: time.Minute, took: time.Minute},
		"nobody waits":         {limit: 0},
		"the context ends":     {limit: time.Minute, cancelled: 3 * time.Second, took: 3 * time.Second},
		"it is free after all": {limit: time.Minute, closed: -1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				store := memory.New()
				held, err := store.Open(t.Context(), "ada")
				require.NoError(t, err)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if test.closed < 0 {
					require.NoError(t, held.Close())
				}
				if test.closed > 0 {
					time.AfterFunc(test.closed, func() { _ = held.Close() })
				}
				if test.cancelled > 0 {
					time.AfterFunc(test.cancelled, cancel)
				}
				var waits []string
				began := time.Now()
				session, err := threadstore.Waiting(store, test.limit, func(thread string, busy error) {
					require.ErrorIs(t, busy, checkpoint.ErrBusy)
					waits = append(waits, thread)
				}).Open(ctx, "ada")
				require.LessOrEqual(t, time.Since(began), test.took)
				require.GreaterOrEqual(t, time.Since(began), test.took-time.Second)
				switch {
				case test.closed != 0:
					require.NoError(t, err)
					require.NoError(t, session.Close())
				case test.cancelled > 0:
					require.ErrorIs(t, err, context.Canceled)
				default:
					require.ErrorIs(t, err, checkpoint.ErrBusy)
				}
				if test.took == 0 {
					require.Empty(t, waits)
				} else {
					require.Equal(t, []string{"ada"}, waits, "once")
				}
			})
		})
	}
}
