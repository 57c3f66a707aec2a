package mcp

import (
	"context"
	"encoding/json"
	"log/slog"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// levels are those of the protocol, as those of slog.
var levels = map[sdk.LoggingLevel]slog.Level{ //nolint:staticcheck // deprecated for servers; those that exist do it
	"debug": slog.LevelDebug, "info": slog.LevelInfo, "notice": slog.LevelInfo, "warning": slog.LevelWarn,
	"error": slog.LevelError, "critical": slog.LevelError, "alert": slog.LevelError, "emergency": slog.LevelError,
}

// logged logs what the server logs. Its errors are warnings: whether something of the agent failed shows elsewhere.
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

// progressed hands news of a call to it. What it does not take in time is left out.
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

// toolsChanged tells the operator that the agent does not have what the server offers now.
func (ss *session) toolsChanged(context.Context, *sdk.ToolListChangedRequest) {
	ss.log.log(slog.LevelWarn, "the server's tools have changed; the agent has those that there were when it was built", "effect",
		"start the agent anew for the others")
}
