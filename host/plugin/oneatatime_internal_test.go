package plugin

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

func TestOneAtATime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var one oneAtATime[string]
		leave, err := one.enter(t.Context(), "a")
		require.NoError(t, err)
		other, err := one.enter(t.Context(), "b")
		require.NoError(t, err, "another key has nothing to do with it")
		other()
		entered := make(chan func(), 2)
		for range 2 {
			go func() {
				leave, err := one.enter(t.Context(), "a")
				if err == nil {
					entered <- leave
				}
			}()
		}
		over := errors.New("over")
		ctx, cancel := context.WithCancelCause(t.Context())
		failed := make(chan error, 1)
		go func() {
			_, err := one.enter(ctx, "a")
			failed <- err
		}()
		synctest.Wait()
		require.Empty(t, entered)
		cancel(over)
		require.ErrorIs(t, <-failed, over)
		leave()
		second := <-entered
		synctest.Wait()
		require.Empty(t, entered, "one at a time")
		second()
		(<-entered)()
		require.Empty(t, one.busy)
	})
}
