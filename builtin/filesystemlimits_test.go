package builtin_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/builtin"
)

// A page of a million empty lines is cut in no more time than it takes to read.
func TestFilesystemReadsManyLines(t *testing.T) {
	t.Parallel()
	given := files{"/f": strings.Repeat("\n", 1_000_000) + "x"}
	result, _ := withFiles(t, fileTrees[0], builtin.Filesystem{}, given, one("read_file", args{"file_path": "/f", "limit": 1_000_000_000}))
	answer := toolAnswers(result)[0]
	require.LessOrEqual(t, len(answer), 80_000)
	require.Greater(t, len(answer), 79_900)
	require.Regexp(t, `\n\n\[Read (\d+) lines \(lines 1-\d+ of 1000001 total\)\. \d+ lines remaining from offset \d+\.\]$`, answer)
}
