package host_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// stamp is a middleware that says its version before each model call, and notes when it is closed.
type stamp struct {
	name    string
	version string
	closed  *atomic.Int64
	fails   error
	changed func() bool
}

func (s stamp) Name() string { return s.name }

func (s stamp) Hooks(context.Context, host.Env) (*host.Hooks, error) {
	if s.fails != nil {
		return nil, s.fails
	}
	return &host.Hooks{
		BeforeModel: host.NodeHook{Func: func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
			rt.Emit(s.version, nil)
			return nil, nil
		}},
		Changed: s.changed,
		Close:   func() error { s.closed.Add(1); return nil },
	}, nil
}

// versions runs the agent and returns what the stamps said.
func versions(t *testing.T, a *host.Agent) (said, warned []string) {
	t.Helper()
	for event, err := range a.Stream(t.Context(), host.Input{Messages: []abi.Message{abi.Human("hi")}}) {
		require.NoError(t, err)
		if event.Type == host.EventCustom {
			said = append(said, event.Name)
		}
		if event.Type == host.EventWarn {
			warned = append(warned, event.Text)
		}
	}
	return said, warned
}

func TestSwap(t *testing.T) {
	t.Parallel()
	var first, second, other atomic.Int64
	a, err := host.New(host.Config{Model: &scripted.Echo{}, Middleware: []host.Middleware{
		stamp{name: "a", version: "a1", closed: &first}, stamp{name: "b", version: "b1", closed: &other},
	}})
	require.NoError(t, err)
	said, _ := versions(t, a)
	require.Equal(t, []string{"a1", "b1"}, said)

	require.NoError(t, a.Swap(t.Context(), "a", stamp{name: "renamed", version: "a2", closed: &second}))
	require.EqualValues(t, 1, first.Load(), "nobody uses the old one any more")
	said, _ = versions(t, a)
	require.Equal(t, []string{"a2", "b1"}, said)
	require.Contains(t, a.Program().Mermaid(), "a.before_model")
	require.NotContains(t, a.Program().Mermaid(), "renamed")

	err = a.Swap(t.Context(), "a", stamp{name: "a", fails: errors.New("no luck")})
	require.ErrorContains(t, err, `middleware "a": no luck`)
	err = a.Swap(t.Context(), "c", stamp{})
	require.ErrorContains(t, err, `the agent has no middleware of this name; it has ["a" "b"]`)
	nothing := func(context.Context, *host.Runtime) (*host.Update, error) { return nil, nil }
	jumps := host.BeforeModel("a", nothing, host.CanJumpTo(abi.JumpTools))
	require.ErrorContains(t, a.Swap(t.Context(), "a", jumps), "the agent has no tools", "it does not fit into the agent")
	said, _ = versions(t, a)
	require.Equal(t, []string{"a2", "b1"}, said, "everything is as it was")

	require.NoError(t, a.Close())
	require.NoError(t, a.Close())
	require.EqualValues(t, 1, first.Load())
	require.EqualValues(t, 1, second.Load())
	require.EqualValues(t, 1, other.Load())
	require.ErrorIs(t, a.Swap(t.Context(), "a", stamp{}), host.ErrClosed)
	result, err := a.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("hi")}})
	require.ErrorIs(t, err, host.ErrClosed)
	require.Equal(t, host.Failed, result.Status)
}

// gate is a model that waits until it may answer.
type gate struct {
	scripted.Echo

	open chan struct{}
}

func (g *gate) Generate(ctx context.Context, req *model.Request) (*model.Response, error) {
	<-g.open
	return g.Echo.Generate(ctx, req)
}

// TestSwapDuringARun swaps a middleware while a run waits: that run ends with the old one, which lives until then, and
// Close waits for it.
func TestSwapDuringARun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var first, second atomic.Int64
		m := &gate{open: make(chan struct{})}
		a, err := host.New(host.Config{Model: m, Middleware: []host.Middleware{stamp{name: "a", version: "a1", closed: &first}}})
		require.NoError(t, err)
		done := make(chan error, 2)
		go func() {
			_, err := a.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("hi")}})
			done <- err
		}()
		synctest.Wait()
		require.NoError(t, a.Swap(t.Context(), "a", stamp{name: "a", version: "a2", closed: &second}))
		require.Zero(t, first.Load(), "the run that goes on has it")
		go func() { done <- a.Close() }()
		synctest.Wait()
		require.Zero(t, second.Load(), "Close waits")
		close(m.open)
		require.NoError(t, <-done)
		require.NoError(t, <-done)
		require.EqualValues(t, 1, first.Load())
		require.EqualValues(t, 1, second.Load())
	})
}

// TestChangedMiddlewareIsMadeAgain lets a middleware say that it has changed: once well, once badly.
func TestChangedMiddlewareIsMadeAgain(t *testing.T) {
	t.Parallel()
	var closed atomic.Int64
	changes := make(chan bool, 10)
	made := 0
	config := host.Config{Model: &scripted.Echo{}}
	m := &renewed{make: func() (*host.Hooks, error) {
		made++
		if made == 3 {
			return nil, errors.New("it is broken now")
		}
		s := stamp{name: "a", version: string(rune('0' + made)), closed: &closed, changed: func() bool {
			select {
			case changed := <-changes:
				return changed
			default:
				return false
			}
		}}
		return s.Hooks(t.Context(), host.Env{})
	}}
	config.Middleware = []host.Middleware{m}
	a, err := host.New(config)
	require.NoError(t, err)
	said, _ := versions(t, a)
	require.Equal(t, []string{"1"}, said)
	changes <- true
	said, warned := versions(t, a)
	require.Equal(t, []string{"2"}, said)
	require.Empty(t, warned)
	require.EqualValues(t, 1, closed.Load())
	changes <- true
	said, warned = versions(t, a)
	require.Equal(t, []string{"2"}, said)
	require.Len(t, warned, 1)
	require.Contains(t, warned[0], `middleware "a" changed, and the run goes on without the change`)
	require.Contains(t, warned[0], "it is broken now")
	require.NoError(t, a.Close())
	require.EqualValues(t, 2, closed.Load())
}

type renewed struct{ make func() (*host.Hooks, error) }

func (*renewed) Name() string { return "a" }

func (r *renewed) Hooks(context.Context, host.Env) (*host.Hooks, error) { return r.make() }
