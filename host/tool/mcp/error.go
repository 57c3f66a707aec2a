package mcp

import (
	"errors"
	"fmt"
	"net"
	"syscall"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// ServerError reports a server that cannot be used.
type ServerError struct {
	Server string
	Err    error
}

func (e *ServerError) Error() string { return fmt.Sprintf("MCP server %q: %v", e.Server, e.Err) }

// Unwrap returns the cause.
func (e *ServerError) Unwrap() error { return e.Err }

// ErrorType names the type of the error in documents.
func (*ServerError) ErrorType() string { return "mcp_error" }

// ErrClosed reports that a server was closed.
var ErrClosed = errors.New("the server is closed")

// unsent is the error of a message that certainly did not reach the server.
type unsent struct{ error }

func (e unsent) Unwrap() error { return e.error }

// wasSent reports whether a call that failed may have reached the server.
func wasSent(err error) bool {
	if errors.Is(err, sdk.ErrConnectionClosed) || errors.Is(err, sdk.ErrSessionMissing) || errors.Is(err, syscall.EPIPE) {
		return false
	}
	if _, ok := errors.AsType[unsent](err); ok {
		return false
	}
	dialing, ok := errors.AsType[*net.OpError](err)
	return !ok || dialing.Op != "dial"
}

// refusal returns the server's own error response, if that is why the request failed.
func refusal(err error) (*jsonrpc.Error, bool) { return errors.AsType[*jsonrpc.Error](err) }

// unreached reports whether a single request failed on its way while the connection stays usable, such as after a status 503. The SDK
// marks such an error as it marks a server's refusal.
func unreached(err error) bool {
	const rejected = -32005 // ErrRejected of the SDK's internal package jsonrpc2
	said, ok := refusal(err)
	return ok && said.Code == rejected && said.Message == "rejected by transport"
}

// guarded calls a function of the SDK, which may panic on a malformed message.
func guarded[T any](fn func() (T, error)) (result T, err error) {
	defer func() {
		if thrown := recover(); thrown != nil {
			err = fmt.Errorf("the server sent a message that cannot be read (%v)", thrown)
		}
	}()
	return fn()
}
