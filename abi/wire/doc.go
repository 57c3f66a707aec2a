// Package wire is the byte level of the contract between agenthost and its guests. It checks msgpack before decoding
// it, keeps values raw until they are needed, and writes one canonical form.
//
// Every byte from a guest goes through [Validate] first. Any msgpack library can safely decode a document that
// passes: it has no claim of four billion elements, no nesting that overflows a stack, and no duplicate keys that two
// decoders would read differently. [Raw] carries one checked value. [Map] is a map whose values stay raw, so a value
// that nobody looks at is never decoded. [Canonical] brings a document to the form that the host writes: map keys are
// sorted by their bytes, and integers and lengths have their shortest form. Equal values then have equal bytes.
//
// The package builds with TinyGo and uses no reflection. Guests are built without the conversions to and from JSON.
package wire
