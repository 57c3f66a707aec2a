package plugin_test

import (
	"context"
	"log/slog"
	"slices"
	"sync"
)

// logBuffer is a slog.Handler that keeps what guests log.
type logBuffer struct {
	mu    sync.Mutex
	lines []slog.Record
}

func (l *logBuffer) Enabled(context.Context, slog.Level) bool { return true }

func (l *logBuffer) Handle(_ context.Context, r slog.Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, r)
	return nil
}

func (l *logBuffer) WithAttrs([]slog.Attr) slog.Handler { return l }
func (l *logBuffer) WithGroup(string) slog.Handler      { return l }

// texts returns the lines as level and message.
func (l *logBuffer) texts() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []string
	for _, r := range slices.Clone(l.lines) {
		out = append(out, r.Level.String()+" "+r.Message)
	}
	return out
}
