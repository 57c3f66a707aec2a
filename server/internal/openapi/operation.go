package openapi

import (
	"net/http"
	"reflect"
)

// Schema is a JSON Schema.
type Schema = map[string]any

// Operation describes what a server does for a method and a path.
type Operation struct {
	ID         string
	Summary    string // ends without a full stop
	Tag        string
	Open       bool // needs no credential
	Parameters []Parameter
	Body       Body
	Answer     reflect.Type // nil: the answer has no body
	Select     bool         // the answer is a list whose objects have only the members that the client selected
	Stream     string       // describes the answer if it is a stream of server-sent events; with Answer, it may be either
	Socket     string       // describes the WebSocket that the connection becomes
	Text       string       // the media type of an answer that is a text
	Headers    []string     // of a successful answer
	Errors     []int        // the statuses with which the operation fails
	Failure    reflect.Type // of the answers with these statuses; nil: {"detail": "text"}
}

// Everywhere are the statuses with which every operation may fail: a request for another host or of another origin is refused, and so are too many.
var Everywhere = []int{http.StatusBadRequest, http.StatusForbidden, http.StatusTooManyRequests, http.StatusInternalServerError}

// Body is the body of a request.
type Body struct {
	Type     reflect.Type
	Required []string // members that must be there: of the object, or of each object of a list
	Optional bool     // there may be no body
}

// Parameter is a part of a request beside its body.
type Parameter struct {
	In          string // path, query or header
	Name        string
	Description string
	Required    bool // it is always true in a path
	Schema      Schema
}

func (p *Parameter) document() map[string]any {
	out := map[string]any{"in": p.In, "name": p.Name, "schema": p.Schema}
	if p.Required || p.In == "path" {
		out["required"] = true
	}
	if p.Description != "" {
		out["description"] = p.Description
	}
	return out
}
