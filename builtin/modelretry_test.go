package builtin_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model"
)

// busy is an error of a provider that asks to wait.
func busy(after time.Duration) error {
	return &model.Error{Provider: "acme", Kind: model.ErrorRateLimit, Status: 429, Retryable: true, RetryAfter: after, Err: errors.New("slow down")}
}

var errKey = &model.Error{Provider: "acme", Kind: model.ErrorAuthentication, Status: 401, Err: errors.New("no such key")}

func TestModelRetryWaits(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		retry builtin.ModelRetry
		err   error
		want  []time.Duration
	}{
		{"one second and then two", builtin.ModelRetry{}, errBoom, []time.Duration{time.Second, 2 * time.Second}},
		{
			"growing by a factor",
			builtin.ModelRetry{Retry: builtin.Retry{MaxRetries: new(4), InitialDelay: new(builtin.Seconds(0.5)), BackoffFactor: new(3.0)}},
			errBoom,
			[]time.Duration{500 * time.Millisecond, 1500 * time.Millisecond, 4500 * time.Millisecond, 13500 * time.Millisecond},
		},
		{
			"a factor of 0 is no growth",
			builtin.ModelRetry{Retry: builtin.Retry{MaxRetries: new(3), BackoffFactor: new(0.0)}},
			errBoom,
			[]time.Duration{time.Second, time.Second, time.Second},
		},
		{
			"shrinking, to nothing",
			builtin.ModelRetry{Retry: builtin.Retry{MaxRetries: new(4), BackoffFactor: new(1e-6)}},
			errBoom,
			[]time.Duration{time.Second, time.Microsecond, 0, 0},
		},
		{
			"not longer than the longest",
			builtin.ModelRetry{Retry: builtin.Retry{MaxRetries: new(4), MaxDelay: new(builtin.Seconds(3))}},
			errBoom,
			[]time.Duration{time.Second, 2 * time.Second, 3 * time.Second, 3 * time.Second},
		},
		{
			"the first one too",
			builtin.ModelRetry{Retry: builtin.Retry{MaxRetries: new(1), InitialDelay: new(builtin.Seconds(9)), MaxDelay: new(builtin.Seconds(3))}},
			errBoom,
			[]time.Duration{3 * time.Second},
		},
		{"a minute is the longest", builtin.ModelRetry{Retry: builtin.Retry{MaxRetries: new(1), InitialDelay: new(builtin.Seconds(1e300))}}, errBoom, []time.Duration{time.Minute}},
		{"not at all", builtin.ModelRetry{Retry: builtin.Retry{MaxRetries: new(2), InitialDelay: new(builtin.Seconds(0)), BackoffFactor: new(1e308)}}, errBoom, []time.Duration{0, 0}},
		{"as long as the provider asks", builtin.ModelRetry{}, busy(7 * time.Second), []time.Duration{7 * time.Second, 7 * time.Second}},
		{"longer than the provider asks", builtin.ModelRetry{}, busy(1500 * time.Millisecond), []time.Duration{1500 * time.Millisecond, 2 * time.Second}},
		{
			"the provider asks for too much",
			builtin.ModelRetry{Retry: builtin.Retry{MaxRetries: new(1), MaxDelay: new(builtin.Seconds(10))}},
			busy(time.Hour),
			[]time.Duration{10 * time.Second},
		},
		{
			"the provider asks in an error of middleware",
			builtin.ModelRetry{Retry: builtin.Retry{MaxRetries: new(1)}},
			fmt.Errorf("wrapped: %w", busy(5*time.Second)),
			[]time.Duration{5 * time.Second},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				test.retry.Jitter = new(false)
				var waits []time.Duration
				last := time.Now()
				m := &asked{fn: func(context.Context, int) (string, error) {
					waits, last = append(waits, time.Since(last)), time.Now()
					return "", test.err
				}}
				_, err := try(t.Context(), t, host.Config{Model: m, Middleware: []host.Middleware{test.retry}})
				require.NoError(t, err)
				require.Equal(t, test.want, waits[1:])
			})
		})
	}
}

// However a retry is configured, its delays are those of the formula, a quarter shorter or longer at the most.
func TestModelRetryDelaysAreInTheirBounds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		rapid.Check(struct{ rapid.TB }{t}, func(r *rapid.T) { // in a bubble a test has no deadline that rapid could ask for
			retries := rapid.IntRange(0, 6).Draw(r, "retries")
			initial, factor := rapid.Float64Range(0, 100).Draw(r, "initial"), rapid.Float64Range(0, 5).Draw(r, "factor")
			limit, failures := rapid.Float64Range(0, 200).Draw(r, "limit"), rapid.IntRange(0, 8).Draw(r, "failures")
			retry := builtin.ModelRetry{Retry: builtin.Retry{
				MaxRetries: &retries, BackoffFactor: &factor, InitialDelay: new(builtin.Seconds(initial)), MaxDelay: new(builtin.Seconds(limit)),
			}}
			var waits []time.Duration
			last := time.Now()
			m := &asked{fn: func(_ context.Context, n int) (string, error) {
				waits, last = append(waits, time.Since(last)), time.Now()
				if n <= failures {
					return "", errBoom
				}
				return "fine", nil
			}}
			out, err := try(t.Context(), t, host.Config{Model: m, Middleware: []host.Middleware{retry}})
			require.NoError(r, err)
			require.Len(r, waits, min(failures, retries)+1)
			require.Len(r, out.warned, len(waits)-1)
			require.Equal(r, failures <= retries, out.result.Text() == "fine")
			want := initial
			for _, wait := range waits[1:] {
				full := min(want, limit)
				require.InDelta(r, full, wait.Seconds(), full/4+1e-6)
				if factor > 0 {
					want *= factor
				}
			}
		})
	})
}

func TestModelRetryJitterFollowsFromTheSeed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		duration := func(seed uint64) time.Duration {
			start := time.Now()
			_, err := try(t.Context(), t, host.Config{
				Model: always("m", errBoom), Middleware: []host.Middleware{builtin.ModelRetry{}}, Seed: seeds(seed),
			})
			require.NoError(t, err)
			return time.Since(start)
		}
		first, again, other := duration(1), duration(1), duration(2)
		require.Equal(t, first, again)
		require.NotEqual(t, first, other)
		require.NotEqual(t, 3*time.Second, first)
	})
}

func TestModelRetryEndsWithTheRun(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]func(context.Context) (context.Context, context.CancelFunc){
		"cancelled": func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(100*time.Millisecond, cancel)
			return ctx, cancel
		},
		"cancelled for a reason": func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancelCause(ctx)
			time.AfterFunc(100*time.Millisecond, func() { cancel(errValue) })
			return ctx, func() { cancel(nil) }
		},
		"out of time": func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 100*time.Millisecond)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := begin(t.Context())
				defer cancel()
				m, start := always("m", errBoom), time.Now()
				out, err := try(ctx, t, host.Config{
					Model: m, Middleware: []host.Middleware{builtin.ModelRetry{Retry: builtin.Retry{Jitter: new(false)}}},
				})
				require.Error(t, err)
				require.ErrorIs(t, err, ctx.Err())
				require.Equal(t, host.Cancelled, out.result.Status)
				require.Equal(t, 100*time.Millisecond, time.Since(start))
				require.Equal(t, 1, m.calls())
			})
		})
	}
}

func TestModelRetryOn(t *testing.T) {
	t.Parallel()
	overloaded := &model.Error{Provider: "acme", Kind: model.ErrorOverloaded, Retryable: true, Err: errBoom}
	for _, test := range []struct {
		name  string
		on    []string
		err   error
		retry bool
	}{
		{"an error of no provider", nil, errBoom, true},
		{"an error that cannot pass", nil, errKey, false},
		{"an error that cannot pass and is wrapped", nil, fmt.Errorf("wrapped: %w", errKey), false},
		{"an error that may pass", nil, overloaded, true},
		{"an error that cannot pass and is listed", []string{"authentication"}, errKey, true},
		{"a type", []string{"KeyError", "ValueError"}, errValue, true},
		{"another type", []string{"KeyError"}, errValue, false},
		{"a type that is wrapped", []string{"ValueError"}, fmt.Errorf("wrapped: %w", errValue), true},
		{"any error of a model", []string{"model_error"}, errBoom, true},
		{"a kind", []string{"rate_limit"}, busy(0), true},
		{"a kind that is wrapped", []string{"overloaded"}, fmt.Errorf("wrapped: %w", overloaded), true},
		{"another kind", []string{"overloaded", "server"}, busy(0), false},
		{"the provider says that it helps", []string{"retryable"}, overloaded, true},
		{"the provider says that it does not help", []string{"retryable"}, errKey, false},
		{"nobody says that it helps", []string{"retryable"}, errBoom, false},
		{"a plugin says that it helps", []string{"retryable"}, &abi.Error{Type: "x", Message: "y", Retryable: true}, true},
		{"a type, or what helps", []string{"retryable", "model_error"}, errKey, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m := failing("m", test.err)
			out, err := try(t.Context(), t, host.Config{
				Model: m, Middleware: []host.Middleware{builtin.ModelRetry{Retry: builtin.Retry{RetryOn: test.on, InitialDelay: new(builtin.Seconds(0))}}},
			})
			if test.retry {
				require.NoError(t, err)
				require.Equal(t, "m answers", out.result.Text())
				return
			}
			require.ErrorIs(t, err, test.err, "it is not swallowed")
			require.Equal(t, 1, m.calls())
			require.Empty(t, out.warned)
		})
	}
}

func TestModelRetryOnFunc(t *testing.T) {
	t.Parallel()
	m := failing("m", errBoom, errValue)
	_, err := try(t.Context(), t, host.Config{Model: m, Middleware: []host.Middleware{builtin.ModelRetry{Retry: builtin.Retry{
		InitialDelay: new(builtin.Seconds(0)), RetryOnFunc: func(err error) bool { return errors.Is(err, errBoom) },
	}}}})
	require.ErrorIs(t, err, errValue)
	require.Equal(t, 2, m.calls())
}

func TestModelRetryTexts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name      string
		retries   int
		onFailure builtin.OnFailure
		err       error
		want      string // "": the run fails
	}{
		{"one attempt", 0, builtin.OnFailure{}, errValue, "Model call failed after 1 attempt with ValueError: bad value"},
		{"three attempts", 2, builtin.OnFailure{Behavior: "continue"}, errValue, "Model call failed after 3 attempts with ValueError: bad value"},
		{"an error without a type", 1, builtin.OnFailure{}, errBoom, "Model call failed after 2 attempts with model_error: boom"},
		{
			"an error of a provider", 0,
			builtin.OnFailure{},
			busy(0),
			"Model call failed after 1 attempt with model_error: acme: rate limit (HTTP 429): slow down",
		},
		{"a text of ours", 1, builtin.OnFailure{Format: `{"{type}": "{message}"} {attempts}`}, errValue, `{"ValueError": "bad value"} 2 attempts`},
		{"a message with braces", 0, builtin.OnFailure{Format: "{message}"}, errors.New("{type}"), "{type}"},
		{"a function", 0, builtin.OnFailure{Func: func(err error) string { return "Sorry: " + err.Error() }}, errBoom, `Sorry: model "m": boom`},
		{"an error", 1, builtin.OnFailure{Behavior: "error"}, errBoom, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m := always("m", test.err)
			out, err := try(t.Context(), t, host.Config{Model: m, Middleware: []host.Middleware{builtin.ModelRetry{Retry: builtin.Retry{
				MaxRetries: &test.retries, OnFailure: test.onFailure, InitialDelay: new(builtin.Seconds(0)),
			}}}})
			require.Equal(t, test.retries+1, m.calls())
			if test.want == "" {
				require.EqualError(t, err, `model "m": boom`, "the last error, as it is")
				require.Equal(t, host.Failed, out.result.Status)
				return
			}
			require.NoError(t, err)
			require.Equal(t, []string{"human go", "ai " + test.want}, lines(out.result.Messages))
			require.Equal(t, host.Failed, out.result.Status, "the model failed")
			require.Equal(t, model.StopError, out.result.StopReason)
			require.Empty(t, out.result.Next, "the run is over")
		})
	}
}

// LangChain repeats neither what a wrong key causes nor what a wrong request causes.
func TestModelRetryPassesOnWhatCannotPass(t *testing.T) {
	t.Parallel()
	for kind, repeated := range map[model.ErrorKind]bool{
		model.ErrorRateLimit: true, model.ErrorOverloaded: true, model.ErrorServer: true, model.ErrorTimeout: true, model.ErrorConnection: true,
		model.ErrorAuthentication: false, model.ErrorPermission: false, model.ErrorNotFound: false, model.ErrorInvalidRequest: false,
		model.ErrorContextLength: false, model.ErrorContentFilter: false, model.ErrorQuota: false, model.ErrorCertificate: false,
	} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			failure := &model.Error{Provider: "acme", Kind: kind, Retryable: kind.Passing(), Err: errBoom}
			m := always("m", failure)
			out, err := try(t.Context(), t, host.Config{Model: m, Middleware: []host.Middleware{builtin.ModelRetry{Retry: builtin.Retry{
				OnFailure: builtin.OnFailure{Behavior: "continue"}, InitialDelay: new(builtin.Seconds(0)),
			}}}})
			if repeated {
				require.NoError(t, err)
				require.Equal(t, 3, m.calls())
				return
			}
			require.ErrorIs(t, err, failure, "on_failure is for errors that were repeated")
			require.Equal(t, 1, m.calls())
			require.Equal(t, host.Failed, out.result.Status)
		})
	}
}

// The next run of a thread does not inherit the failure, even if it ends without an answer.
func TestModelRetryFailsOneRun(t *testing.T) {
	t.Parallel()
	runs := 0
	agent, err := host.New(host.Config{
		Model: always("m", errBoom), Checkpointer: memory.New(),
		Middleware: []host.Middleware{
			builtin.ModelRetry{Retry: builtin.Retry{MaxRetries: new(0)}},
			&hooked{"once", host.Hooks{BeforeAgent: host.NodeHook{
				CanJumpTo: []abi.Target{abi.JumpEnd},
				Func: func(context.Context, *host.Runtime) (*host.Update, error) {
					runs++
					if runs > 1 {
						return &host.Update{JumpTo: abi.JumpEnd}, nil
					}
					return nil, nil
				},
			}}},
		},
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, agent.Close()) })
	for _, want := range []host.Status{host.Failed, host.Completed} {
		result, err := agent.Run(t.Context(), host.Input{Thread: "t", Messages: []abi.Message{abi.Human("go")}})
		require.NoError(t, err)
		require.Equal(t, want, result.Status)
	}
}

func TestModelRetryShowsItsAttempts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		out, err := try(t.Context(), t, host.Config{
			Model: failing("m", busy(1234567*time.Microsecond), errBoom), Middleware: []host.Middleware{builtin.ModelRetry{Retry: builtin.Retry{Jitter: new(false)}}},
		})
		require.NoError(t, err)
		require.Equal(t, []string{
			`model_retry: attempt 2 of 3 in 1.235s: model "m": acme: rate limit (HTTP 429): slow down; it asks to wait 1.234567s`,
			`model_retry: attempt 3 of 3 in 2s: model "m": boom`,
		}, out.warned)
		require.Equal(t, []string{"1: half of ", "2: half of ", "3: m answers"}, out.tokens, "the index makes what came before void")
		require.Equal(t, []string{"m!", "m!", "m"}, out.models)
	})
}

func TestModelRetryLeavesOthersErrorsAlone(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]error{
		"a limit":              &host.LimitError{Message: "too much"},
		"a jump":               &host.JumpError{Step: "x"},
		"an update":            &host.UpdateError{Step: "x", Err: errBoom},
		"a thread":             &host.ThreadError{Thread: "x", Err: errBoom},
		"what cannot be asked": &host.ConfigError{Subject: host.ConfigSubject{Kind: host.SubjectRequest}, Err: errBoom},
		"a cancellation":       fmt.Errorf("stopped: %w", context.Canceled),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := 0
			fails := host.WrapModelCall("fails", func(
				context.Context, *host.Runtime, *model.Request, host.ModelHandler,
			) (*model.Response, *host.Update, error) {
				n++
				return nil, nil, want
			})
			out, err := try(t.Context(), t, host.Config{Model: failing("m"), Middleware: []host.Middleware{builtin.ModelRetry{}, fails}})
			require.ErrorIs(t, err, want)
			require.Equal(t, 1, n)
			require.Empty(t, out.warned)
		})
	}
}

func TestModelRetryDoesAgainWhatMiddlewareInsideDoes(t *testing.T) {
	t.Parallel()
	n := 0
	fails := host.WrapModelCall("fails", func(
		ctx context.Context, _ *host.Runtime, req *model.Request, next host.ModelHandler,
	) (*model.Response, *host.Update, error) {
		n++
		if n == 1 {
			return nil, &host.Update{State: wire.Map{{Key: "lost", Value: wire.Int(1)}}}, errBoom
		}
		resp, err := next(ctx, req)
		return resp, nil, err
	})
	out, err := try(t.Context(), t, host.Config{
		Model: failing("m", errBoom), State: []host.Field{host.NewField[int]("lost").Field},
		Middleware: []host.Middleware{builtin.ModelRetry{Retry: builtin.Retry{InitialDelay: new(builtin.Seconds(0))}}, fails},
	})
	require.NoError(t, err)
	require.Equal(t, 3, n)
	require.Empty(t, out.result.State, "an attempt that failed changes nothing")
	require.Equal(t, []string{`model_retry: attempt 2 of 3 in 0s: middleware "fails": wrap_model_call: boom`, `model_retry: attempt 3 of 3 in 0s: model "m": boom`}, out.warned)
}

// A question that is asked in the second attempt stops the run. When it is answered the step begins anew.
func TestModelRetryAndAQuestion(t *testing.T) {
	t.Parallel()
	asks := host.WrapModelCall("asks", func(
		ctx context.Context, rt *host.Runtime, req *model.Request, next host.ModelHandler,
	) (*model.Response, *host.Update, error) {
		resp, err := next(ctx, req)
		if err != nil {
			return nil, nil, err
		}
		answer, err := rt.Interrupt("good?", wire.String(resp.AI().Content.Text()))
		if err != nil {
			return nil, nil, err
		}
		said, _ := answer.AsString()
		return model.Reply(abi.AI(said)), nil, nil
	})
	m := failing("m", errBoom)
	agent, err := host.New(host.Config{
		Model: m, Middleware: []host.Middleware{builtin.ModelRetry{Retry: builtin.Retry{InitialDelay: new(builtin.Seconds(0))}}, asks}, Checkpointer: memory.New(),
	})
	require.NoError(t, err)
	defer func() { require.NoError(t, agent.Close()) }()
	out, err := tryAgent(t.Context(), agent, host.Input{Thread: "t", Messages: []abi.Message{abi.Human("go")}})
	require.NoError(t, err)
	require.Equal(t, host.Interrupted, out.result.Status)
	require.Len(t, out.warned, 1)
	require.Equal(t, 2, m.calls())

	out, err = tryAgent(t.Context(), agent, host.Input{Thread: "t", Resume: []host.Answer{{Value: "very good"}}})
	require.NoError(t, err)
	require.Equal(t, []string{"human go", "ai very good"}, lines(out.result.Messages))
	require.Equal(t, 3, m.calls())
}

// A limit counts a step of the model once, however often it was tried. Where the fallback stands outside, the main model is
// tried to the end first; inside, each attempt begins with it.
func TestModelRetryAmongOthers(t *testing.T) {
	t.Parallel()
	retry := builtin.ModelRetry{Retry: builtin.Retry{MaxRetries: new(1), InitialDelay: new(builtin.Seconds(0)), OnFailure: builtin.OnFailure{Behavior: "error"}}}
	fallback := builtin.ModelFallback{Models: []string{"small"}}
	limit := builtin.ModelCallLimit{RunLimit: new(1)}
	for _, test := range []struct {
		name       string
		middleware []host.Middleware
		want       []string
	}{
		{"retry inside", []host.Middleware{limit, fallback, retry}, []string{"main!", "main!", "small!", "small"}},
		{"retry outside", []host.Middleware{limit, retry, fallback}, []string{"main!", "small!", "main!", "small"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			out, err := try(t.Context(), t, host.Config{
				Model: always("main", errBoom), Models: map[string]model.Model{"small": failing("small", errBoom)}, Middleware: test.middleware,
			})
			require.NoError(t, err)
			require.Equal(t, []string{"human go", "ai small answers"}, lines(out.result.Messages))
			require.Equal(t, test.want, out.models)
		})
	}
}

// An answer in the place of an error hides it from a fallback further outside.
func TestModelRetryStandsOutsideOfAFallback(t *testing.T) {
	t.Parallel()
	hooks, err := builtin.ModelRetry{}.Hooks(t.Context(), host.Env{})
	require.NoError(t, err)
	require.Len(t, hooks.Order, 1)
	require.Equal(t, "model_fallback", hooks.Order[0].Outside)
	hooks, err = builtin.ModelRetry{Retry: builtin.Retry{OnFailure: builtin.OnFailure{Behavior: "error"}}}.Hooks(t.Context(), host.Env{})
	require.NoError(t, err)
	require.Empty(t, hooks.Order, "an error it can see")
}
