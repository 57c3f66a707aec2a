package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/internal/text"
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
	if errors.Is(err, context.Canceled) && c.R.Context().Err() != nil {
		err = &detail.Error{Status: statusClientGone, Text: "the client is gone", Cause: err}
	}
	access.Note(c.R.Context(), err)
	e := detail.Of(err)
	var out mcpFailure
	out.JSONRPC, out.ID = "2.0", id
	out.Error.Code, out.Error.Message = codeFailed, text.First(e.Text, maxText)
	if e.Status == http.StatusNotFound {
		out.Error.Code = codeNoSession
	}
	if id == nil {
		out.ID = json.RawMessage("null")
	}
	if e.RetryAfter > 0 {
		c.W.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(e.RetryAfter.Seconds()))))
	}
	body, _ := json.Marshal(out) //nolint:errchkjson // its parts are texts and valid JSON
	c.W.Header().Set("Content-Type", "application/json")
	c.W.WriteHeader(e.Status)
	_, _ = c.W.Write(body)
}

// statusClientGone is for the log: nobody reads the answer. It is nginx's.
const statusClientGone = 499

// maxText is the length of the longest text of an error, in characters.
const maxText = 4000

// lost answers a call that no route takes.
func lost(c *door.Call, allowed []string) {
	if allowed == nil {
		detail.Write(c.W, detail.Errorf(http.StatusNotFound, "Not Found"))
		return
	}
	c.W.Header().Set("Allow", door.Allow(allowed))
	detail.Write(c.W, detail.Errorf(http.StatusMethodNotAllowed, "Method Not Allowed"))
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
	var refused *host.UpdateError
	var unusable *host.ThreadError
	switch {
	case errors.Is(err, runs.ErrThreadBusy), errors.Is(err, runs.ErrQueueFull), errors.Is(err, runs.ErrBudgetSpent), errors.Is(err, runs.ErrNoThread),
		errors.Is(err, runs.ErrNoAgent), errors.Is(err, runs.ErrInvalidTask), errors.Is(err, runs.ErrInvalidValue),
		errors.As(err, &refused), errors.As(err, &unusable):
		return failure(err)
	case c.ctx.Err() != nil:
		return failure(errors.New("the call was cancelled"))
	}
	return failure(c.s.internal(err))
}
