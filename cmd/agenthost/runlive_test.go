package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// watched runs the command with its output on one terminal, whose person types nothing.
func (b *bundle) watched(args ...string) int {
	b.out.Reset()
	return execute(b.t.Context(), args, streams{in: strings.NewReader(""), out: &b.out, err: &b.out, watched: true})
}

func TestWhatIsShownOfARun(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		manifest, prompt, want string
		code                   int
	}{
		"the answer": {say, "hi", "hello\n", exitOK},
		"a question": {noting, "note a", "agenthost: the run is interrupted and waits for an answer before human_in_the_loop.after_model:\n", exitWaiting},
		"a warning":  {cutOff + "}\n", "hi", "half of \n· model: warning: the answer of the model \"scripted\" is not complete", exitOK},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := threads(t, test.manifest)
			require.Equal(t, test.code, b.watched("run", "-f", b.path("agenthost.yaml"), test.prompt), &b.out)
			require.Contains(t, b.out.String(), test.want)
		})
	}
}

func TestJSONIsNotForPeopleEvenAtATerminal(t *testing.T) {
	t.Parallel()
	b := setup(t, say)
	require.Equal(t, exitOK, b.watched("run", "-o", "json", "-f", b.path("agenthost.yaml"), "hi"))
	require.True(t, strings.HasPrefix(b.out.String(), "{\n"), &b.out)
	require.Equal(t, exitOK, b.watched("run", "-o", "jsonl", "-f", b.path("agenthost.yaml"), "hi"))
	require.True(t, strings.HasPrefix(b.out.String(), `{"version":1,"type":"run"`), &b.out)
	require.Equal(t, 1, strings.Count(b.out.String(), `"type":"end"`))
}
