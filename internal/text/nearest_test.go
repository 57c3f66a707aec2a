package text_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/internal/text"
)

func TestNearest(t *testing.T) {
	t.Parallel()
	valid := []string{"name", "model", "middleware", "temperature", "tool_calls", "tools", "no", "run_limit", "ask_in_the_loop"}
	for name, want := range map[string]string{
		"nmae": "name", "Name": "name", "runLimit": "run_limit", "run-limit": "run_limit", "midleware": "middleware",
		"mdodel": "model", "temp": "temperature", "toolcalls": "tool_calls", "tool": "tools", "on": "no",
		"ask_in_loop": "ask_in_the_loop", "limit": "run_limit", "Limit": "run_limit", "loop_ask": "", "---": "",
		"x": "", "colour": "", "zz": "", "": "", "t": "", "max_tokens": "",
	} {
		near, ok := text.Nearest(name, valid)
		require.Equal(t, want, near, name)
		require.Equal(t, want != "", ok, name)
	}
}

func TestDistance(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		from, to string
		want     int
	}{{"", "", 0}, {"abc", "abc", 0}, {"abc", "abd", 1}, {"abc", "acb", 1}, {"abc", "", 3}, {"ä", "a", 1}, {"kitten", "sitting", 3}} {
		require.Equal(t, test.want, text.Distance(test.from, test.to), "%q %q", test.from, test.to)
	}
}
