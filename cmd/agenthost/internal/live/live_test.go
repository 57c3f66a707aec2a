package live_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/live"
)

const before = `# TYPE agenthost_runs_active gauge
agenthost_runs_active{gen_ai_agent_name="a"} 1
# TYPE agenthost_hook_duration_seconds histogram
agenthost_hook_duration_seconds_bucket{agenthost_hook="before_model",agenthost_middleware="slow",le="+Inf"} 1
agenthost_hook_duration_seconds_sum{agenthost_hook="before_model",agenthost_middleware="slow"} 1
agenthost_hook_duration_seconds_count{agenthost_hook="before_model",agenthost_middleware="slow"} 1
# TYPE gen_ai_client_token_usage histogram
gen_ai_client_token_usage_bucket{gen_ai_token_type="input",le="+Inf"} 1
gen_ai_client_token_usage_sum{gen_ai_token_type="input"} 100
gen_ai_client_token_usage_count{gen_ai_token_type="input"} 1
`

const after = `# TYPE agenthost_runs_active gauge
agenthost_runs_active{gen_ai_agent_name="a"} 2
agenthost_runs_active{gen_ai_agent_name="b"} 1
# TYPE agenthost_hook_duration_seconds histogram
agenthost_hook_duration_seconds_bucket{agenthost_hook="before_model",agenthost_middleware="slow",le="+Inf"} 5
agenthost_hook_duration_seconds_sum{agenthost_hook="before_model",agenthost_middleware="slow"} 2
agenthost_hook_duration_seconds_count{agenthost_hook="before_model",agenthost_middleware="slow"} 5
agenthost_hook_duration_seconds_bucket{agenthost_hook="after_model",agenthost_middleware="fast",le="+Inf"} 1
agenthost_hook_duration_seconds_sum{agenthost_hook="after_model",agenthost_middleware="fast"} 0.001
agenthost_hook_duration_seconds_count{agenthost_hook="after_model",agenthost_middleware="fast"} 1
# TYPE agenthost_wasm_faults_total counter
agenthost_wasm_faults_total{agenthost_hook="before_model",agenthost_middleware="slow",error_type="plugin_trap"} 3
# TYPE gen_ai_client_token_usage histogram
gen_ai_client_token_usage_bucket{gen_ai_token_type="input",le="+Inf"} 1
gen_ai_client_token_usage_sum{gen_ai_token_type="input"} 50
gen_ai_client_token_usage_count{gen_ai_token_type="input"} 1
`

func read(t *testing.T, text string, second int64) *live.Reading {
	t.Helper()
	r, err := live.Read(strings.NewReader(text), time.Unix(second, 0))
	require.NoError(t, err)
	return r
}

func TestASampleIsWhatHappenedBetweenTwoReadings(t *testing.T) {
	t.Parallel()
	s := read(t, after, 2).Since(read(t, before, 0))
	require.Equal(t, &live.Sample{
		Seconds: 2, Active: 3, InputTokens: 50, // the server has started anew in between
		Hooks: []live.Hook{
			{Middleware: "slow", Hook: "before_model", Calls: 4, Seconds: 1, Faults: 3}, {Middleware: "fast", Hook: "after_model", Calls: 1, Seconds: 0.001},
		},
	}, s)
	var out bytes.Buffer
	require.NoError(t, live.Draw(&out, s, 1))
	require.Contains(t, out.String(), "runs    3 active")
	require.Contains(t, out.String(), "slow        before_model  2.0      250ms      50.0%  0          3")
	require.NotContains(t, out.String(), "fast")
}

func TestWhatIsNotMetricsOfAgenthost(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"<html>", "up 1\n"} {
		_, err := live.Read(strings.NewReader(text), time.Now())
		require.ErrorContains(t, err, "these are not metrics")
	}
}
