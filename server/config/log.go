package config

import "log/slog"

// Log says what the server writes to standard error.
type Log struct {
	Format string `yaml:"format" strict:"enum=auto|text|json" schema:"default=auto"`       // auto is text at a terminal, and json elsewhere; default auto
	Level  string `yaml:"level" strict:"enum=debug|info|warn|error" schema:"default=info"` // the least important lines that are written; default info
}

func defaultLog() Log { return Log{Format: "auto", Level: "info"} }

// Slog returns the level for package slog.
func (l Log) Slog() slog.Level {
	var level slog.Level
	_ = level.UnmarshalText([]byte(l.Level)) // it was checked; another text is info
	return level
}
