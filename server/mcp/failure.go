package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/server/internal/access"
	"github.com/agenthost/agenthost/server/internal/detail"
	"github.com/agenthost/agenthost/server/internal/door"
)

// mcpFailure is the answer to a request that failed: an error of JSON-RPC.
type mcpFailure struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Error   struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// Codes of errors, those of the protocol's own servers.
const (
	codeFailed    = -32000
	codeNoSession = -32001
)

// fail answers a request with an error; id is that of its message, nil: unknown.
func (d *Door) fail(c *door.Call, id json.RawMessage, err error) {
	if gone := door.Gone(c.R.Context(), err); gone != nil {
		err = gone
	}
	access.Note(c.R.Context(), err)
	e := detail.Of(err)
	var out mcpFailure
	out.JSONRPC, out.ID = "2.0", id
	out.Error.Code, out.Error.Message = codeFailed, detail.Text(e.Text)
	if e.Status == http.StatusNotFound {
		out.Error.Code = codeNoSession
	}
	if id == nil {
		out.ID = json.RawMessage("null")
	}
	detail.RetryAfter(c.W.Header(), e.RetryAfter)
	body, _ := json.Marshal(out) //nolint:errchkjson // its parts are texts and valid JSON
	c.W.Header().Set("Content-Type", "application/json")
	c.W.WriteHeader(e.Status)
	_, _ = c.W.Write(body)
}

func tooMany() error {
	return &detail.Error{Status: http.StatusServiceUnavailable, RetryAfter: time.Second, Text: "this server has too many sessions at the moment"}
}

// refusal returns an error of JSON-RPC about what a client asks for.
func refusal(format string, args ...any) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf(format, args...)}
}

// failed returns the result of a call that failed. What is not meant for clients goes to the log.
func (c *call) failed(err error) *sdk.CallToolResult {
	switch {
	case door.IsInvalid(err), door.IsBusy(err), errors.Is(err, runs.ErrQueueFull), errors.Is(err, runs.ErrBudgetSpent), errors.Is(err, runs.ErrNoThread),
		errors.Is(err, runs.ErrNoAgent):
		return failure(err)
	case c.ctx.Err() != nil:
		return failure(errors.New("the call was cancelled"))
	}
	return failure(c.s.internal(err))
}
