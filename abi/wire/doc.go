// Package wire is the byte level of the contract between agenthost and its guests: msgpack that is checked before it
// is decoded, kept raw until it is needed, and written in one canonical form.
//
// Every byte that comes from a guest goes through [Validate] first. What passes can be decoded by any msgpack
// library: no claim of four billion elements, no nesting that overflows a stack, no duplicate keys that two decoders
// would read differently. [Raw] carries one checked value, [Map] a map whose values stay raw, so that a value nobody
// looks at is never decoded. [Canonical] brings a document to the form that the host writes: map keys sorted by their
// bytes, integers and lengths in their shortest form. Equal values then have equal bytes.
//
// The package builds with TinyGo and uses no reflection; the conversions to and from JSON are left out of guests.
package wire
