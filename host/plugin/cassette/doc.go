// Package cassette defines the format of recordings of plugins: every call of a hook or tool, with the guest's input, its
// requests to the host and their answers, and the outcome. A [Writer] is a plugin's recorder, a [Reader] reads a recording,
// and [Compare] reports how two performances of one call differ. The package knows nothing of WebAssembly: package plugin
// records calls and repeats them.
//
// # The file
//
// A cassette is a sequence of msgpack values of the type bin, each of which holds one document: a map. The first is the
// header, {cassette: 1, abi: "1.1"}. A document {plugin: …} precedes the first call of a plugin. {frame: …} is a call,
// written when it has ended, so that nested calls precede the call that contains them. Documents of other kinds are
// reserved for later versions, and are skipped. Each document is written in one piece. A process that dies therefore loses
// only its active calls, and at worst leaves an incomplete last document: a reader returns everything before it, and then
// [ErrTruncated].
//
// # What a cassette holds
//
// A cassette holds everything that the plugins saw: conversations, arguments and results of tools, fields, and the plugins'
// configuration including its secrets. Protect it as you protect those; [Create] makes a file that only the current user can
// read. Secrets that a grant of http.fetch puts into requests are not in it, since no guest sees them.
package cassette
