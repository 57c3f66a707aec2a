// Package history holds the messages of a run. A [Log] is the run's own history: it applies updates with the semantics of
// LangChain's add_messages reducer, and remembers what changed, so that a hook can see only what is new to it. A [List] is an
// immutable snapshot of messages. Taking one copies nothing, and each message is encoded at most once, however many hooks and
// models see it. The cost of an append does not grow with the history.
//
// # Where to find what
//
//   - how an update changes the messages: log.go; how changes are replayed: change.go
//   - what a hook sees of the history, also with the view "new": view.go; which calls are open: calls.go
//   - ids of messages: ids.go; how messages are kept and encoded: list.go, index.go
package history
