package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
)

var (
	// commandLine matches a line of a code block that runs agenthost, with its words up to a pipe, a redirection or a comment.
	commandLine = regexp.MustCompile(`(?m)^(?:\$ |.*(?:\||&&) |  )?(?:go run \./cmd/)?agenthost ((?:"[^"]*"|'[^']*'|[^\s"'|&>#)]+|[ ])+)`)

	// codeBlock matches a code block with commands.
	codeBlock = regexp.MustCompile("(?s)```(?:sh|console)\n(.*?)```")

	// word matches a word of a command line, which may be in quotes.
	word = regexp.MustCompile(`(?:"[^"]*"|'[^']*'|[^\s"'])+`)
)

// TestCommandsInDocumentsExist checks the commands, flags and arguments in documents and in the examples of help texts.
func TestCommandsInDocumentsExist(t *testing.T) {
	t.Parallel()
	documents, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	found := 0
	for _, document := range append(documents, "../../README.md") {
		text, err := os.ReadFile(document)
		require.NoError(t, err)
		for _, block := range codeBlock.FindAllStringSubmatch(string(text), -1) {
			for _, line := range commandLine.FindAllStringSubmatch(block[1], -1) {
				requireCommand(t, line[1], document)
				found++
			}
		}
	}
	require.Greater(t, found, 60)
	var examples func(c *cobra.Command)
	examples = func(c *cobra.Command) {
		for _, line := range commandLine.FindAllStringSubmatch(c.Example, -1) {
			requireCommand(t, line[1], c.CommandPath()+" --help")
		}
		for _, below := range c.Commands() {
			examples(below)
		}
	}
	examples((&app{}).root())
}

func requireCommand(t *testing.T, line, where string) {
	t.Helper()
	var words []string
	for _, w := range word.FindAllString(strings.TrimSuffix(line, " 2"), -1) { // 2>FILE
		words = append(words, strings.NewReplacer(`"`, "", "'", "").Replace(w))
	}
	root := (&app{}).root()
	root.InitDefaultCompletionCmd(words...)
	c, rest, err := root.Find(words)
	require.NoError(t, err, "%s: %s", where, line)
	require.NoError(t, c.ParseFlags(rest), "%s: %s", where, line)
	require.NoError(t, c.ValidateArgs(c.Flags().Args()), "%s: %s", where, line)
	require.NoError(t, c.ValidateRequiredFlags(), "%s: %s", where, line)
}
