package manifest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/manifest"
)

func TestMemoryKeepsThreads(t *testing.T) {
	t.Parallel()
	agent := build(t, setup(t, echo+"checkpoint: memory\n", nil), manifest.Options{})
	for n := range 3 {
		result, err := agent.Run(t.Context(), host.Input{Thread: "t", Messages: []abi.Message{abi.Human("hi")}})
		require.NoError(t, err)
		require.Equal(t, 2*(n+1), result.Messages.Len())
	}
}

func TestWithoutACheckpointNothingIsKept(t *testing.T) {
	t.Parallel()
	agent := build(t, setup(t, echo, nil), manifest.Options{})
	_, err := agent.Run(t.Context(), host.Input{Thread: "t"})
	require.ErrorIs(t, err, host.ErrNoCheckpointer)
}

func TestCheckpointsThatAreRefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"sqlite:./threads.db":           `:3:13: checkpoint: the checkpoint store "sqlite" is not supported yet; use memory`,
		"sqlite":                        `:3:13: checkpoint: the checkpoint store "sqlite" is not supported yet; use memory`,
		"postgres://db.example/threads": `:3:13: checkpoint: the checkpoint store "postgres" is not supported yet; use memory`,
		"redis":                         `:3:13: checkpoint: unknown checkpoint store "redis"`,
		"{memory: {}}":                  ":3:13: checkpoint: expected a string, found a mapping",
		"'memory:x'":                    `:3:13: checkpoint: unknown checkpoint store "memory:x"`,
		"''":                            `:3:13: checkpoint: unknown checkpoint store ""`,
		"true":                          ":3:13: checkpoint: expected a string, found boolean true",
		"":                              ":3:1: checkpoint: a value is missing",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			require.ErrorContains(t, refusal(t, echo+"checkpoint: "+text+"\n"), "agenthost.yaml"+want)
		})
	}
	require.ErrorContains(t, refusal(t, echo+"checkpoint: redis\n"), "valid checkpoint store names: memory")
	require.ErrorContains(t, refusal(t, echo+"checkpoint: memroy\n"), `did you mean "memory"?`)
}
