package host_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// ending is an answer that ends for a reason.
func ending(text, reason string) scripted.Turn {
	m := abi.AI(text)
	m.Meta = wire.Map{{Key: "stop_reason", Value: wire.String(reason)}}
	return scripted.Turn{Message: m}
}

func TestAnswersThatAreNotCompleteCauseAWarning(t *testing.T) {
	t.Parallel()
	for reason, says := range map[string]string{
		"length":         "it reached the limit of output tokens or filled the context window; raise max_tokens, or ask for less",
		"content_filter": "the provider's filter stopped it",
		"refusal":        "the model declined to answer",
		"end_turn":       "",
	} {
		events, err := setup(t, ending("some", reason)).stream()
		require.NoError(t, err)
		_, warnings := customAndWarnings(events)
		if says == "" {
			require.Empty(t, warnings)
		} else {
			require.Equal(t, []string{`the answer of the model "scripted" is not complete (stop reason "` + reason + `"): ` + says}, warnings)
		}

		result := setup(t, ending("some", reason)).mustRun()
		require.Equal(t, reason, result.StopReason)
	}
}

func TestEmptyAnswersThatAreNotCompleteFail(t *testing.T) {
	t.Parallel()
	_, err := setup(t, ending("", "length")).run()
	var failed *host.ModelError
	require.ErrorAs(t, err, &failed)
	require.False(t, failed.Retryable)
	require.ErrorContains(t, err, `the answer is empty; the answer of the model "scripted" is not complete (stop reason "length")`)

	result := setup(t, ending("", "stop")).mustRun()
	require.Empty(t, result.Text())
}
