package builtin_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

// atOnce retries without a delay.
func atOnce(retry builtin.ToolRetry) builtin.ToolRetry {
	retry.InitialDelay = new(builtin.Seconds(0))
	return retry
}

// work is a tool, by name, that does what fn says in its n-th execution, from 1.
func work(name string, fn func(ctx context.Context, n int) (string, error)) host.Tool {
	var mu sync.Mutex
	n := 0
	return tool.Func(name, "", func(ctx context.Context, _ struct{}) (string, error) {
		mu.Lock()
		n++
		now := n
		mu.Unlock()
		return fn(ctx, now)
	})
}

// flaky is a tool whose first executions fail with these errors.
func flaky(name string, errs ...error) host.Tool {
	return work(name, func(_ context.Context, n int) (string, error) {
		if n <= len(errs) {
			return "", errs[n-1]
		}
		return fmt.Sprintf("%s worked at %d", name, n), nil
	})
}

// toolAgent is an agent whose model asks for these calls, and then is done.
func toolAgent(calls []abi.ToolCall, tools []host.Tool, middleware ...host.Middleware) host.Config {
	return host.Config{
		Model: scripted.NewTurns(scripted.CallTools(calls...), scripted.Say("done")), Tools: tools, Middleware: middleware,
		ToolCalls: host.ToolCallConfig{Parallel: 8},
	}
}

func TestToolRetryTexts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		retry builtin.ToolRetry
		err   error
		want  string
	}{
		{"one attempt", builtin.ToolRetry{Retry: builtin.Retry{MaxRetries: new(0)}}, errValue, "Tool 'work' failed after 1 attempt with ValueError: bad value. Please try again."},
		{"three attempts", builtin.ToolRetry{}, errBoom, "Tool 'work' failed after 3 attempts with tool_error: boom. Please try again."},
		{"a panic", builtin.ToolRetry{Retry: builtin.Retry{MaxRetries: new(1)}}, nil, "Tool 'work' failed after 2 attempts with panic: panic: oh no. Please try again."},
		{
			"a text of ours",
			builtin.ToolRetry{Retry: builtin.Retry{OnFailure: builtin.OnFailure{Format: "{tool}, {attempts}, {type}, {message}"}}},
			errValue,
			"work, 3 attempts, ValueError, bad value",
		},
		{
			"a function",
			builtin.ToolRetry{Retry: builtin.Retry{OnFailure: builtin.OnFailure{Func: func(err error) string { return "<" + err.Error() + ">" }}}},
			errBoom,
			`<tool "work": call "1": boom>`,
		},
		{
			"an old name",
			builtin.ToolRetry{Retry: builtin.Retry{MaxRetries: new(0), OnFailure: builtin.OnFailure{Behavior: "return_message"}}},
			errBoom,
			"Tool 'work' failed after 1 attempt with tool_error: boom. Please try again.",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			fails := work("work", func(context.Context, int) (string, error) {
				if test.err == nil {
					panic("oh no")
				}
				return "", test.err
			})
			out, err := try(t.Context(), t, toolAgent(calls("work:1"), []host.Tool{fails}, atOnce(test.retry)))
			require.NoError(t, err)
			require.Equal(t, []string{"human go", "ai work:1", "tool 1! " + test.want, "ai done"}, lines(out.result.Messages))
			require.Equal(t, "work", out.result.Messages.At(2).Name)
		})
	}
}

func TestToolRetryFailsTheRun(t *testing.T) {
	t.Parallel()
	for _, behavior := range []string{"error", "raise"} {
		out, err := try(t.Context(), t, toolAgent(calls("work:1"), []host.Tool{flaky("work", errBoom, errBoom, errBoom)},
			atOnce(builtin.ToolRetry{Retry: builtin.Retry{OnFailure: builtin.OnFailure{Behavior: behavior}}})))
		require.EqualError(t, err, `tool "work": call "1": boom`)
		require.Len(t, out.warned, 2)
	}
}

func TestToolRetryWarnsOfOldNames(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	_, err := builtin.ToolRetry{Retry: builtin.Retry{OnFailure: builtin.OnFailure{Behavior: "raise"}}}.Hooks(t.Context(), host.Env{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	require.NoError(t, err)
	require.Contains(t, log.String(), "on_failure='raise' is deprecated and will be removed in a future version. Use on_failure='error' instead.")
	_, err = builtin.ModelRetry{Retry: builtin.Retry{OnFailure: builtin.OnFailure{Behavior: "raise"}}}.Hooks(t.Context(), host.Env{})
	require.ErrorContains(t, err, "use continue, error or", "it never had that name there")
}

// Each call of a batch is tried again for itself. A tool of another list fails the run as always.
func TestToolRetryOfParallelCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		retry := builtin.ToolRetry{Retry: builtin.Retry{Jitter: new(false)}, Tools: []string{"a", "b", "c"}}
		start := time.Now()
		out, err := try(t.Context(), t, toolAgent(calls("a:1 b:2 c:3"), []host.Tool{
			flaky("a", errBoom), flaky("b", errBoom, errBoom), flaky("c", errBoom, errBoom, errBoom),
		}, retry))
		require.NoError(t, err)
		require.Equal(t, []string{
			"human go", "ai a:1 b:2 c:3", "tool 1 a worked at 2", "tool 2 b worked at 3",
			"tool 3! Tool 'c' failed after 3 attempts with tool_error: boom. Please try again.", "ai done",
		}, lines(out.result.Messages))
		require.Equal(t, 3*time.Second, time.Since(start), "they wait side by side")
		require.Len(t, out.warned, 5)

		start = time.Now()
		out, err = try(t.Context(), t, toolAgent(calls("a:1 other:2"), []host.Tool{flaky("a", errBoom), work("other", func(context.Context, int) (string, error) {
			time.Sleep(300 * time.Millisecond)
			return "", errValue
		})}, retry))
		require.ErrorIs(t, err, errValue)
		require.Equal(t, 300*time.Millisecond, time.Since(start), "nobody waits for a batch that has failed")
		require.Equal(t, []string{"human go", "ai a:1 other:2"}, lines(out.result.Messages))
	})
}

func TestToolRetryLeavesAlone(t *testing.T) {
	t.Parallel()
	limit := &host.LimitError{Message: "too much"}
	inside := func(want error) host.Middleware { return inner(func(error) error { return want }) }
	for _, test := range []struct {
		name   string
		retry  builtin.ToolRetry
		err    error
		inside []host.Middleware
		want   error
	}{
		{name: "an error of another type", retry: builtin.ToolRetry{Retry: builtin.Retry{RetryOn: []string{"KeyError"}}}, err: errValue, want: errValue},
		{name: "an error that will not pass", retry: builtin.ToolRetry{Retry: builtin.Retry{RetryOn: []string{"retryable"}}}, err: errValue, want: errValue},
		{name: "an error that a function knows", retry: builtin.ToolRetry{Retry: builtin.Retry{RetryOnFunc: func(error) bool { return false }}}, err: errBoom, want: errBoom},
		{name: "a cancellation", err: fmt.Errorf("stopped: %w", context.Canceled), want: context.Canceled},
		{name: "a limit", inside: []host.Middleware{inside(limit)}, want: limit},
		{name: "a jump", inside: []host.Middleware{inside(&host.JumpError{Step: "x"})}, want: &host.JumpError{Step: "x"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			n := 0
			fails := work("work", func(context.Context, int) (string, error) { n++; return "", test.err })
			out, err := try(t.Context(), t, toolAgent(calls("work:1"), []host.Tool{fails}, append([]host.Middleware{test.retry}, test.inside...)...))
			require.ErrorContains(t, err, test.want.Error())
			require.Equal(t, 1, n)
			require.Empty(t, out.warned)
		})
	}
}

// A limit of a run inside of a tool is an error of the tool.
func TestToolRetryOfALimitInsideOfTheTool(t *testing.T) {
	t.Parallel()
	out, err := try(t.Context(), t, toolAgent(calls("work:1"), []host.Tool{flaky("work", &host.LimitError{Message: "too much"})}, atOnce(builtin.ToolRetry{})))
	require.NoError(t, err)
	require.Equal(t, "tool 1 work worked at 2", lines(out.result.Messages)[2])
}

// What the host or a tool itself answers is an answer.
func TestToolRetryLeavesAnswersAlone(t *testing.T) {
	t.Parallel()
	type input struct {
		Q string `json:"q"`
	}
	n := 0
	needy := tool.Func("needy", "", func(context.Context, input) (string, error) { n++; return "", nil })
	out, err := try(t.Context(), t, toolAgent(calls("needy:1 nobody:2 says:3"), []host.Tool{needy, &says{&n}}, builtin.ToolRetry{}))
	require.NoError(t, err)
	require.Equal(t, 1, n, "one ran once, and the others not at all")
	require.Empty(t, out.warned)
	answers := lines(out.result.Messages)
	require.Contains(t, answers[2], "tool 1! Error invoking tool 'needy'")
	require.Contains(t, answers[3], "tool 2! Error: nobody is not a valid tool")
	require.Equal(t, "tool 3! no", answers[4])
}

// says is a tool that answers with the status error.
type says struct{ n *int }

func (*says) Spec() abi.ToolSpec { return abi.ToolSpec{Name: "says"} }

func (s *says) Call(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
	*s.n++
	return &host.ToolOutput{Content: abi.Text("no"), Failed: true}, nil
}

// Each attempt is an execution of its own, with a key of its own and the whole time that a tool has.
func TestToolRetryMakesExecutions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		keys := map[string]int{}
		slow := work("slow", func(ctx context.Context, n int) (string, error) {
			rt := host.RuntimeOf(ctx)
			keys[rt.IdempotencyKey()] = rt.Execution()
			if n == 3 {
				time.Sleep(59 * time.Second)
				return "at last", nil
			}
			<-ctx.Done()
			return "", ctx.Err()
		})
		config := toolAgent(calls("slow:1"), []host.Tool{slow}, builtin.ToolRetry{Retry: builtin.Retry{Jitter: new(false), RetryOn: []string{"timeout"}}})
		config.ToolCalls.ToolTimeout = time.Minute
		start := time.Now()
		out, err := try(t.Context(), t, config)
		require.NoError(t, err)
		require.Equal(t, "tool 1 at last", lines(out.result.Messages)[2])
		require.Equal(t, 3*time.Minute+2*time.Second, time.Since(start))
		require.Len(t, keys, 3)
		numbers := map[int]bool{}
		for _, number := range keys {
			numbers[number] = true
		}
		require.Equal(t, map[int]bool{1: true, 2: true, 3: true}, numbers)

		config = toolAgent(calls("slow:1"), []host.Tool{work("slow", func(ctx context.Context, _ int) (string, error) {
			<-ctx.Done()
			return "", ctx.Err()
		})}, builtin.ToolRetry{Retry: builtin.Retry{MaxRetries: new(1)}})
		config.ToolCalls.ToolTimeout = time.Minute
		out, err = try(t.Context(), t, config)
		require.NoError(t, err)
		require.Equal(t, "tool 1! Tool 'slow' failed after 2 attempts with timeout: timed out after 1m0s. Please try again.", lines(out.result.Messages)[2])
	})
}

// A model inside of a tool asks to wait.
func TestToolRetryWaitsAsLongAsAModelAsks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		out, err := try(t.Context(), t, toolAgent(calls("work:1"), []host.Tool{flaky("work", busy(20*time.Second))},
			builtin.ToolRetry{Retry: builtin.Retry{RetryOn: []string{"retryable"}}}))
		require.NoError(t, err)
		require.Equal(t, "tool 1 work worked at 2", lines(out.result.Messages)[2])
		require.Equal(t, 20*time.Second, time.Since(start))

		asking := work("work", func(ctx context.Context, n int) (string, error) {
			resp, err := host.RuntimeOf(ctx).Generate(ctx, failing("m", []error{busy(20 * time.Second)}[min(n-1, 1):]...), &model.Request{})
			if err != nil {
				return "", err
			}
			return resp.AI().Content.Text(), nil
		})
		out, err = try(t.Context(), t, toolAgent(calls("work:1"), []host.Tool{asking}, builtin.ToolRetry{Retry: builtin.Retry{RetryOn: []string{"rate_limit"}}}))
		require.NoError(t, err)
		require.Equal(t, "tool 1 m answers", lines(out.result.Messages)[2])
		require.Equal(t, 40*time.Second, time.Since(start))
	})
}

// A model that fails for good inside a tool fails again when the tool runs again.
func TestToolRetryPassesOnWhatCannotPass(t *testing.T) {
	t.Parallel()
	for err, runs := range map[error]int{errKey: 1, busy(0): 3, errBoom: 3} {
		ran := 0
		asking := work("work", func(ctx context.Context, _ int) (string, error) {
			ran++
			_, failed := host.RuntimeOf(ctx).Generate(ctx, always("m", err), &model.Request{})
			return "", failed
		})
		_, failed := try(t.Context(), t, toolAgent(calls("work:1"), []host.Tool{asking}, builtin.ToolRetry{Retry: builtin.Retry{InitialDelay: new(builtin.Seconds(0))}}))
		require.Equal(t, runs, ran, err)
		if runs == 1 {
			require.ErrorIs(t, failed, err)
			continue
		}
		require.NoError(t, failed)
	}
}

// A call that a hook makes is tried again like one of the model.
func TestToolRetryOfACallByAHook(t *testing.T) {
	t.Parallel()
	before := host.BeforeAgent("looks", func(ctx context.Context, rt *host.Runtime) (*host.Update, error) {
		m, err := rt.CallTool(ctx, "work", wire.Raw{})
		if err != nil {
			return nil, err
		}
		return &host.Update{Messages: []abi.Message{abi.Human(m.Content.Text())}}, nil
	})
	out, err := try(t.Context(), t, toolAgent(nil, []host.Tool{flaky("work", errBoom, errBoom)}, before, atOnce(builtin.ToolRetry{})))
	require.NoError(t, err)
	require.Equal(t, "human work worked at 3", lines(out.result.Messages)[1])
	require.Len(t, out.warned, 2)
}

// The second attempt asks a human. When the answer is there, the call begins anew, and its first attempt is not made again.
func TestToolRetryAndAQuestion(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var executions []int
	asks := work("work", func(ctx context.Context, n int) (string, error) {
		rt := host.RuntimeOf(ctx)
		mu.Lock()
		executions = append(executions, rt.Execution())
		mu.Unlock()
		if n == 1 {
			return "", errBoom
		}
		answer, err := rt.Interrupt("may I?", wire.String("please"))
		if err != nil {
			return "", err
		}
		said, _ := answer.AsString()
		return said, nil
	})
	config := toolAgent(calls("work:1 other:2"), []host.Tool{asks, flaky("other", errBoom)}, atOnce(builtin.ToolRetry{}))
	config.Checkpointer = memory.New()
	agent, err := host.New(config)
	require.NoError(t, err)
	defer func() { require.NoError(t, agent.Close()) }()
	out, err := tryAgent(t.Context(), agent, host.Input{Thread: "t", Messages: []abi.Message{abi.Human("go")}})
	require.NoError(t, err)
	require.Equal(t, host.Interrupted, out.result.Status)
	require.Len(t, out.warned, 2)

	out, err = tryAgent(t.Context(), agent, host.Input{Thread: "t", Resume: []host.Answer{{Value: "yes"}}})
	require.NoError(t, err)
	require.Equal(t, []string{"human go", "ai work:1 other:2", "tool 1 yes", "tool 2 other worked at 2", "ai done"}, lines(out.result.Messages))
	require.Empty(t, out.warned, "nothing fails any more")
	require.Equal(t, []int{1, 2, 2}, executions)
}

// tool_error answers what the last attempt left, and a review comes before all attempts.
func TestToolRetryAmongOthers(t *testing.T) {
	t.Parallel()
	config := toolAgent(calls("work:1"), []host.Tool{flaky("work", errBoom, errBoom, errValue)},
		builtin.HumanInTheLoop{InterruptOn: map[string]builtin.ReviewPolicy{"work": builtin.AnyDecision()}, InterruptMode: "per_call"},
		builtin.ToolError{OnError: builtin.ToolErrorAnswer{Format: "{tool} said {type}: {message}"}},
		atOnce(builtin.ToolRetry{Retry: builtin.Retry{OnFailure: builtin.OnFailure{Behavior: "error"}}}))
	config.Checkpointer = memory.New()
	agent, err := host.New(config)
	require.NoError(t, err)
	defer func() { require.NoError(t, agent.Close()) }()
	out, err := tryAgent(t.Context(), agent, host.Input{Thread: "t", Messages: []abi.Message{abi.Human("go")}})
	require.NoError(t, err)
	require.Len(t, out.result.Interrupts, 1)

	out, err = tryAgent(t.Context(), agent, host.Input{Thread: "t", Resume: []host.Answer{{Value: builtin.Decision{Type: builtin.Approve}}}})
	require.NoError(t, err)
	require.Equal(t, "tool 1! work said ValueError: bad value", lines(out.result.Messages)[2])
	require.Len(t, out.warned, 2)
}

func TestToolRetryStandsInsideOfToolError(t *testing.T) {
	t.Parallel()
	hooks, err := builtin.ToolRetry{}.Hooks(t.Context(), host.Env{})
	require.NoError(t, err)
	require.Len(t, hooks.Order, 1)
	require.Equal(t, "tool_error", hooks.Order[0].Inside)
}

func TestToolRetryIsDecoded(t *testing.T) {
	t.Parallel()
	var retry builtin.ToolRetry
	require.NoError(t, strictyaml.Decode("x.yaml", []byte(`{max_retries: 0, tools: [a, b], retry_on: [timeout], on_failure: continue,
		backoff_factor: 0, initial_delay: 0, max_delay: 1m, jitter: true}`), &retry))
	require.Equal(t, builtin.ToolRetry{Retry: builtin.Retry{MaxRetries: new(0), RetryOn: []string{"timeout"}, OnFailure: builtin.OnFailure{Behavior: "continue"}, BackoffFactor: new(0.0), InitialDelay: new(builtin.Seconds(0)), MaxDelay: new(builtin.Seconds(60)), Jitter: new(true)}, Tools: []string{"a", "b"}}, retry)
}
