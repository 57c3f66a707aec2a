// Package tracecontext carries the W3C trace context of what happens now, so that requests to models, tools and MCP servers can name the
// span that they belong to. It depends on no tracing library: a [github.com/agenthost/agenthost/host.Tracer] puts the context in, and
// clients take it out. Without a tracer there is none, and nothing is sent.
package tracecontext

import (
	"context"
	"net/http"
	"strings"
)

// The names of the headers, and of the keys in the metadata of MCP.
const (
	ParentKey = "traceparent"
	StateKey  = "tracestate"
)

// maxState is how long a tracestate may be, in bytes. The specification asks for 512 at least; a longer one is left out.
const maxState = 512

// These are the keys as net/http writes them.
const (
	parentHeader = "Traceparent"
	stateHeader  = "Tracestate"
)

// Context names a span.
type Context struct {
	Parent string `json:"parent"`          // in the form of the header traceparent; "": there is no span
	State  string `json:"state,omitempty"` // what vendors of tracing want to know, in the form of the header tracestate; "": nothing
}

type key struct{}

// With returns a context in which the span c is the present one. The zero Context means that there is none.
func With(ctx context.Context, c Context) context.Context { return context.WithValue(ctx, key{}, c) }

// From returns the present span; the zero Context if there is none.
func From(ctx context.Context) Context {
	c, _ := ctx.Value(key{}).(Context)
	return c
}

// SetHeader adds the present span to the header of a request, unless the header names one already.
func SetHeader(ctx context.Context, header http.Header) {
	c := From(ctx)
	if c.Parent == "" || header.Get(parentHeader) != "" {
		return
	}
	header.Set(parentHeader, c.Parent)
	if c.State != "" {
		header.Set(stateHeader, c.State)
	}
}

// OfHeader returns the span that the header of a request names; the zero Context if it names none, or not in the right form.
func OfHeader(header http.Header) Context {
	return Parse(header.Get(parentHeader), strings.Join(header.Values(stateHeader), ","))
}

// Parse checks a foreign context. A malformed or unknown parent is not a context, and a state that is too long or not printable is left out, as the
// specification asks.
func Parse(parent, state string) Context {
	if !valid(parent) {
		return Context{}
	}
	if len(state) > maxState || strings.ContainsFunc(state, func(r rune) bool { return r < ' ' || r > '~' }) {
		state = ""
	}
	return Context{Parent: parent, State: state}
}

// valid reports whether a text is VERSION-TRACE-SPAN-FLAGS, of version 00, in lower-case hexadecimal, with ids that are not zero.
func valid(parent string) bool {
	const form = "00-................................-................-.."
	if len(parent) != len(form) {
		return false
	}
	for i := range form {
		c := parent[i]
		if hex := c >= '0' && c <= '9' || c >= 'a' && c <= 'f'; form[i] == '.' && !hex || form[i] != '.' && c != form[i] {
			return false
		}
	}
	return strings.Trim(parent[3:35], "0") != "" && strings.Trim(parent[36:52], "0") != ""
}
