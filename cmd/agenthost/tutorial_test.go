package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTutorial follows the tutorials: it writes a page's files, runs its commands and compares their outputs. It uses no network.
func TestTutorial(t *testing.T) {
	t.Parallel()
	for name, commands := range map[string]int{"tutorial": 20, "typescript": 15, "python": 6, "distribution": 15} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page, err := os.ReadFile("../../docs/" + name + ".md")
			require.NoError(t, err)
			registry, _ := startRegistry(t)
			r := newReader(t)
			r.follow(strings.ReplaceAll(string(page), "localhost:5000", registry))
			require.Greater(t, r.commands, commands)
		})
	}
}

// reader follows a page.
type reader struct {
	t           *testing.T
	dir         string   // the current directory
	environment []string // in which agenthost is this test binary
	commands    int
}

func newReader(t *testing.T) *reader {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	bin := t.TempDir()
	require.NoError(t, os.Symlink(self, filepath.Join(bin, "agenthost")))
	return &reader{t: t, dir: t.TempDir(), environment: append(os.Environ(),
		"PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), asCommand+"=1", "GOPROXY=off", "GOFLAGS=-mod=readonly")}
}

// follow writes the files of a page, and enters its commands.
func (r *reader) follow(page string) {
	r.t.Helper()
	blocks := regexp.MustCompile("(?s)(?:<!-- file: (\\S+) -->\n)?```(\\w+)\n(.*?)```\n").FindAllStringSubmatch(page, -1)
	for _, block := range blocks {
		switch name, language, text := block[1], block[2], block[3]; {
		case name != "":
			r.write(name, text)
		case language == "console":
			for _, entry := range strings.Split("\n"+text, "\n$ ")[1:] {
				line, want, _ := strings.Cut(entry, "\n")
				r.enter(line, want)
			}
		}
	}
}

func (r *reader) write(name, text string) {
	r.t.Helper()
	path := filepath.Join(r.dir, name)
	require.NoError(r.t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(r.t, os.WriteFile(path, []byte(text), 0o600))
}

var (
	// statedCode is the exit code that the page states after a command.
	statedCode = regexp.MustCompile(`\s+# exit code (\d+)$`)

	// varying matches what differs between runs and versions of Go: times, sizes, digests, keys and fuel.
	varying = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ|\d+ bytes|sha256( +|:)([0-9a-f]{64}|…)|RW([\w+/=]{54}|…)|fuel \d+|\t(\(cached\)|[0-9.]+s)`)
)

// enter runs a command line and compares its output. An output of … may be anything.
func (r *reader) enter(line, want string) {
	r.t.Helper()
	r.commands++
	if dir, ok := strings.CutPrefix(line, "cd "); ok {
		r.dir = filepath.Join(r.dir, dir)
		return
	}
	code := 0
	if stated := statedCode.FindStringSubmatch(line); stated != nil {
		var err error
		code, err = strconv.Atoi(stated[1])
		require.NoError(r.t, err)
	}
	c := exec.CommandContext(r.t.Context(), "sh", "-c", statedCode.ReplaceAllString(line, ""))
	c.Dir, c.Env = r.dir, r.environment
	out, err := c.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		require.NoError(r.t, err)
	}
	require.Equal(r.t, code, c.ProcessState.ExitCode(), "%s\n%s", line, out)
	if strings.TrimSpace(want) != "…" {
		shown := func(text string) string { return varying.ReplaceAllString(strings.TrimRight(text, "\n"), "…") }
		require.Equal(r.t, shown(want), shown(string(out)), line)
	}
}
