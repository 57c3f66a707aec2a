package protocol

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"

	"github.com/agenthost/agenthost/server/internal/detail"
	"github.com/agenthost/agenthost/server/internal/jsonbody"
)

// CommandRequest is what a client wants to be done.
type CommandRequest struct {
	ID     int64           `json:"id" jsonschema:"The answer has the same."`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params" type:"object,null"`
}

// maxID is the greatest number that JavaScript can hold.
const maxID = 1<<53 - 1

// noCommand is the text for what is not a command.
const noCommand = "Protocol commands must include an integer id and string method."

// ReadCommand reads a command. If it cannot be read, it returns the answer: its id is nil if the client gave none that can be used.
func ReadCommand(text []byte) (*CommandRequest, *CommandResponse) {
	var raw struct {
		ID     json.RawMessage `json:"id"`
		Method json.RawMessage `json:"method"`
		Params json.RawMessage `json:"params"`
	}
	if err := jsonbody.Unmarshal(text, &raw); err != nil {
		if trimmed := bytes.TrimSpace(text); json.Valid(trimmed) && trimmed[0] != '{' {
			return nil, Failed(nil, InvalidArgument, noCommand)
		}
		return nil, Failed(nil, InvalidArgument, "Protocol commands must be valid JSON: "+reason(err))
	}
	id, err := strconv.ParseInt(string(raw.ID), 10, 64)
	if err != nil || id > maxID || id < -maxID {
		return nil, Failed(nil, InvalidArgument, noCommand)
	}
	out := &CommandRequest{ID: id, Params: raw.Params}
	if len(raw.Method) == 0 || raw.Method[0] != '"' || json.Unmarshal(raw.Method, &out.Method) != nil || out.Method == "" {
		return nil, Failed(&id, InvalidArgument, noCommand)
	}
	if !out.given() {
		out.Params = nil
	} else if out.Params[0] != '{' {
		return nil, Failed(&id, InvalidArgument, "The params of a protocol command must be an object.")
	}
	return out, nil
}

func reason(err error) string {
	if own, ok := errors.AsType[*detail.Error](err); ok {
		return own.Text
	}
	return err.Error()
}

// given reports whether the command has parameters.
func (c *CommandRequest) given() bool { return len(c.Params) > 0 && string(c.Params) != "null" }

// Decode reads the parameters of a command into the target, a pointer to a struct.
func (c *CommandRequest) Decode(target any) error {
	if !c.given() {
		return jsonbody.Unmarshal([]byte("{}"), target)
	}
	return jsonbody.Unmarshal(c.Params, target)
}

// Code says why a command failed.
type Code string

// The codes.
const (
	InvalidArgument    Code = "invalid_argument"
	UnknownCommand     Code = "unknown_command"
	UnknownError       Code = "unknown_error"
	NoSuchRun          Code = "no_such_run"
	NoSuchSubscription Code = "no_such_subscription"
	NoSuchInterrupt    Code = "no_such_interrupt"
	NoSuchCheckpoint   Code = "no_such_checkpoint"
	NoSuchNamespace    Code = "no_such_namespace"
	PermissionDenied   Code = "permission_denied"
	NotSupported       Code = "not_supported"
)

// CommandResponse is the answer to a command.
type CommandResponse struct {
	Type    string `json:"type" enum:"success,error"`
	ID      *int64 `json:"id"`
	Result  any    `json:"result,omitempty" type:"object"`
	Error   Code   `json:"error,omitempty"`
	Message string `json:"message,omitempty" jsonschema:"Why the command failed."`
	Meta    *Meta  `json:"meta,omitempty"`
}

// Meta says how far a connection is.
type Meta struct {
	Through uint64 `json:"applied_through_seq" jsonschema:"The seq of the last event that was sent on the same connection."`
}

// Done returns the answer to a command that has succeeded.
func Done(id int64, result any, through uint64) *CommandResponse {
	return &CommandResponse{Type: "success", ID: &id, Result: result, Meta: &Meta{through}}
}

// Failed returns the answer to a command that has failed. A nil id is that of what is not a command.
func Failed(id *int64, code Code, message string) *CommandResponse {
	return &CommandResponse{Type: "error", ID: id, Error: code, Message: message}
}
