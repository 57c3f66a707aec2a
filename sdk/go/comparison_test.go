package sdk_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestThePluginsOfTheComparison counts the lines of the same three plugins for LangChain, in Go and in Rust, and compares them with the
// table in docs/plugins.md. A plugin must not be longer than twice the middleware.
func TestThePluginsOfTheComparison(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/plugins.md")
	require.NoError(t, err)
	rows := regexp.MustCompile(`(?m)^\| .* \| \d+ \| \d+ \| \d+ \|$`).FindAllString(string(page), -1)
	for title, name := range map[string]string{"tenant budget": "budget", "tool policy": "policy", "cache of similar questions": "similar"} {
		langchain := codeLines(part(t, "testdata/langchain/"+name+".py", `(?m)^class `, `\z`), "#", `"""`)
		inGo := codeLines(part(t, "example_"+name+"_test.go", `(?m)^type `, `// A plugin that `), "//")
		inRust := codeLines(part(t, "../rust/tests/plugins.rs", `(?m)^mod `+name+` \{\n    use super::\*;\n`, `(?m)^\}\n`), "//")
		require.Greater(t, langchain, 10)
		require.LessOrEqual(t, inGo, 2*langchain, title)
		require.LessOrEqual(t, inRust, 2*langchain, title)
		require.Contains(t, rows, fmt.Sprintf("| %s | %d | %d | %d |", title, langchain, inGo, inRust))
	}
}

// part returns the text of a file from the first match of an expression to the next one of another.
func part(t *testing.T, file, from, to string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	start := regexp.MustCompile(from).FindIndex(text)
	require.NotNil(t, start, file)
	rest := text[start[0]:]
	end := regexp.MustCompile(to).FindIndex(rest)
	require.NotNil(t, end, file)
	return string(rest[:end[0]])
}

// codeLines counts the lines that have code: without blank ones, and without those that begin like a comment. The lines that put a Rust
// plugin into a module are not the plugin's.
func codeLines(text string, comments ...string) int {
	n := 0
lines:
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "mod ") || strings.HasPrefix(line, "use ") {
			continue
		}
		for _, c := range comments {
			if strings.HasPrefix(line, c) {
				continue lines
			}
		}
		n++
	}
	return n
}
