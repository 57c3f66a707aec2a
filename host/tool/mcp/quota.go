package mcp

import (
	"context"
	"log/slog"
	"sync"
)

// quota logs a server's messages up to a limit.
type quota struct {
	logger  *slog.Logger
	secrets *secrets

	mu   sync.Mutex
	left int // bytes
	over bool
}

func (s *Server) newQuota() *quota {
	return &quota{logger: s.config.Logger, secrets: s.secrets, left: maxLogged}
}

// say logs a text of the server at the level info.
func (q *quota) say(message, key, text string) { q.log(slog.LevelInfo, message, key, text) }

func (q *quota) log(level slog.Level, message, key, text string) {
	text = q.secrets.line(text)
	q.mu.Lock()
	q.left -= len(message) + len(text)
	over, first := q.left < 0, q.left < 0 && !q.over
	q.over = over
	q.mu.Unlock()
	switch {
	case first:
		q.logger.Warn("the server logs too much; further messages are dropped until it is connected again")
	case !over:
		q.logger.Log(context.Background(), level, message, key, text)
	}
}
