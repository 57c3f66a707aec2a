// Package eventdoc describes the events of --output jsonl for other programs: their version and their JSON Schema.
//
// # Where to find what
//
//   - the version, and the form of a line: line.go
//   - the types of events and their keys: event.go; what messages consist of: message.go; the schema itself: schema.go
package eventdoc

//go:generate go run ../.. schema events -o ../../../../docs/events.schema.json
