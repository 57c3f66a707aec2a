package host_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
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
	silent := ending("", "refusal")
	silent.Message.Content = abi.Blocks(abi.RefusalBlock("", "bio"))
	for _, test := range []struct {
		turn   scripted.Turn
		reason string
		kind   model.ErrorKind
	}{
		{ending("", "length"), "length", model.ErrorCutOff},
		{ending("\n\n ", "length"), "length", model.ErrorCutOff}, // a model that thinks too long often begins its answer so
		{ending("", "safety"), "safety", model.ErrorContentFilter},
		{silent, "refusal", model.ErrorContentFilter},
	} {
		_, err := setup(t, test.turn).run()
		var failed *host.ModelError
		require.ErrorAs(t, err, &failed)
		require.Equal(t, test.kind, failed.Kind)
		require.False(t, failed.Retryable)
		require.ErrorContains(t, err, `the answer is empty; the answer of the model "scripted" is not complete (stop reason "`+test.reason+`")`)
	}

	for _, complete := range []string{"", "\n"} {
		result := setup(t, ending(complete, "stop")).mustRun()
		require.Equal(t, complete, result.Text())
	}
}

// A person reads the words of a refusal, although they are not text of the answer.
func TestTheAnswerIsTheRefusal(t *testing.T) {
	t.Parallel()
	refused := ending("", "refusal")
	refused.Message.Content = abi.Blocks(abi.RefusalBlock("I can't help with that.", ""))
	result := setup(t, refused).mustRun()
	require.Empty(t, result.Text())
	require.Equal(t, "I can't help with that.", result.Answer())
}
