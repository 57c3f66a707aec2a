//go:build !no_otel

package telemetry

import (
	"context"
	"encoding/binary"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/trace"
)

// Exactly makes the times and ids of a configuration repeatable.
func Exactly(c Config) Config {
	var ticks atomic.Int64
	c.clock = func() time.Time { return time.UnixMilli(1_800_000_000_000 + ticks.Add(1)) }
	c.ids = &counter{}
	return c
}

// counter gives ids out in order.
type counter struct{ n atomic.Uint64 }

func (c *counter) NewIDs(ctx context.Context) (id trace.TraceID, span trace.SpanID) {
	binary.BigEndian.PutUint64(id[:], c.n.Add(1))
	return id, c.NewSpanID(ctx, id)
}

func (c *counter) NewSpanID(context.Context, trace.TraceID) (id trace.SpanID) {
	binary.BigEndian.PutUint64(id[:], c.n.Add(1))
	return id
}

// Attributes and Instruments are what names.go has, for the comparison with the registries.
var (
	Attributes = []string{
		attrOperation, attrProvider, attrAgentName, attrConversation, attrRequestModel, attrResponseModel, attrFinishReasons, attrFirstChunk, attrMaxTokens,
		attrTemperature, attrTopP, attrTopK, attrSeed, attrInputTokens, attrOutputTokens, attrCacheRead, attrCacheCreation, attrReasoning, attrTokenType,
		attrToolName, attrToolType, attrToolCallID, attrToolArguments, attrToolResult, attrToolDefinitions, attrSystem, attrInput, attrOutput,
		attrMCPMethod, attrMCPSession, attrMCPProtocol, attrErrorType, attrSession, attrUser, attrMethod, attrRoute, attrStatus, attrPath, attrScheme, attrServer, attrPort,
	}
	Operations    = []string{operationChat, operationInvoke, operationTool}
	ProviderNames = providers
)
