package langgraph

import (
	"net/http"
	"reflect"
	"strings"

	"github.com/agenthost/agenthost/internal/lazyregexp"
	"github.com/agenthost/agenthost/server/internal/door"
	"github.com/agenthost/agenthost/server/internal/openapi"
)

// Describe adds all routes to the description of a server's API.
func Describe(d *openapi.Document) error {
	if err := door.Describe(d, (&Handler{}).routes(), complete); err != nil {
		return err
	}
	return d.AddWebhook("runEnded", "Tell the address in the member webhook of a run that the run has ended", typed[EndedRun]())
}

// withIDs returns the path of a pattern with LangGraph's names of its parameters: {thread} is thread_id.
func withIDs(path string) string {
	return pathParameter().ReplaceAllStringFunc(path, func(name string) string {
		if name == "{namespace}" {
			return name
		}
		return strings.TrimSuffix(name, "}") + "_id}"
	})
}

var pathParameter = lazyregexp.New(`\{[a-z]+\}`)

// api describes what a route does, see [door.API].
type api door.API

func describe(id, summary string) api {
	return api{{Operation: openapi.Operation{ID: id, Summary: summary}}}
}

func together(all ...api) (out api) {
	for _, one := range all {
		out = append(out, one...)
	}
	return out
}

// typed returns the type of a body or of an answer.
func typed[T any]() reflect.Type { return reflect.TypeFor[T]() }

func (a api) at(path string) api {
	a[0].Path = path
	return a
}

func (a api) open() api {
	a[0].Open = true
	return a
}

// takes says what the body is, and which of its members must be there.
func (a api) takes(body reflect.Type, required ...string) api {
	a[0].Body = openapi.Body{Type: body, Required: required}
	return a
}

// optional says what the body is, if there is one.
func (a api) optional(body reflect.Type) api {
	a[0].Body = openapi.Body{Type: body, Optional: true}
	return a
}

func (a api) answers(document reflect.Type) api {
	a[0].Answer = document
	return a
}

// selects says that the answer is a list of which the client may select members.
func (a api) selects(list reflect.Type) api {
	a[0].Select = true
	return a.answers(list)
}

// lists says that the answer is a page of a list.
func (a api) lists(list reflect.Type) api {
	return a.selects(list).headers("X-Pagination-Total", "X-Pagination-Next")
}

func (a api) streams(description string) api {
	a[0].Stream = description
	return a.headers(locations...)
}

// orStreams says that the answer may also be a stream.
func (a api) orStreams(description string) api {
	a[0].Stream = description
	return a
}

// switches says that the connection becomes a WebSocket.
func (a api) switches(description string) api {
	a[0].Socket = description
	return a
}

func (a api) headers(names ...string) api {
	a[0].Headers = names
	return a
}

func (a api) query(parameters ...openapi.Parameter) api {
	a[0].Parameters = append(a[0].Parameters, parameters...)
	return a
}

// text says that a parameter of the path is a text, and no UUID.
func (a api) text(name string) api {
	if name != "namespace" {
		name += "_id"
	}
	return a.query(openapi.Parameter{In: "path", Name: name, Schema: openapi.Schema{"type": "string"}})
}

// byName says that the assistant of the path may be named by its agent.
func (a api) byName() api { return a.text("assistant") }

// fails adds the statuses of failures that are particular to the operation.
func (a api) fails(statuses ...int) api {
	a[0].Errors = append(a[0].Errors, statuses...)
	return a
}

// complete adds what follows from the path of an operation.
func complete(o *openapi.Operation, _, path string) string {
	o.Tag, _, _ = strings.Cut(strings.TrimPrefix(path, "/"), "/")
	switch {
	case strings.Contains(path, "/crons"):
		o.Tag = "crons"
	case strings.Contains(path, "/runs"):
		o.Tag = "runs"
	case o.Open:
		o.Tag = "server"
	}
	if strings.Contains(path, "{") {
		o.Errors = append(o.Errors, http.StatusNotFound)
	}
	return withIDs(path)
}
