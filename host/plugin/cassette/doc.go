// Package cassette is the format of recordings of what plugins did: every call of a hook or tool, with what the guest was
// given, what it asked the host and was answered, and what came of it. A [Writer] is a plugin's recorder, a [Reader] reads
// a recording, and [Compare] tells how two performances of one call differ. The package knows nothing of WebAssembly:
// package plugin records, and performs what was recorded again.
//
// # The file
//
// A cassette is a sequence of msgpack values of the type bin, each of which holds one document: a map. The first is the
// header, {cassette: 1, abi: "1.0"}. A document {plugin: …} stands before the first call of a plugin, and {frame: …} is a
// call, written when it has ended: one inside of another stands before it. Documents of other kinds are for later
// versions, and are skipped. Each document is written in one piece, so that a process that dies loses the calls that it
// was in, and at worst leaves a last document that is incomplete: a reader returns what stands before it, and then
// [ErrTruncated].
//
// # What a cassette holds
//
// Everything that the plugins saw: conversations, arguments and results of tools, fields, and the plugins' configuration
// with the secrets that stand in it. Keep it as you keep those; [Create] makes a file for its user alone. Secrets that a
// grant of http.fetch puts into requests are not in it, since no guest sees them.
package cassette
