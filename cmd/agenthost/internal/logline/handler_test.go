package logline_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/slogtest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/logline"
)

func TestLines(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log := slog.New(logline.New(&out, slog.LevelInfo, false))
	log.Debug("not written")
	log.With("run", "r1").WithGroup("http").Warn("it is\nslow", "status", 200, slog.Group("client", "name", "ann"))
	line := out.String()
	require.Equal(t, 1, strings.Count(line, "\n"), "foreign text makes no lines")
	require.Contains(t, line, "WARN  it is")
	require.Contains(t, line, " run=r1 http.status=200 http.client.name=ann\n")
	require.NotContains(t, line, "\x1b")
}

func TestColors(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	slog.New(logline.New(&out, slog.LevelInfo, true)).Error("no", "error", errors.New("\x1b[2J"))
	require.Contains(t, out.String(), "\x1b[31mERROR\x1b[0m no")
	require.NotContains(t, out.String(), "\x1b[2J", "only the handler controls the terminal")
}

// The handler keeps what package slog says of handlers.
func TestHandler(t *testing.T) {
	t.Parallel()
	var out *bytes.Buffer
	slogtest.Run(t, func(*testing.T) slog.Handler {
		out = &bytes.Buffer{}
		return logline.New(out, slog.LevelInfo, false)
	}, func(*testing.T) map[string]any { return read(strings.TrimSuffix(out.String(), "\n")) })
}

// read reads a line back.
func read(line string) map[string]any {
	all := map[string]any{}
	words := strings.Fields(line)
	if _, err := time.Parse("15:04:05.000", words[0]); err == nil {
		all[slog.TimeKey], words = words[0], words[1:]
	}
	all[slog.LevelKey], all[slog.MessageKey] = words[0], words[1]
	for _, word := range words[2:] {
		path, value, _ := strings.Cut(word, "=")
		at, keys := all, strings.Split(path, ".")
		for _, key := range keys[:len(keys)-1] {
			if at[key] == nil {
				at[key] = map[string]any{}
			}
			inner, ok := at[key].(map[string]any)
			if !ok {
				return nil
			}
			at = inner
		}
		at[keys[len(keys)-1]] = value
	}
	return all
}
