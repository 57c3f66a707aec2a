package client

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/internal/terminal"
)

// Error is an answer in which the server refuses a request.
type Error struct {
	Status  int    // the HTTP status
	Message string // what the server says, on one line of at most 500 characters; "": nothing

	after string // the header Retry-After
}

// Error returns what the server says, or else the status.
func (e *Error) Error() string {
	if e.Message != "" {
		return e.Message
	}
	return strings.TrimSpace(fmt.Sprintf("the server answered with the status %d %s", e.Status, http.StatusText(e.Status)))
}

// ErrorType names the type of the error in documents.
func (*Error) ErrorType() string { return "agent_server_error" }

// answerError is an answer that does not follow the API.
type answerError struct{ problem string }

func (e *answerError) Error() string { return "the answer of the server is not usable: " + e.problem }

// refusal returns the error of a response with an error status.
func (c *Client) refusal(status int, body []byte) *Error {
	said := ""
	if doc, err := wire.FromJSON(body, wire.DefaultLimits); err == nil {
		for _, key := range []string{"message", "detail", "error"} { // in the order of LangGraph's SDK
			value := doc.Get(key)
			if text, ok := value.AsString(); ok {
				said = text
			} else if !value.IsNil() {
				said = value.JSON() // such as the list of problems of a server built with FastAPI
			}
			if said != "" {
				break
			}
		}
	}
	return &Error{Status: status, Message: c.line(said)}
}

// line makes a text of the server safe for one line of a log or a conversation.
func (c *Client) line(text string) string { return terminal.Line(c.secrets.Text(text)) }

// unreached describes why there is no response. It leaves out the address, which net/http puts into its errors.
func (c *Client) unreached(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("the server did not answer in time: %w", context.DeadlineExceeded)
	}
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err
	}
	if _, ok := errors.AsType[*answerError](err); ok {
		return err
	}
	return c.secrets.Error(fmt.Errorf("the server cannot be reached: %w", err))
}

// unsent reports whether the server certainly has not seen a request that failed with this error.
func unsent(err error) bool {
	dialing, ok := errors.AsType[*net.OpError](err)
	return ok && dialing.Op == "dial"
}
