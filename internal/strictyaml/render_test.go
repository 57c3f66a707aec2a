package strictyaml_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/internal/strictyaml"
)

func TestLongLinesAreCutAroundTheColumn(t *testing.T) {
	t.Parallel()
	x := func(n int) string { return strings.Repeat("x", n) }
	for name, test := range map[string]struct {
		source       string
		column       int
		line, before string
	}{
		"fits":           {x(100), 100, x(100), strings.Repeat(" ", 99)},
		"at the start":   {"ab" + x(200), 2, "ab" + x(98) + "…", " "},
		"in the middle":  {x(150) + "A" + x(150), 151, "…" + x(60) + "A" + x(39) + "…", strings.Repeat(" ", 61)},
		"at the end":     {x(200) + "A", 201, "…" + x(99) + "A", strings.Repeat(" ", 100)},
		"behind the end": {x(10), 50, x(10), strings.Repeat(" ", 10)},
		"tabs":           {"\ta\t\tb", 5, "\ta\t\tb", "\t \t\t"},
		"runes":          {"éé日A", 4, "éé日A", "   "},
		"controls":       {"a\x1b[2J\u202eb", 7, "a\ufffd[2J\ufffdb", "      "},
	} {
		p := strictyaml.Problem{File: "f", Line: 12, Column: test.column, Message: "wrong", Source: test.source}
		lines := strings.Split(p.String(), "\n")
		require.Len(t, lines, 3, name)
		require.Equal(t, "  12 | "+test.line, lines[1], name)
		require.Equal(t, "     | "+test.before+"^", lines[2], name)
	}
}

func TestProblemWithoutALine(t *testing.T) {
	t.Parallel()
	require.Equal(t, "wrong", strictyaml.Problem{Message: "wrong"}.String())
	require.Equal(t, "f: wrong\n  mend it", strictyaml.Problem{File: "f", Message: "wrong", Hint: "mend it"}.String())
	require.Equal(t, "f: a.b: wrong:\n  │ - this\n  │ - that",
		strictyaml.Problem{File: "f", Path: "a.b", Message: "wrong:\n- this\n- that\n"}.String())
}
