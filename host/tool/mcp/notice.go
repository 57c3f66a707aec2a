package mcp

import (
	"context"
	"encoding/json"
	"log/slog"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// levels maps the protocol's log levels to those of slog.
var levels = map[sdk.LoggingLevel]slog.Level{
	"debug": slog.LevelDebug, "info": slog.LevelInfo, "notice": slog.LevelInfo, "warning": slog.LevelWarn,
	"error": slog.LevelError, "critical": slog.LevelError, "alert": slog.LevelError, "emergency": slog.LevelError,
}

// logged writes a log message of the server to the log. Its errors become warnings, because agent failures are reported
// elsewhere.
func (ss *session) logged(_ context.Context, req *sdk.LoggingMessageRequest) {
	text, ok := req.Params.Data.(string)
	if !ok {
		data, err := json.Marshal(req.Params.Data)
		if err != nil {
			return
		}
		text = string(data)
	}
	ss.log.log(min(levels[req.Params.Level], slog.LevelWarn), "the server logs", "text", text)
}

// progressed passes a progress notification to its call, and drops it if the call does not keep up.
func (ss *session) progressed(_ context.Context, req *sdk.ProgressNotificationClientRequest) {
	token, ok := req.Params.ProgressToken.(string)
	if !ok {
		return
	}
	ss.mu.Lock()
	c := ss.calls[token]
	ss.mu.Unlock()
	if c == nil {
		return
	}
	select {
	case c.progress <- req.Params:
	default:
	}
}

// toolsChanged notes that the server now offers other tools, which the next Refresh reads.
func (ss *session) toolsChanged(context.Context, *sdk.ToolListChangedRequest) {
	ss.server.noteChange(ss)
	ss.log.say("the server's tools have changed", "effect", "the agent's next run reads them")
}

// noteChange notes that the list of tools may be another one.
func (s *Server) noteChange(ss *session) {
	ss.changed.Store(true)
	if s.config.ToolsChanged != nil {
		s.config.ToolsChanged()
	}
}
