package temporal_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/interceptor"

	"github.com/agenthost/agenthost/host/tool"
	"github.com/agenthost/agenthost/runs"
)

// spanKey is what an interceptor for telemetry puts into the context of an activity.
type spanKey struct{}

// spans is such an interceptor.
type spans struct {
	interceptor.WorkerInterceptorBase

	activities atomic.Int64
}

func (s *spans) InterceptActivity(_ context.Context, next interceptor.ActivityInboundInterceptor) interceptor.ActivityInboundInterceptor {
	return &span{interceptor.ActivityInboundInterceptorBase{Next: next}, s}
}

type span struct {
	interceptor.ActivityInboundInterceptorBase

	spans *spans
}

func (s *span) ExecuteActivity(ctx context.Context, in *interceptor.ExecuteActivityInput) (any, error) {
	s.spans.activities.Add(1)
	return s.Next.ExecuteActivity(context.WithValue(ctx, spanKey{}, "the span"), in)
}

func TestARunIsWithinTheSpanOfItsActivity(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	seen := make(chan any, 1)
	f.tools = append(f.tools, tool.Func("look", "Looks.", func(ctx context.Context, _ struct{}) (string, error) {
		seen <- ctx.Value(spanKey{})
		return "ok", ctx.Err()
	}))
	s := &spans{}
	f.config.Interceptors = []interceptor.WorkerInterceptor{s}
	f.worker("1")
	require.Equal(t, runs.Success, f.over(f.submit(f.dispatcher(), "t", say("look"))).Status)
	require.Equal(t, "the span", <-seen)
	require.Positive(t, s.activities.Load())
}
