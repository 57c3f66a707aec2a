package question_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/question"
)

func TestCommandsThatGoOn(t *testing.T) {
	t.Parallel()
	c := question.Command{Thread: "ada", File: "agenthost.yaml"}
	for name, test := range map[string]struct {
		asked []string
		want  []string
	}{
		"nothing": {nil, []string{"agenthost resume ada -f agenthost.yaml"}},
		"one call": {[]string{approval}, []string{
			"agenthost resume ada -f agenthost.yaml --approve call-3",
			"agenthost resume ada -f agenthost.yaml --edit call-3=ARGUMENTS.json",
			"agenthost resume ada -f agenthost.yaml --reject call-3 --message REASON",
			"agenthost resume ada -f agenthost.yaml --respond call-3 --message ANSWER",
		}},
		"a question": {[]string{`"Shall I?"`}, []string{"agenthost resume ada -f agenthost.yaml --respond ask-1 --message ANSWER"}},
		"several": {[]string{review, unfinished, `1`}, []string{
			"agenthost resume ada -f agenthost.yaml --approve call-1 --approve call-2 --retry call-4 --respond ask-3 --message ANSWER",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, test.want, c.Lines(read(t, test.asked...)))
		})
	}
	require.Equal(t, "--approve call-1 | --edit call-1=ARGUMENTS.json | --reject call-1 --message REASON", read(t, review)[0].Calls[0].Choices())
}

func TestCommandsAreWrittenForAShell(t *testing.T) {
	t.Parallel()
	c := question.Command{Thread: "it's; rm -rf /", File: "my agent.yaml", Set: []string{"a=$(b)"}, Checkpoint: 3}
	require.Equal(t, `agenthost resume 'it'\''s; rm -rf /' -f 'my agent.yaml' --set 'a=$(b)' --checkpoint 3`, c.Line())
	require.Equal(t, `agenthost chat --thread 'it'\''s; rm -rf /' -f 'my agent.yaml' --set 'a=$(b)'`, c.Chat())
	require.Equal(t, "agenthost chat --thread --all", question.Command{Thread: "--all"}.Chat())
	require.Equal(t, "agenthost resume --approve x -- --all", question.Command{Thread: "--all"}.Line("--approve", "x"))
}
