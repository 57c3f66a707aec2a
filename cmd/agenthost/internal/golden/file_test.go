package golden_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/golden"
)

// TestUpdateKeepsTheRestOfTheFile updates expect at different places of a file.
func TestUpdateKeepsTheRestOfTheFile(t *testing.T) {
	t.Parallel()
	expect := "expect:\n  result:\n    jump_to: \"end\"\n"
	for name, test := range map[string]struct{ before, after string }{
		"at the end": {
			"# a case\nhook: after_model # it ends\nmessages: [{role: ai, content: stop}]",
			"# a case\nhook: after_model # it ends\nmessages: [{role: ai, content: stop}]\n" + expect,
		},
		"in the middle": {
			"hook: after_model\nexpect:\n  # gone\n  result: {jump_to: model}\n\n  next: []\n\n# about the messages\nmessages: [{role: ai, content: stop}]\n",
			"hook: after_model\n" + expect + "\n# about the messages\nmessages: [{role: ai, content: stop}]\n",
		},
		"in one line": {
			"expect: {}\nhook: after_model\nmessages: [{role: ai, content: stop}]\n",
			expect + "hook: after_model\nmessages: [{role: ai, content: stop}]\n",
		},
		"as expected": {
			"hook: after_model\nmessages: [{role: ai, content: stop}]\nexpect: {result: {jump_to: end}} # mine\n",
			"hook: after_model\nmessages: [{role: ai, content: stop}]\nexpect: {result: {jump_to: end}} # mine\n",
		},
		"null": {
			"hook: after_model\nmessages: [{role: ai, content: fine}]\nexpect:\n",
			"hook: after_model\nmessages: [{role: ai, content: fine}]\nexpect:\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := load(t, test.before)
			outcome, err := c.Perform(t.Context(), guest("parity"))
			require.NoError(t, err)
			changed, err := c.Update(outcome)
			require.NoError(t, err)
			require.Equal(t, test.before != test.after, changed)
			b, err := os.ReadFile(c.Path)
			require.NoError(t, err)
			require.Equal(t, test.after, string(b))
		})
	}
}

func TestUpdateWritesFuelWhereItStood(t *testing.T) {
	t.Parallel()
	text := "hook: after_model\nmessages: [{role: ai, content: stop}]\nexpect: {fuel: 1, log: []}\n"
	require.Regexp(t, `^\n  result:\n    jump_to: "end"\n  fuel: \d+\n$`, updated(t, guest("parity"), text))
}

func TestUpdateDoesNotBlessFaults(t *testing.T) {
	t.Parallel()
	c := load(t, "hook: after_model\n")
	outcome, err := c.Perform(t.Context(), guest("parity"))
	require.NoError(t, err)
	_, err = c.Update(outcome)
	require.ErrorContains(t, err, "this cannot be written as expected: fault trap")
	require.Equal(t, "\n  fault: \"trap\"\n", updated(t, guest("parity"), "hook: after_model\nexpect: {fault: trap, next: [{}]}\n"))
}

func TestUpdateOfAFileThatHasNoRoom(t *testing.T) {
	t.Parallel()
	text := "{hook: after_model, messages: [{role: ai, content: stop}], expect: {}}\n"
	c := load(t, text)
	outcome, err := c.Perform(t.Context(), guest("parity"))
	require.NoError(t, err)
	_, err = c.Update(outcome)
	require.ErrorContains(t, err, "write it as a block at the end of the file")
	b, err := os.ReadFile(c.Path)
	require.NoError(t, err)
	require.Equal(t, text, string(b))
}

// TestStringsAreWrittenSoThatTheyAreRead writes texts that YAML could read as other types.
func TestStringsAreWrittenSoThatTheyAreRead(t *testing.T) {
	t.Parallel()
	text := `
hook: call_tool
call: {name: remember, args: {key: "yes: #no", text: "a\n\tb \u001b \u2028 \U0001F600 null 'x' \\"}}
`
	require.Contains(t, updated(t, guest("parity"), text), `content: "remembered yes: #no"`)
}

func TestFilesThatAreNotUnderstood(t *testing.T) {
	t.Parallel()
	for says, text := range map[string]string{
		`the key "hook" is missing`:                "messages: []\n",
		`unknown hook "before_lunch"`:              "hook: before_lunch\n",
		`unknown key "mesages"`:                    "hook: after_model\nmesages: []\n",
		`unknown key "results"`:                    "hook: after_model\nexpect: {results: {}}\n",
		`key "role" is missing`:                    "hook: after_model\nmessages: [{content: x}]\n",
		`unknown key "contents"`:                   "hook: after_model\nmessages: [{role: ai, contents: x}]\n",
		`the key "next" is only for`:               "hook: after_model\nnext: [{content: x}]\n",
		`the key "call" is only for`:               "hook: after_model\ncall: {name: x}\n",
		`the key "seen" is only for`:               "hook: wrap_model_call\nseen: 0\n",
		`the key "known" is only for`:              "hook: call_tool\ncall: {name: x}\nknown: true\n",
		`the key "request" is only for`:            "hook: before_model\nrequest: {}\n",
		`needs the key "call"`:                     "hook: call_tool\n",
		"seen is 3, but there are only 0":          "hook: before_model\nseen: 3\n",
		`did you mean "http.fetch"`:                "hook: before_model\nhost_calls: {http.fetsh: []}\n",
		"one of the keys reply, error and refused": "hook: before_model\nhost_calls: {http.fetch: [{}]}\n",
		`"EDENIED"`:                                "hook: before_model\nhost_calls: {http.fetch: [{refused: EDENID}]}\n",
		"a time such as":                           "hook: before_model\nnow: yesterday\n",
		`"message" is missing`:                     "hook: wrap_model_call\nnext: [{error: {type: x}}]\n",
	} {
		_, err := golden.Load(write(t, text))
		require.ErrorContains(t, err, says)
		require.ErrorContains(t, err, "case.yaml:", says)
	}
	_, err := golden.Load(filepath.Join(t.TempDir(), "gone.yaml"))
	require.ErrorContains(t, err, "no such file")
	_, err = golden.Load(write(t, string(make([]byte, 1<<20+1))))
	require.ErrorContains(t, err, "is larger than the limit of 1048576 bytes")
}

func TestFind(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	none, err := golden.Find(filepath.Join(dir, "x.wasm"))
	require.NoError(t, err)
	require.Empty(t, none)
	cases := filepath.Join(dir, "testdata")
	require.NoError(t, os.MkdirAll(filepath.Join(cases, "dir.yaml"), 0o700))
	for _, name := range []string{"b.yaml", "a.yaml", "c.yml", "d.json"} {
		require.NoError(t, os.WriteFile(filepath.Join(cases, name), nil, 0o600))
	}
	found, err := golden.Find(filepath.Join(dir, "x.wasm"))
	require.NoError(t, err)
	require.Equal(t, []string{filepath.Join(cases, "a.yaml"), filepath.Join(cases, "b.yaml")}, found)
}
