package mcp

import (
	"context"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/tracecontext"
)

var _ host.TracedTool = (*tool)(nil)

// TraceAttributes returns the method of the protocol, and what is known of the connection.
func (t *tool) TraceAttributes() map[string]string {
	out := map[string]string{"mcp.method.name": "tools/call"}
	if t.feature != nil {
		verb, _, _ := strings.Cut(t.feature.name, "_")
		out["mcp.method.name"] = t.feature.key + "/" + verb
	}
	t.server.mu.Lock()
	present := t.server.present
	t.server.mu.Unlock()
	if present == nil {
		return out
	}
	if begun := present.client.InitializeResult(); begun != nil {
		out["mcp.protocol.version"] = begun.ProtocolVersion
	}
	if id := present.client.ID(); id != "" && out["mcp.protocol.version"] < statelessVersion {
		out["mcp.session.id"] = id
	}
	return out
}

// setSpan names the present span in the metadata of a call.
func setSpan(ctx context.Context, params *sdk.CallToolParams) {
	span := tracecontext.From(ctx)
	if span.Parent == "" {
		return
	}
	params.Meta[tracecontext.ParentKey] = span.Parent
	if span.State != "" {
		params.Meta[tracecontext.StateKey] = span.State
	}
}
