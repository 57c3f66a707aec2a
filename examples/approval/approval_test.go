// Package approval_test runs what docs/threads.md shows, in copies of the example.
package approval_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/test/programs"
)

// bin returns the directory with the command.
var bin = sync.OnceValues(func() (string, error) { return programs.Build("cmd/agenthost") })

// example is a copy of the example.
type example struct {
	t   *testing.T
	dir string
	bin string // the directory with the command
}

func setup(t *testing.T) *example {
	t.Helper()
	bin, err := bin()
	require.NoError(t, err)
	e := &example{t, t.TempDir(), bin}
	for _, name := range []string{"agenthost.yaml", "rules.yaml", "notes/welcome.md"} {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(e.dir, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(e.dir, name), text, 0o600))
	}
	return e
}

// run runs a line of a shell in the copy and returns what it printed and its exit code.
func (e *example) run(line string) (printed string, code int) {
	e.t.Helper()
	c := exec.CommandContext(e.t.Context(), "sh", "-c", line)
	c.Dir = e.dir
	c.Env = append(os.Environ(), "PATH="+e.bin+string(os.PathListSeparator)+os.Getenv("PATH"), "XDG_CACHE_HOME="+filepath.Join(e.dir, "cache"))
	out, err := c.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		require.NoError(e.t, err)
	}
	return string(out), c.ProcessState.ExitCode()
}

// must runs a line that must end with the code, and returns what it printed.
func (e *example) must(code int, line string) string {
	e.t.Helper()
	printed, got := e.run(line)
	require.Equal(e.t, code, got, "%s\n%s", line, printed)
	return printed
}

// note is what is in a note; "" if there is none.
func (e *example) note(name string) string {
	text, _ := os.ReadFile(filepath.Join(e.dir, "notes", name))
	return string(text)
}

func TestAnApprovedNoteIsWritten(t *testing.T) {
	t.Parallel()
	e := setup(t)
	require.Contains(t, e.must(3, `agenthost run --thread ada "note shopping: tea"`), "agenthost resume ada -f agenthost.yaml --approve call-1\n")
	require.Empty(t, e.note("shopping.md"))
	require.Contains(t, e.must(0, "agenthost threads show ada"), "\nwaiting for an answer before human_in_the_loop.after_model\n")
	require.Contains(t, e.must(0, "agenthost resume ada --approve call-1"), "It is written.\n")
	require.Equal(t, "tea", e.note("shopping.md"))
	require.Contains(t, e.must(0, "agenthost threads show ada"), "\ndone\n")
	require.Contains(t, e.must(0, `agenthost run --thread ada "which notes are there?"`), "shopping.md (3 bytes)\n")
}

func TestARejectedNoteIsNot(t *testing.T) {
	t.Parallel()
	e := setup(t)
	e.must(3, `agenthost run --thread ada "note shopping: tea"`)
	require.Equal(t, "I did not write it: no tea\n", e.must(0, `agenthost resume ada --reject call-1 --message "no tea"`))
	require.Empty(t, e.note("shopping.md"))
	require.Contains(t, e.must(0, "agenthost threads show ada"), "\ntool write_file (call-1): error\n")
}

// changing matches what differs from run to run: times and ids.
var changing = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ|ask-[0-9a-f]+-\d+|msg-[0-9a-f]+-\d+`)

// exitCode is a comment behind a command.
var exitCode = regexp.MustCompile(`\s+# exit code (\d+)$`)

func TestSessionsOfTheDocument(t *testing.T) {
	t.Parallel()
	document, err := os.ReadFile("../../docs/threads.md")
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?s)```console\n(.*?)```").FindAllStringSubmatch(string(document), -1)
	require.GreaterOrEqual(t, len(blocks), 4)
	e := setup(t)
	for _, block := range blocks {
		for _, entry := range strings.Split("\n"+block[1], "\n$ ")[1:] {
			line, want, _ := strings.Cut(entry, "\n")
			code := 0
			if found := exitCode.FindStringSubmatch(line); found != nil {
				code, err = strconv.Atoi(found[1])
				require.NoError(t, err)
			}
			printed := e.must(code, exitCode.ReplaceAllString(line, ""))
			masked := func(text string) string { return changing.ReplaceAllString(strings.TrimRight(text, "\n"), "…") }
			require.Equal(t, masked(want), masked(printed), line)
		}
	}
}
