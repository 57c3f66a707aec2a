package main

import (
	"context"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDevDocument follows docs/dev.md: it writes the page's files while dev serves, and compares what dev prints and what the agent answers.
func TestDevDocument(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/dev.md")
	require.NoError(t, err)
	r, dev, address, outputs := newReader(t), newScreen(), "", 0
	const stated = "http://127.0.0.1:8123"
	blocks := regexp.MustCompile("(?s)(?:<!-- file: (\\S+) -->\n)?```(\\w+)\n(.*?)```\n").FindAllStringSubmatch(string(page), -1)
	for _, block := range blocks {
		switch name, language, text := block[1], block[2], block[3]; {
		case name != "":
			r.write(name, text)
		case language == "text":
			outputs++
			lines := strings.TrimPrefix(text, "$ agenthost dev\n")
			if lines != text {
				r.develop(dev)
			}
			found := dev.await(t, printedByDev(strings.ReplaceAll(lines, stated, "ADDRESS")))
			if address == "" {
				address = found[0]
			}
		case language == "console":
			for _, entry := range strings.Split("\n"+text, "\n$ ")[1:] {
				line, want, _ := strings.Cut(entry, "\n")
				r.enter(strings.ReplaceAll(line, stated, address), want)
			}
		}
	}
	require.Equal(t, 3, outputs)
	require.Equal(t, 3, r.commands)
}

// printedByDev returns an expression for lines that dev prints; the first group is its address.
func printedByDev(lines string) string {
	expression := regexp.QuoteMeta(lines)
	expression = regexp.MustCompile(`(?m)^\d\d:\d\d:\d\d`).ReplaceAllString(expression, `\d\d:\d\d:\d\d`)
	expression = regexp.MustCompile(`\d+\\\.\d s`).ReplaceAllString(expression, `\d+\.\d s`)
	expression = strings.Replace(expression, "ADDRESS", `(http://127\.0\.0\.1:\d+)`, 1)
	return `(?m)^` + strings.ReplaceAll(expression, "ADDRESS", `http://127\.0\.0\.1:\d+`)
}

// develop starts agenthost dev in the reader's directory, and stops it at the end of the test.
func (r *reader) develop(printed *screen) {
	r.t.Helper()
	develop(r.t, r.dir, r.environment, printed, "sh", "-c", "exec agenthost dev --listen 127.0.0.1:0")
}

// develop starts a program that is agenthost dev. The returned function stops it, and so does the end of the test.
func develop(t *testing.T, dir string, environment []string, printed *screen, program string, args ...string) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	c := exec.CommandContext(ctx, program, args...)
	c.Dir, c.Env, c.Stdout, c.Stderr = dir, environment, printed, printed
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	require.NoError(t, c.Start())
	stop = sync.OnceFunc(func() {
		cancel()
		_ = c.Wait() // it reports that the context has ended
		require.True(t, c.ProcessState.Success(), "%v\n%s", c.ProcessState, &printed.text)
	})
	t.Cleanup(stop)
	return stop
}
