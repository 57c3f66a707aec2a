// Package certify tests whether a guest follows abi/SPEC.md.
//
// The package is a small host, independent of package host/plugin, and as difficult as SPEC.md allows a host to be. [Guest]
// compiles a module, asks it for its Description, configures instances and calls every hook. The inputs are ones that an
// ordinary agent rarely makes: empty and very long histories, blocks and keys of a later minor version, and values nested as
// deeply as allowed. Guest also answers with every status, closes frames, and uses both fresh and used instances. It records
// every call that the guest makes to its imports, and checks it against the rules.
//
// Each rule is a [Check], with an id and the sentences of SPEC.md that it tests. A check passes, fails, or does not apply
// because the guest never comes near the rule. The module is untrusted here too, so it runs with a meter, a deadline and
// bounded memory.
//
// # Where to find what
//
//   - the checks and their texts: check.go; which calls are made: scenario.go, scene.go, play.go, wrap.go
//   - what a guest may import and export: interface.go, imports.go, wasi.go; its Description: load.go, description.go
//   - what its results may contain: verify.go, messages.go; its operations: operation.go, playoperation.go
//   - made-up values: generate.go, schemavalue.go; the report: report.go
package certify
