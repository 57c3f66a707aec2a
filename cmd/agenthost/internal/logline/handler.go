// Package logline writes log records as lines for people: a time, a level, a message and attributes, in colours where the terminal has them.
package logline

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"strings"
	"sync"

	"github.com/agenthost/agenthost/internal/terminal"
)

// Handler is a [slog.Handler]. Its methods may be called by several goroutines at once.
type Handler struct {
	out    *output
	level  slog.Level
	colors bool
	prefix string // of attributes: the groups, with a dot after each
	fixed  string // the attributes that all records have
}

// output is what several handlers write to.
type output struct {
	mu sync.Mutex
	w  io.Writer
}

// New returns a handler that leaves out records below a level.
func New(w io.Writer, level slog.Level, colors bool) *Handler {
	return &Handler{out: &output{w: w}, level: level, colors: colors}
}

// Enabled reports whether records of a level are written.
func (h *Handler) Enabled(_ context.Context, level slog.Level) bool { return level >= h.level }

// The colours of levels and of what is less important: https://en.wikipedia.org/wiki/ANSI_escape_code#SGR.
const (
	red    = "\x1b[31m"
	yellow = "\x1b[33m"
	green  = "\x1b[32m"
	gray   = "\x1b[90m"
	plain  = "\x1b[0m"
)

// Handle writes a record.
func (h *Handler) Handle(_ context.Context, r slog.Record) error {
	var b bytes.Buffer
	if !r.Time.IsZero() {
		b.WriteString(h.in(gray, r.Time.Format("15:04:05.000")))
		b.WriteByte(' ')
	}
	color := gray
	switch {
	case r.Level >= slog.LevelError:
		color = red
	case r.Level >= slog.LevelWarn:
		color = yellow
	case r.Level >= slog.LevelInfo:
		color = green
	}
	name := r.Level.String()
	b.WriteString(h.in(color, name+strings.Repeat(" ", max(0, 5-len(name)))))
	b.WriteByte(' ')
	b.WriteString(terminal.Line(r.Message))
	b.WriteString(h.fixed)
	r.Attrs(func(a slog.Attr) bool {
		b.WriteString(h.attribute(h.prefix, a))
		return true
	})
	b.WriteByte('\n')
	h.out.mu.Lock()
	defer h.out.mu.Unlock()
	_, err := h.out.w.Write(b.Bytes())
	return err
}

func (h *Handler) in(color, text string) string {
	if !h.colors {
		return text
	}
	return color + text + plain
}

// attribute returns an attribute with a blank before it.
func (h *Handler) attribute(prefix string, a slog.Attr) string {
	value := a.Value.Resolve()
	if value.Kind() == slog.KindGroup {
		if a.Key != "" {
			prefix += a.Key + "."
		}
		var b strings.Builder
		for _, inner := range value.Group() {
			b.WriteString(h.attribute(prefix, inner))
		}
		return b.String()
	}
	if a.Equal(slog.Attr{}) {
		return ""
	}
	return " " + h.in(gray, prefix+a.Key+"=") + terminal.Line(value.String())
}

// WithAttrs returns a handler whose records have the attributes.
func (h *Handler) WithAttrs(attributes []slog.Attr) slog.Handler {
	out := *h
	for _, a := range attributes {
		out.fixed += h.attribute(h.prefix, a)
	}
	return &out
}

// WithGroup returns a handler whose records are in a group.
func (h *Handler) WithGroup(name string) slog.Handler {
	if name == "" {
		return h
	}
	out := *h
	out.prefix += name + "."
	return &out
}
