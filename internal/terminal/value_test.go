package terminal_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/internal/text"
)

func value(t testing.TB, json string) wire.Raw {
	t.Helper()
	v, err := wire.FromJSON([]byte(json), wire.Limits{})
	require.NoError(t, err)
	return v
}

func TestValues(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 100)
	for json, want := range map[string][]string{
		`{}`:                              {"{}"},
		`[]`:                              {"[]"},
		`"a text"`:                        {`"a text"`},
		`null`:                            {"null"},
		`{"b":1,"a":"1","c":[1,{"d":2}]}`: {`a: "1"`, `b: 1`, `c: [1,{"d":2}]`},
		`{"text":"one\ntwo\n"}`:           {"text: |", "  │ one", "  │ two", "  │ "},
		`"one\n  │ two"`:                  {"|", "  │ one", "  │   │ two"},
		`{"text":"one\ntwo\u001b[2J"}`:    {`text: "one\ntwo\u001b[2J"`},
		`{"text":"\u202egnp.exe"}`:        {`text: "\u202egnp.exe"`},
		`{"text":"a\u200bb\udb40\udc41"}`: {`text: "a\u200bb\udb40\udc41"`},
		`{"a\nb: 1":2,"":3,"ok-1.x":4}`:   {`"": 3`, `"a\nb: 1": 2`, `ok-1.x: 4`},
		`{"list":["` + long + `"]}`:       {"list:", "  [", `    "` + long + `"`, "  ]"},
		`["` + long + `"]`:                {"  [", `    "` + long + `"`, "  ]"},
	} {
		t.Run(json, func(t *testing.T) {
			t.Parallel()
			lines, whole := terminal.Value(value(t, json), 0)
			require.Equal(t, want, lines)
			require.True(t, whole)
		})
	}
}

func TestALongValueSaysWhatIsLeftOut(t *testing.T) {
	t.Parallel()
	v := value(t, `{"text":"`+strings.Repeat(`line\n`, 9)+`","z":"`+strings.Repeat("x", 2000)+`"}`)
	lines, whole := terminal.Value(v, 3)
	require.False(t, whole)
	require.Equal(t, []string{"text: |", "  │ line", "  │ line", "… 9 more lines"}, lines)

	lines, whole = terminal.Value(v, 20)
	require.False(t, whole)
	require.Contains(t, lines[len(lines)-1], "x… 1005 more characters")

	_, whole = terminal.Value(v, 0)
	require.True(t, whole)
}

func FuzzValue(f *testing.F) {
	f.Add(`{"a":"one\ntwo","b":["` + strings.Repeat("x", 90) + `"]}`)
	f.Add(`"\u001b[2J\u202e"`)
	f.Fuzz(func(t *testing.T, json string) {
		v, err := wire.FromJSON([]byte(json), wire.Limits{})
		if err != nil {
			t.Skip(err)
		}
		for _, most := range []int{0, 5} {
			lines, _ := terminal.Value(v, most)
			require.NotEmpty(t, lines)
			for _, line := range lines {
				require.False(t, strings.ContainsFunc(line, func(r rune) bool { return r != '\t' && text.Steers(r) }), "%q", line)
			}
		}
	})
}
