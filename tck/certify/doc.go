// Package certify tells whether a guest keeps abi/SPEC.md.
//
// It is a host of its own: small, independent of package host/plugin, and as difficult as SPEC.md permits a host to be.
// [Guest] compiles a module, asks it for its Description, configures instances and calls every hook with inputs that a
// plain agent rarely makes: empty and very long histories, blocks and keys of a later minor version, values nested as deep
// as they may be, replies of every status, closed frames, instances that are fresh and instances that have served. All that
// the guest does at its imports is recorded and held against the rules.
//
// Each rule is a [Check], with an id and the sentences of SPEC.md that it tests. A check passes, fails, or does not apply:
// no guest can break what it never comes near to. A module is untrusted here too: it runs with a meter, a deadline and
// bounded memory.
package certify
