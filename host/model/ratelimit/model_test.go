package ratelimit_test

import (
	"context"
	"errors"
	"iter"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/ratelimit"
)

// answering is a model of an account that answers at once.
type answering struct {
	name  string // also tells the accounts of tests apart
	key   string
	usage uint64 // tokens of each answer; 0: none are reported
}

func (a *answering) Info() model.Info { return model.Info{Name: a.name, Provider: "test"} }

func (a *answering) Account() (model.Account, error) {
	return model.Account{Host: "example.com", ID: a.key}, nil
}

func (a *answering) Generate(context.Context, *model.Request) (*model.Response, error) {
	message := abi.AI("hello")
	if a.usage > 0 {
		message.Usage = &abi.Usage{TotalTokens: a.usage}
	}
	return model.Reply(message), nil
}

func (a *answering) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		resp, err := a.Generate(ctx, req)
		_ = yield(model.Chunk{Text: "hello"}, nil) && yield(model.Chunk{Response: resp}, err)
	}
}

var tests atomic.Int64

// accountFor names a new account, since limits outlast a test.
func accountFor(t *testing.T) string {
	t.Helper()
	return t.Name() + strconv.FormatInt(tests.Add(1), 10)
}

// saying is a request of so many tokens.
func saying(tokens int) *model.Request {
	text := make([]byte, 4*tokens)
	for i := range text {
		text[i] = 'a'
	}
	return &model.Request{Messages: history.Of(abi.Human(string(text)))}
}

// took returns how long a call took.
func took(t *testing.T, m model.Model, req *model.Request) time.Duration {
	t.Helper()
	start := time.Now()
	_, err := m.Generate(t.Context(), req)
	require.NoError(t, err)
	return time.Since(start)
}

func TestRequestsAMinute(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := ratelimit.New(&answering{name: accountFor(t)}, ratelimit.Limit{RequestsPerMinute: 6, MaxBucketSize: 2})
		require.Zero(t, took(t, m, saying(1)))
		require.Zero(t, took(t, m, saying(1)), "two may begin at once")
		require.Equal(t, 10*time.Second, took(t, m, saying(1)))
		start := time.Now()
		var text string
		for chunk, err := range m.Stream(t.Context(), saying(1)) {
			require.NoError(t, err)
			text += chunk.Text
		}
		require.Equal(t, 10*time.Second, time.Since(start), "streams count, too")
		require.Equal(t, "hello", text)
		time.Sleep(time.Minute)
		require.Zero(t, took(t, m, saying(1)))
	})
}

// The estimate of a request's tokens counts until the provider reports what it used.
func TestTokensAMinute(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		inner := &answering{name: accountFor(t)}
		m := ratelimit.New(inner, ratelimit.Limit{TokensPerMinute: 600})
		require.Zero(t, took(t, m, saying(500)))
		require.Equal(t, 10*time.Second, took(t, m, saying(200)), "100 are missing")

		time.Sleep(time.Minute)
		inner.usage = 100
		require.Zero(t, took(t, m, saying(500)))
		require.Zero(t, took(t, m, saying(500)), "only 100 of the first 500 were used")

		time.Sleep(time.Minute)
		inner.usage = 900
		require.Zero(t, took(t, m, saying(1)))
		require.Equal(t, 31*time.Second, took(t, m, saying(10)), "300 are missing, and 10 for this call")

		time.Sleep(5 * time.Minute)
		inner.usage = 1 << 62
		require.Zero(t, took(t, m, saying(1)))
		inner.usage = 0
		require.Equal(t, 4*time.Minute, took(t, m, saying(600)), "a wrong report stops nobody for long")
		time.Sleep(5 * time.Minute)
		require.Zero(t, took(t, m, saying(100_000)), "more than a minute's tokens take a full bucket")
	})
}

// Models with the same account and name share a limit, also those that have none of their own, until the one with the limit is closed.
func TestModelsOfAnAccountShareALimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		limit, name := ratelimit.Limit{RequestsPerMinute: 6}, accountFor(t)
		one := ratelimit.New(&answering{name: name, key: "a"}, limit)
		same := ratelimit.New(&answering{name: name, key: "a"}, ratelimit.Limit{})
		end := one.Open()
		require.Zero(t, took(t, one, saying(1)))
		require.Equal(t, 10*time.Second, took(t, same, saying(1)))
		require.Equal(t, 10*time.Second, took(t, one, saying(1)))
		require.Zero(t, took(t, ratelimit.New(&answering{name: name, key: "b"}, limit), saying(1)), "another key")
		require.Zero(t, took(t, ratelimit.New(&answering{name: name + "-2", key: "a"}, limit), saying(1)), "another model")

		faster := ratelimit.New(&answering{name: name, key: "a"}, ratelimit.Limit{RequestsPerMinute: 60})
		endFaster := faster.Open()
		require.Equal(t, time.Second, took(t, same, saying(1)), "the last limit counts")
		endFaster()
		require.Equal(t, 10*time.Second, took(t, same, saying(1)))
		end()
		require.Zero(t, took(t, same, saying(1)))
		require.Zero(t, took(t, same, saying(1)))
	})
}

func TestCallsBeginInTheirOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := ratelimit.New(&answering{name: accountFor(t)}, ratelimit.Limit{RequestsPerMinute: 60})
		require.Zero(t, took(t, m, saying(1)))
		var mu sync.Mutex
		var order []int
		var all sync.WaitGroup
		ctx, cancel := context.WithCancelCause(t.Context())
		stop := errors.New("enough")
		for i := range 10 {
			within := t.Context()
			if i == 0 || i == 4 { // the first in the line, and one behind it
				within = ctx
			}
			all.Go(func() {
				_, err := m.Generate(within, saying(1))
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					require.ErrorIs(t, err, stop)
					return
				}
				order = append(order, i)
			})
			synctest.Wait()
		}
		start := time.Now()
		cancel(stop)
		all.Wait()
		require.Equal(t, []int{1, 2, 3, 5, 6, 7, 8, 9}, order)
		require.Equal(t, 8*time.Second, time.Since(start), "cancelled calls take nothing")
	})
}

func TestAWaitIsBoundedAndShown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := ratelimit.New(&answering{name: "m-1", key: accountFor(t)}, ratelimit.Limit{RequestsPerMinute: 2, TokensPerMinute: 100, MaxWait: 40 * time.Second})
		var notices []string
		ctx := model.WithNotice(t.Context(), func(text string) { notices = append(notices, text) })
		require.Zero(t, took(t, m, saying(1)))
		require.Equal(t, 30*time.Second, took(t, m, saying(1)))
		_, err := m.Generate(ctx, saying(1))
		require.NoError(t, err)
		require.Equal(t, []string{"the model m-1 waits because of its rate_limit of 2 requests and 100 tokens a minute"}, notices)

		var all sync.WaitGroup
		all.Go(func() { _, _ = m.Generate(t.Context(), saying(1)) })
		synctest.Wait()
		start := time.Now()
		_, err = m.Generate(ctx, saying(1))
		refused, ok := errors.AsType[*model.Error](err)
		require.True(t, ok, err)
		require.Equal(t, model.ErrorRateLimit, refused.Kind)
		require.True(t, refused.Retryable)
		require.ErrorContains(t, err, "no room within the longest wait, 40s; raise the limit or max_wait")
		require.Equal(t, 30*time.Second, time.Since(start), "it is known as soon as the call is the first in the line")
		all.Wait()
	})
}

// A full bucket that cannot be filled in time fails at once.
func TestAHopelessWaitFailsAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := ratelimit.New(&answering{name: accountFor(t)}, ratelimit.Limit{RequestsPerMinute: 1, MaxWait: 30 * time.Second})
		require.Zero(t, took(t, m, saying(1)))
		for range 3 {
			start := time.Now()
			for _, err := range m.Stream(t.Context(), saying(1)) {
				require.ErrorContains(t, err, "rate_limit")
			}
			require.Zero(t, time.Since(start))
		}
		time.Sleep(40 * time.Second)
		require.Equal(t, 20*time.Second, took(t, m, saying(1)), "calls that fail take nothing")
	})
}

// judging is a model that also decides and moderates. Each decision uses the tokens of its answers.
type judging struct{ answering }

func (j *judging) Decide(context.Context, *model.DecisionRequest) (*model.Decisions, error) {
	return &model.Decisions{Usage: abi.Usage{TotalTokens: j.usage}}, nil
}

func (*judging) Moderate(context.Context, string, string) (*model.Moderation, error) {
	return &model.Moderation{}, nil
}

// Decisions and moderations obey the limit of the model that makes them, however it is wrapped.
func TestDecisionsAndModerationsAreLimited(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		inner := &judging{answering{name: accountFor(t)}}
		m := &model.CutOffModel{Model: ratelimit.New(inner, ratelimit.Limit{RequestsPerMinute: 6})}
		decider, ok := model.DeciderOf(m)
		require.True(t, ok)
		moderator, ok := model.ModeratorOf(m)
		require.True(t, ok)
		start := time.Now()
		for n := range 3 {
			_, err := decider.Decide(t.Context(), &model.DecisionRequest{})
			require.NoError(t, err)
			require.Equal(t, time.Duration(2*n)*10*time.Second, time.Since(start))
			_, err = moderator.Moderate(t.Context(), "judge", "hello")
			require.NoError(t, err)
		}
		require.Equal(t, 50*time.Second, time.Since(start))
		require.Equal(t, 10*time.Second, took(t, m, saying(1)), "chats and decisions share the limit")
	})
}

func TestDecisionsUseTokens(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		inner := &judging{answering{name: accountFor(t), usage: 600}}
		decider, _ := model.DeciderOf(ratelimit.New(inner, ratelimit.Limit{TokensPerMinute: 600}))
		req := &model.DecisionRequest{State: wire.String(string(make([]byte, 400)))}
		start := time.Now()
		_, err := decider.Decide(t.Context(), req)
		require.NoError(t, err)
		require.Zero(t, time.Since(start))
		_, err = decider.Decide(t.Context(), req)
		require.NoError(t, err)
		require.InDelta(t, 10, time.Since(start).Seconds(), 1, "the first one has used all")
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err = decider.Decide(ctx, req)
		require.ErrorIs(t, err, context.Canceled)
	})
}

// Without a limit around it, a decision model is itself.
func TestDecidersWithoutLimits(t *testing.T) {
	t.Parallel()
	inner := &judging{}
	decider, ok := model.DeciderOf(&model.CutOffModel{Model: inner})
	require.True(t, ok)
	require.Same(t, inner, decider)
	_, ok = model.DeciderOf(ratelimit.New(&answering{}, ratelimit.Limit{}))
	require.False(t, ok)
	_, ok = model.ModeratorOf(ratelimit.New(&answering{}, ratelimit.Limit{}))
	require.False(t, ok)
}
