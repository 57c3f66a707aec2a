package rpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// message is any message: a request, a notification or an answer.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"` // empty: a notification
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *Error          `json:"error,omitempty"`
}

// Error is an error in the protocol's form.
type Error struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

func (e *Error) Error() string { return fmt.Sprintf("%s (code %d)", e.Message, e.Code) }

// The codes of errors.
const (
	CodeParse          = -32700 // the message is not JSON
	CodeInvalidRequest = -32600 // the message is not a request
	CodeNoMethod       = -32601
	CodeInvalidParams  = -32602
	CodeInternal       = -32603
	CodeCancelled      = -32800 // the peer has cancelled the request
	CodeBusy           = -32000 // too many requests are in progress
)

// Errorf returns an error with a code.
func Errorf(code int, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// errorOf returns the form of any error.
func errorOf(err error) *Error {
	if coded, ok := errors.AsType[*Error](err); ok {
		return coded
	}
	return &Error{Code: CodeInternal, Message: err.Error()}
}

// maxID is the maximum length of a request's id, in bytes.
const maxID = 256

var null = json.RawMessage("null")

// read reads a message of the peer. The error is what to answer, with the id that the message has.
func read(line []byte) (*message, *Error) {
	line = bytes.TrimSpace(line)
	if !json.Valid(line) {
		return &message{ID: null}, Errorf(CodeParse, "the message is not JSON; send one message in each line")
	}
	if line[0] == '[' {
		return &message{ID: null}, Errorf(CodeInvalidRequest, "batches are not supported; send one message in each line")
	}
	var m message
	if err := json.Unmarshal(line, &m); err != nil {
		return &message{ID: null}, Errorf(CodeInvalidRequest, "the message is not a request: %v", err)
	}
	if !validID(m.ID) {
		return &message{ID: null}, Errorf(CodeInvalidRequest, "the id of a request must be a number or a text of at most %d bytes", maxID)
	}
	return &m, nil
}

// validID reports whether a message may have the id.
func validID(id json.RawMessage) bool {
	if len(id) == 0 {
		return true
	}
	return len(id) <= maxID && id[0] != '{' && id[0] != '[' && id[0] != 't' && id[0] != 'f'
}
