// Package approval keeps standing approvals: rules by which a person approves further calls of a tool in a thread, without being
// asked again.
//
// A [Rule] names the thread, the middleware that would ask, the tool and a digest of its definition and, if the person wants so,
// the arguments. It covers a call only if all of them are the same. A thread keeps its rules in a sealed field of its state, which
// no hook, tool, plugin, model or client can write: see [host.Field]. [Add] and [Revoke] change it for a person, between two runs.
//
// Rules fail closed. A copy of a thread, a changed description of a tool, and rules that cannot be read all mean that the person
// is asked.
package approval
