// Package guestlog collects the lines that a plugin logs.
package guestlog

import (
	"context"
	"log/slog"
	"slices"
	"sync"
)

// Lines is a handler that keeps the lines of plugins, each with its level, and drops those of the host. Several goroutines may use it.
type Lines struct {
	mu  sync.Mutex
	all []string
}

// All returns the lines.
func (l *Lines) All() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.all)
}

// Enabled accepts every level.
func (*Lines) Enabled(context.Context, slog.Level) bool { return true }

// WithAttrs ignores the attributes.
func (l *Lines) WithAttrs([]slog.Attr) slog.Handler { return l }

// WithGroup ignores the group.
func (l *Lines) WithGroup(string) slog.Handler { return l }

// Handle keeps a line of a plugin: it names the hook, and nothing else.
func (l *Lines) Handle(_ context.Context, r slog.Record) error {
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "hook" && r.NumAttrs() == 1 {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.all = append(l.all, levelName(r.Level)+": "+r.Message)
		}
		return true
	})
	return nil
}

func levelName(level slog.Level) string {
	switch level {
	case slog.LevelDebug:
		return "debug"
	case slog.LevelWarn:
		return "warning"
	case slog.LevelError:
		return "error"
	default:
		return "info"
	}
}
