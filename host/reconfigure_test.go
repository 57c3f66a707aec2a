package host_test

import (
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
)

func TestReconfigure(t *testing.T) {
	t.Parallel()
	var first, second, kept, over atomic.Int64
	a, err := host.New(host.Config{Model: &scripted.Echo{}, Middleware: []host.Middleware{stamp{name: "a", version: "a1", closed: &first}}})
	require.NoError(t, err)
	release := func() { over.Add(1) }

	err = a.Reconfigure(t.Context(), host.Config{}, release)
	require.ErrorContains(t, err, "Config.Model is missing")
	broken := []host.Middleware{stamp{name: "a", closed: &kept}, stamp{name: "b", fails: errors.New("no luck")}}
	err = a.Reconfigure(t.Context(), host.Config{Model: &scripted.Echo{}, Middleware: broken}, release)
	require.ErrorContains(t, err, `middleware "b": no luck`)
	require.EqualValues(t, 1, kept.Load(), "what was made is closed")
	said, _ := versions(t, a)
	require.Equal(t, []string{"a1"}, said, "everything is as it was")
	require.Zero(t, first.Load()+over.Load())

	other := []host.Middleware{stamp{name: "b", version: "b1", closed: &second}, stamp{name: "a", version: "a2", closed: &second}}
	require.NoError(t, a.Reconfigure(t.Context(), host.Config{Model: &scripted.Echo{}, Middleware: other}, release))
	require.EqualValues(t, 1, first.Load())
	require.EqualValues(t, 1, over.Load())
	said, _ = versions(t, a)
	require.Equal(t, []string{"b1", "a2"}, said)

	require.NoError(t, a.Remake(t.Context()))
	require.EqualValues(t, 2, second.Load(), "both are made again")
	require.EqualValues(t, 1, over.Load(), "the configuration is the same")
	said, _ = versions(t, a)
	require.Equal(t, []string{"b1", "a2"}, said)
	require.NoError(t, a.Reconfigure(t.Context(), host.Config{Model: &scripted.Echo{}}, nil))
	require.NoError(t, a.Close())
	require.EqualValues(t, 4, second.Load())
	require.EqualValues(t, 1, over.Load())
	require.ErrorIs(t, a.Reconfigure(t.Context(), host.Config{Model: &scripted.Echo{}}, nil), host.ErrClosed)
	require.ErrorIs(t, a.Remake(t.Context()), host.ErrClosed)
}

// TestReconfigureDuringARun replaces the configuration while runs of two builds of it wait: what it holds is released after both.
func TestReconfigureDuringARun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var closed, over atomic.Int64
		m := &gate{open: make(chan struct{})}
		a, err := host.New(host.Config{Model: m, Middleware: []host.Middleware{stamp{name: "a", version: "a1", closed: &closed}}})
		require.NoError(t, err)
		done := make(chan error, 2)
		run := func() {
			_, err := a.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("hi")}})
			done <- err
		}
		go run()
		synctest.Wait()
		require.NoError(t, a.Swap(t.Context(), "a", stamp{name: "a", version: "a2", closed: &closed}))
		go run()
		synctest.Wait()
		require.NoError(t, a.Reconfigure(t.Context(), host.Config{Model: &scripted.Echo{}}, func() { over.Add(1) }))
		require.Zero(t, closed.Load()+over.Load(), "two runs go on")
		result, err := a.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("new")}})
		require.NoError(t, err)
		require.Equal(t, host.Completed, result.Status)
		m.open <- struct{}{}
		require.NoError(t, <-done)
		synctest.Wait()
		require.EqualValues(t, 1, closed.Load())
		require.Zero(t, over.Load(), "the other run has the configuration too")
		m.open <- struct{}{}
		require.NoError(t, <-done)
		synctest.Wait()
		require.EqualValues(t, 2, closed.Load())
		require.EqualValues(t, 1, over.Load())
		require.NoError(t, a.Close())
		require.EqualValues(t, 1, over.Load())
	})
}
