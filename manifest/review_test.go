package manifest_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/manifest"
)

// documented returns the code blocks of a section of the documentation.
func documented(t *testing.T, section string) (blocks []string) {
	t.Helper()
	text, err := os.ReadFile("../docs/manifest.md")
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(text), "### "+section+"\n")
	require.True(t, found)
	rest, _, _ = strings.Cut(rest, "\n### ")
	for i, block := range strings.Split(rest, "```") {
		if i%2 == 1 {
			_, block, _ = strings.Cut(block, "\n") // behind the language
			blocks = append(blocks, block)
		}
	}
	return blocks
}

// The documentation shows a manifest, what its run asks and how it is answered.
func TestTheDocumentedReview(t *testing.T) {
	t.Parallel()
	blocks := documented(t, "human_in_the_loop")
	require.Len(t, blocks, 3)
	agent := build(t, setup(t, blocks[0], map[string]string{"notes/old.txt": "old"}), manifest.Options{})
	result, err := agent.Run(t.Context(), host.Input{Thread: "t", Messages: []abi.Message{abi.Human("Write it down.")}})
	require.NoError(t, err)
	require.Equal(t, host.Interrupted, result.Status)
	require.Len(t, result.Interrupts, 1)
	require.JSONEq(t, blocks[1], result.Interrupts[0].Value.JSON())

	answer, err := wire.FromJSON([]byte(blocks[2]), wire.DefaultLimits)
	require.NoError(t, err)
	result, err = agent.Run(t.Context(), host.Input{Thread: "t", Resume: []host.Answer{{Value: answer}}})

	require.NoError(t, err)
	require.Equal(t, "Done.", result.Text())
	answers := map[string]string{}
	for _, m := range result.Messages.All() {
		if m.Role == abi.RoleTool {
			answers[m.ToolCallID] = m.Content.Text()
		}
	}
	require.Contains(t, answers["a"], `Executed instead: write_file with arguments {"content":"Sell half","path":"notes/plan.txt"}.`)
	require.NotContains(t, answers["b"], "Executed instead")
	require.Equal(t, "User rejected the tool call for `read_file` with reason: It is not there yet.", answers["c"])
}

// The documentation shows scripted models that answer the questions of middleware.
func TestTheDocumentedClassifiers(t *testing.T) {
	t.Parallel()
	blocks := documented(t, "A scripted classifier")
	dir := setup(t, blocks[0], map[string]string{"notes.txt": "old"})
	result, err := build(t, dir, manifest.Options{}).Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("Empty my notes.")}})
	require.NoError(t, err)
	require.Equal(t, "I may not.", result.Text())
	require.Equal(t, `"hard"`, result.State.Get("model_route").Get("choice").JSON())
	blocked := result.Messages.At(2)
	require.Contains(t, blocked.Content.Text(), "was blocked because it was classified as risky (probability: 0.93)")
}
