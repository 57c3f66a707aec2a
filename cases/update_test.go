package cases_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/cases"
)

// updated updates a case of one turn, and returns the file.
func updated(t *testing.T, text string, outcomes ...*cases.Outcome) string {
	t.Helper()
	c := must(t, text)
	changed, err := c.Update(outcomes)
	require.NoError(t, err)
	content, err := os.ReadFile(c.Path)
	require.NoError(t, err)
	require.Equal(t, text != string(content), changed)
	again, err := cases.Load(c.Path)
	require.NoError(t, err)
	for i := range outcomes {
		require.Empty(t, again.Turns[i].Compare(outcomes[i]))
	}
	return string(content)
}

func TestAnUpdateWritesWhatIsExpected(t *testing.T) {
	t.Parallel()
	const recorded = `      tool_calls:
        - name: "search"
          args:
            limit: 5
            q: "go"
        - name: "remove"
          args:
            path: "a"
      message: "{\"city\": \"Rome\", \"degrees\": 20}"
`
	for name, test := range map[string]struct{ before, after string }{
		"missing": {
			"# hello\nturns:\n  - input: hi # there\n  # the end\n",
			"# hello\nturns:\n  - input: hi # there\n    expect:\n" + recorded + "  # the end\n",
		},
		"without a last line": {"turns:\n  - input: hi", "turns:\n  - input: hi\n    expect:\n" + recorded},
		"empty":               {"turns:\n  - expect: {}\n    input: hi\n", "turns:\n  - expect:\n" + recorded + "    input: hi\n"},
		"what holds stays": {
			"turns:\n  - input: hi\n    expect:\n      message: {contains: Rome}\n      state: {count: 4}\n",
			"turns:\n  - input: hi\n    expect:\n      message:\n        contains: \"Rome\"\n      state:\n        count: 3\n",
		},
		"all of it holds": {
			"turns:\n  - input: hi\n    expect: {message: {contains: Rome}} # good\n",
			"turns:\n  - input: hi\n    expect: {message: {contains: Rome}} # good\n",
		},
		"each key": {
			"turns:\n  - input: hi\n    expect:\n      messages: []\n      files: {a.txt: x, b.txt: x}\n      store: [{namespace: [facts], key: sky, value: red}]\n" +
				"      limits: {model_calls: 1, steps: 9}\n      state_contains: {mood: angry}\n",
			"turns:\n  - input: hi\n    expect:\n      messages:\n        - role: \"ai\"\n          content: \"I look.\"\n" +
				"        - role: \"tool\"\n          name: \"search\"\n          content: \"3 pages\"\n" +
				"        - role: \"tool\"\n          name: \"remove\"\n          content: \"denied\"\n" +
				"        - role: \"ai\"\n          content: \"{\\\"city\\\": \\\"Rome\\\", \\\"degrees\\\": 20}\"\n" +
				"      state_contains:\n        mood: \"calm\"\n      files:\n        \"a.txt\": \"hello\\n\"\n        \"b.txt\": null\n" +
				"      store:\n        - namespace:\n            - \"facts\"\n          key: \"sky\"\n          value: \"blue\"\n" +
				"      limits:\n        model_calls: 2\n        steps: 9\n",
		},
		"the end": {
			"turns:\n  - input: hi\n    expect:\n      status: failed\n      error: x\n",
			"turns:\n  - input: hi\n    expect: {}\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, test.after, updated(t, test.before, outcome(t)))
		})
	}
}

func TestAnUpdateOfSeveralTurns(t *testing.T) {
	t.Parallel()
	text := updated(t, "turns:\n  - input: hi\n  - input: ho\n    expect: {message: no}\n  - {input: hu, expect: {message: {contains: Rome}}}\n",
		asks(t), outcome(t), outcome(t))
	require.Contains(t, text, "  - input: hi\n    expect:\n      status: \"interrupted\"\n")
	require.Contains(t, text, "  - input: ho\n    expect:\n      message: \"{")
	text = updated(t, "turns:\n  - input: hi\n    expect:\n      interrupts: []\n", asks(t))
	require.Contains(t, text, "        - call: \"write\"\n          args:\n            path: \"a\"\n        - key: \"color\"\n          value: \"Which?\"\n")
}

func TestWhatAnUpdateRefuses(t *testing.T) {
	t.Parallel()
	inline := must(t, "turns: [{input: hi, expect: {message: no}}]")
	_, err := inline.Update([]*cases.Outcome{outcome(t)})
	require.ErrorContains(t, err, "write it as a block")
	unused := outcome(t)
	unused.Unused = []string{"approve: write"}
	_, err = must(t, "turns: [{input: hi}]").Update([]*cases.Outcome{unused})
	require.ErrorContains(t, err, "nobody asked for {approve: write}; remove it")
}
