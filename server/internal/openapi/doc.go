// Package openapi describes the API of a server as a document of OpenAPI 3.1. Schemas of bodies and answers come from the Go types that
// requests are read into and answers are written from, so that the document changes with the code.
//
// The tags of a field say what its Go type does not: enum, pattern and format, min and max (of a number, or of the characters of a text), type
// (of a [encoding/json.RawMessage]), and jsonschema, the description.
package openapi
