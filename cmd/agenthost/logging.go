package main

import (
	"context"
	"log/slog"
)

// eventAttribute marks log records whose text an event of the run reports, too: see [host.Config].
const eventAttribute = "event"

// eventFilter leaves out log records that the command shows as progress.
type eventFilter struct{ slog.Handler }

// Handle passes a record on unless an event reports it.
func (f eventFilter) Handle(ctx context.Context, r slog.Record) error {
	reported := false
	r.Attrs(func(attribute slog.Attr) bool {
		reported = attribute.Key == eventAttribute
		return !reported
	})
	if reported {
		return nil
	}
	return f.Handler.Handle(ctx, r)
}

// WithAttrs returns a filter whose records have the attributes.
func (f eventFilter) WithAttrs(attributes []slog.Attr) slog.Handler {
	return eventFilter{f.Handler.WithAttrs(attributes)}
}

// WithGroup returns a filter whose records are in the group.
func (f eventFilter) WithGroup(name string) slog.Handler {
	return eventFilter{f.Handler.WithGroup(name)}
}

// logger returns a logger that writes to standard error.
func (a *app) logger() *slog.Logger {
	level := slog.LevelWarn
	if a.verbose {
		level = slog.LevelDebug
	}
	var handler slog.Handler = slog.NewTextHandler(a.err, &slog.HandlerOptions{Level: level})
	if a.showsEvents {
		handler = eventFilter{handler}
	}
	return slog.New(a.telemetry.LogHandler(handler))
}
