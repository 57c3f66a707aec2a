package hostile_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/plugin/hostile"
)

// TestLines checks that a guest or an existing test covers every line of the checklist.
func TestLines(t *testing.T) {
	t.Parallel()
	lines := hostile.Lines()
	require.Len(t, lines, 107)
	held, names, files := map[int]int{}, map[string]bool{}, map[string]bool{}
	for _, g := range guests() {
		require.False(t, names[g.Name], "two guests have the name %q", g.Name)
		require.False(t, files[g.File()], "two guests have the file %q", g.File())
		require.Equal(t, filepath.Base(g.File()), g.File())
		names[g.Name], files[g.File()] = true, true
		held[g.Line]++
		require.True(t, g.Benign || (g.Stage != "" && len(g.Kinds) > 0), "%s says what must come of it", g.Name)
	}
	tests := map[string]map[string]bool{}
	for n, line := range lines[1:] {
		n++
		require.NotEmpty(t, line.Text, "line %d", n)
		require.True(t, held[n] > 0 || line.None != "", "line %d (%s) has no guest, and no reason for that", n, line.Text)
		require.True(t, held[n] > 0 || len(line.Tests) > 0, "line %d (%s) is held by nothing", n, line.Text)
		for _, test := range line.Tests {
			if tests[test.Dir] == nil {
				tests[test.Dir] = testsIn(t, test.Dir)
			}
			require.True(t, tests[test.Dir][test.Name], "line %d names %s of %s, which is not there", n, test.Name, test.Dir)
		}
	}
	require.Zero(t, held[0])
	t.Logf("%d guests", len(names))
}

// TestSecurity checks that the tests that SECURITY.md names exist.
func TestSecurity(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.FromSlash("../../../SECURITY.md"))
	require.NoError(t, err)
	named := regexp.MustCompile("`([a-z/]+)\\.((?:Test|Fuzz)\\w+)`").FindAllStringSubmatch(string(text), -1)
	require.Greater(t, len(named), 10)
	tests := map[string]map[string]bool{}
	for _, name := range named {
		if tests[name[1]] == nil {
			tests[name[1]] = testsIn(t, name[1])
		}
		require.True(t, tests[name[1]][name[2]], "%s of %s is not there", name[2], name[1])
	}
}

var declared = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)

// testsIn returns the names of the tests in a directory of the repository.
func testsIn(t *testing.T, dir string) map[string]bool {
	t.Helper()
	paths, err := filepath.Glob(filepath.FromSlash("../../../" + dir + "/*_test.go"))
	require.NoError(t, err)
	found := map[string]bool{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, match := range declared.FindAllStringSubmatch(string(text), -1) {
			found[strings.TrimSpace(match[1])] = true
		}
	}
	return found
}
