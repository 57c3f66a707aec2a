package scripted_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
)

func TestStreamsYieldWordsAndThenTheResponse(t *testing.T) {
	t.Parallel()
	rules, err := scripted.NewRules(scripted.Rule{Say: "one two\nthree "})
	require.NoError(t, err)
	for name, m := range map[string]model.Streamer{
		"turns": scripted.NewTurns(scripted.Say("one two\nthree ")),
		"echo":  &scripted.Echo{},
		"rules": rules,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var words []string
			var resp *model.Response
			for chunk, err := range m.Stream(t.Context(), request(abi.Human("one two\nthree "))) {
				require.NoError(t, err)
				require.Nil(t, resp, "the response comes last")
				if chunk.Response != nil {
					resp = chunk.Response
					continue
				}
				words = append(words, chunk.Text)
			}
			require.Equal(t, []string{"one ", "two\n", "three "}, words)
			require.Equal(t, "one two\nthree ", resp.AI().Content.Text())
		})
	}
}

func TestStreamOfAnEmptyAnswerHasNoWords(t *testing.T) {
	t.Parallel()
	chunks := 0
	for chunk, err := range scripted.NewTurns(scripted.Say("")).Stream(t.Context(), request()) {
		require.NoError(t, err)
		require.NotNil(t, chunk.Response)
		chunks++
	}
	require.Equal(t, 1, chunks)
}

func TestStreamYieldsTheError(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for chunk, err := range scripted.NewTurns(scripted.Fail(broken)).Stream(t.Context(), request()) {
		require.Zero(t, chunk)
		require.Same(t, broken, err)
	}
}

func TestStreamStopsWithItsConsumer(t *testing.T) {
	t.Parallel()
	m := scripted.NewTurns(scripted.Say("a b c"))
	for _, err := range m.Stream(t.Context(), request()) {
		require.NoError(t, err)
		break
	}
	require.Equal(t, 1, m.Calls())
}
