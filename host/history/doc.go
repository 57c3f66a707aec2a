// Package history holds the messages of a run. A [Log] is the run's own history: it applies updates with the semantics of
// LangChain's add_messages reducer, and remembers what changed, so that a hook can see only what is new to it. A [List] is an
// immutable snapshot of messages. Taking one copies nothing, and each message is encoded at most once, however many hooks and
// models see it. The cost of an append does not grow with the history.
package history
