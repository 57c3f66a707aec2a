// Package plugin runs WebAssembly guests as middleware. Package host cannot tell them from native middleware.
//
// # Life cycle
//
// The life of a plugin begins when its agent is built, or when [host.Agent.Swap] or a change of its file makes a new generation:
//
//   - the interface of the module is checked, and the module is compiled;
//   - a first instance returns the Description, which says the most that the plugin may do;
//   - the operator's configuration is checked against the Description's schema and completed with its defaults;
//   - every instance that will serve runs is configured with it, and may narrow the Description to what it does with this
//     configuration;
//   - calls of hooks take any free instance, since instances are interchangeable: nothing in a guest's memory is promised to
//     survive a call;
//   - Close waits for the calls and closes all instances, when no run uses the generation any more.
//
// Plugins of one module share its compiled code, in a wazero runtime that runs this module alone: modules of one runtime can
// import each other's memory.
//
// # Faults
//
// A guest gets only what its hook declared to read, and every byte that it writes is validated before it is decoded. If
// something goes wrong inside a guest, that is a fault: the instance is discarded, and the plugin's failure policy says
// whether the run fails with an [*Error] or goes on as if the plugin had returned nothing. An error that the guest reports in
// a document is not a fault.
//
// # Examples
//
// examples/shout is the smallest plugin, plugins/redact a real one. The example of [Grant] shows how to grant capabilities.
//
// # Where to find what
//
//   - which operations a guest may call, and what each needs: operation.go; what an operator grants: grant.go
//   - what a plugin asks for and gets: capability.go; each operation: the other capability files
//   - how a call reaches an instance and what becomes of the instance: call.go, pool.go
//   - what a hook may read and write: describe.go (checkHook); how its input is encoded: input.go; what it may return: output.go,
//     wrapmodel.go, wraptool.go
//   - what counts if a wrap hook fails, calls next never or twice, or was not shown a large reply: wrapcall.go; on_failure: call.go (forgiven)
//   - fuel, time and memory: fuel.go, memory.go, memorybudget.go; the limits of Limits and their defaults: limits.go; the time
//     and memory for compiling: child.go
//   - the configuration of instances, which must agree: describe.go (configure); what it may narrow: narrow.go
//   - when a failing plugin is bypassed: breaker.go; which errors there are: error.go
//   - imports of the module, and lines of its log: imports.go, wasi.go, output.go; checks before it runs: check.go and package preflight
//   - compiled code, and who shares it: abicode.go, sharedcode.go; on disk: compile.go, preparedfile.go; several generations: watch.go
//   - recordings: record.go, repeat.go; tools for authors: package author
package plugin
