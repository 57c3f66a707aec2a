// Package testservers runs servers that others wrote, for tests. make servers installs them.
package testservers

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Variable is the environment variable with the folder of the installed servers, where node_modules is. Without it that is
// .bin/servers of the repository in which a test runs.
const Variable = "AGENTHOST_TESTSERVERS"

var errNone = errors.New("the test servers are not installed: run make servers, which needs Node.js 20 or later")

// script finds a script of a package.
func script(path string) (string, error) {
	dir := os.Getenv(Variable)
	if dir == "" {
		root, err := repository()
		if err != nil {
			return "", err
		}
		dir = filepath.Join(root, ".bin", "servers")
	}
	path = filepath.Join(dir, "node_modules", filepath.FromSlash(path))
	if _, err := os.Stat(path); err != nil { //nolint:gosec // the folder is the developer's
		return "", fmt.Errorf("%w (%w)", errNone, err)
	}
	if _, err := exec.LookPath("node"); err != nil {
		return "", fmt.Errorf("%w (%w)", errNone, err)
	}
	return path, nil
}

// repository is the folder with go.mod above the test's.
func repository() (string, error) {
	dir, err := os.Getwd()
	for err == nil {
		if _, missing := os.Stat(filepath.Join(dir, "go.mod")); missing == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", errNone
		}
		dir = up
	}
	return "", err
}

// node starts a script, and returns what ready makes of the first line of its output that it takes. The process ends with
// the test. Where the servers are not installed the test is skipped; in CI it fails.
func node(t *testing.T, path string, args []string, ready func(line string) (string, bool)) string {
	t.Helper()
	found, err := script(path)
	if errors.Is(err, errNone) && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())                        // it ends behind the test's clean-ups
	cmd := exec.CommandContext(ctx, "node", append([]string{found}, args...)...) //nolint:gosec // make servers has installed it
	cmd.Env = append(os.Environ(), "NO_COLOR=1")
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var reading sync.WaitGroup
	t.Cleanup(func() {
		stop()
		reading.Wait()
		_ = cmd.Wait() // it was killed
	})
	lines := bufio.NewScanner(output)
	var said []string
	for lines.Scan() {
		if address, ok := ready(lines.Text()); ok {
			reading.Go(func() { _, _ = io.Copy(io.Discard, output) }) // a full pipe would stop it
			return address
		}
		said = append(said, lines.Text())
	}
	t.Fatalf("%s has ended without a word of being ready:\n%s", path, strings.Join(said, "\n"))
	return ""
}

// Aimock starts aimock, a server that speaks the languages of OpenAI, Anthropic and Gemini, with the fixtures of a file or
// folder. It returns its address, such as "http://127.0.0.1:1234".
func Aimock(t *testing.T, fixtures string) string {
	t.Helper()
	const listening = "listening on "
	return node(t, "@copilotkit/aimock/dist/cli.js", []string{"-p", "0", "-f", fixtures}, func(line string) (string, bool) {
		_, address, ok := strings.Cut(line, listening)
		return strings.TrimSpace(address), ok
	})
}
