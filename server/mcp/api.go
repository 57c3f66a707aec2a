package mcp

import (
	"net/http"
	"reflect"

	"github.com/agenthost/agenthost/server/internal/door"
	"github.com/agenthost/agenthost/server/internal/openapi"
)

// rpc is a message of JSON-RPC.
type rpc struct{}

// JSONSchema returns the schema of messages.
func (rpc) JSONSchema() openapi.Schema {
	return openapi.Schema{
		"type": "object", "description": "A message of JSON-RPC 2.0, as the Model Context Protocol has it.",
		"properties": openapi.Schema{"jsonrpc": openapi.Schema{"const": "2.0"}}, "required": []string{"jsonrpc"},
	}
}

// mcpMessage and mcpAnswer are such messages: of clients, and of the server.
type (
	mcpMessage struct{ rpc }
	mcpAnswer  struct{ rpc }
)

// JSONSchema returns the schema of failures. A request that does not reach the door fails as it does elsewhere.
func (mcpFailure) JSONSchema() openapi.Schema {
	text := openapi.Schema{"type": "string"}
	return openapi.Schema{"anyOf": []any{
		openapi.Schema{
			"type": "object", "required": []string{"jsonrpc", "error"},
			"properties": openapi.Schema{
				"jsonrpc": openapi.Schema{"const": "2.0"}, "id": openapi.Schema{},
				"error": openapi.Schema{"type": "object", "properties": openapi.Schema{"code": openapi.Schema{"type": "integer"}, "message": text}},
			},
		},
		openapi.Schema{"type": "object", "required": []string{"detail"}, "properties": openapi.Schema{"detail": text}},
	}}
}

var (
	sessionParameter = openapi.Parameter{
		In: "header", Name: sessionHeader, Description: "The session, as the answer to initialize named it.", Schema: openapi.Schema{"type": "string"},
	}
	versionParameter = openapi.Parameter{
		In: "header", Name: "Mcp-Protocol-Version", Description: "The version of the protocol.", Schema: openapi.Schema{"type": "string"},
	}
)

func operation(o openapi.Operation) door.API {
	o.Parameters = []openapi.Parameter{sessionParameter, versionParameter}
	o.Errors, o.Failure = []int{http.StatusNotFound}, reflect.TypeFor[mcpFailure]()
	return door.API{{Operation: o}}
}

var (
	postAPI = operation(openapi.Operation{
		ID: "sendMCP", Summary: "Send a message of the Model Context Protocol", Body: openapi.Body{Type: reflect.TypeFor[mcpMessage]()},
		Answer: reflect.TypeFor[mcpAnswer](), Stream: "The messages that belong to the request, the answer last.",
	})
	listenAPI = operation(openapi.Operation{
		ID: "listenMCP", Summary: "Listen to messages outside requests", Stream: "The messages.",
	})
	leaveAPI = operation(openapi.Operation{ID: "leaveMCP", Summary: "End a session"})
)

// Patterns returns the patterns of all routes, as net/http has them.
func Patterns() []string { return door.Patterns((&Door{login: &Login{}}).routes()) }

// Describe adds the door to the description of a server's API.
func Describe(d *openapi.Document) error {
	routes := (&Door{login: &Login{}}).routes()
	return door.Describe(d, routes, func(o *openapi.Operation, _, path string) string {
		o.Tag = "mcp"
		return path
	})
}
