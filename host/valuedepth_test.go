package host_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// deep returns a value of so many maps inside each other.
func deep(depth int) wire.Raw {
	var b []byte
	for range depth {
		b = wire.AppendString(wire.AppendMapHeader(b, 1), "d")
	}
	return wire.AppendInt(b, 1)
}

func TestCallsWithDeepArgumentsAreMalformed(t *testing.T) {
	t.Parallel()
	asking := scripted.CallTools(
		abi.ToolCall{ID: "1", Name: "work", Args: deep(wire.MaxValueDepth)}, abi.ToolCall{ID: "2", Name: "work", Args: deep(wire.MaxValueDepth + 1)},
	)
	b := setup(t, asking, scripted.Say("done")).answering("work", "worked")

	result := b.mustRun()

	got := lines(result.Messages)
	require.Equal(t, []string{"work"}, b.log, "the other call did not run")
	require.Contains(t, got, "tool 1: worked")
	require.Contains(t, strings.Join(got, "\n"), "failed 2: Tool call work with id 2 could not be executed - arguments were malformed or truncated. "+
		"The arguments are refused: it nests more than 48 arrays and maps.")
	require.Len(t, result.Messages.At(1).InvalidToolCalls, 1)
}

func TestDeepAnswersOfAModelAreRefused(t *testing.T) {
	t.Parallel()
	answer := abi.AI("hi")
	answer.Meta = wire.Map{{Key: "deep", Value: deep(wire.MaxValueDepth)}}
	b := setup(t, scripted.Turn{Message: answer})

	_, err := b.run()

	var failed *host.ModelError
	require.ErrorAs(t, err, &failed)
	require.ErrorContains(t, err, "the meta of its answer is refused: it nests more than 48 arrays and maps")
}

func TestDeepValuesOfCallersAreRefused(t *testing.T) {
	t.Parallel()
	human := abi.Human("hi")
	called := abi.AI("", abi.ToolCall{ID: "1", Name: "work", Args: deep(wire.MaxValueDepth + 1)})
	artifact := abi.Human("hi")
	artifact.Artifact = deep(wire.MaxValueDepth + 1)
	block := abi.BlockOf(wire.Map{
		{Key: "deep", Value: deep(wire.MaxValueDepth)}, {Key: "text", Value: wire.String("hi")}, {Key: "type", Value: wire.String("text")},
	})
	content := abi.Message{Role: abi.RoleHuman, Content: abi.Blocks(block)}
	for name, test := range map[string]struct {
		in   host.Input
		says string
	}{
		"arguments": {host.Input{Messages: []abi.Message{human, called}}, `message 1: the arguments of the tool call "1" are refused`},
		"artifact":  {host.Input{Messages: []abi.Message{artifact}}, "message 0: the artifact is refused"},
		"content":   {host.Input{Messages: []abi.Message{content}}, "message 0: the content is refused"},
		"field": {
			host.Input{Messages: []abi.Message{human}, State: map[string]any{"f": deep(wire.MaxValueDepth + 1)}}, `the value of field "f" is refused`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, scripted.Say("done"))
			b.State = []host.Field{{Name: "f"}}

			_, err := b.build().Run(t.Context(), test.in)

			require.ErrorContains(t, err, test.says)
			require.ErrorContains(t, err, "it nests more than 48 arrays and maps")
		})
	}
}

func TestDeepAnswersToQuestionsAreRefused(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Say("done")).keeps()
	b.use(host.BeforeModel("asks", func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
		_, err := rt.Interrupt("really", wire.String("?"))
		return nil, err
	}))
	agent := b.build()
	in := hi()
	in.Thread = "t"
	_, err := agent.Run(t.Context(), in)
	require.NoError(t, err)

	_, err = agent.Run(t.Context(), host.Input{Thread: "t", Resume: []host.Answer{{Value: deep(wire.MaxValueDepth + 1)}}})
	require.ErrorContains(t, err, "it nests more than 48 arrays and maps")

	result, err := agent.Run(t.Context(), host.Input{Thread: "t", Resume: []host.Answer{{Value: deep(wire.MaxValueDepth)}}})
	require.NoError(t, err)
	require.Equal(t, host.Completed, result.Status)
}
