// Package plugin runs WebAssembly guests as middleware: package host cannot tell them from native ones.
//
// The life of a plugin: the module's interface is checked, the module is compiled, and a first instance is asked for its
// Description, which says at most what the plugin may do. The operator's configuration is checked against the
// Description's schema and completed with its defaults; every instance that will serve runs is then configured with it,
// and may narrow the Description to what it does with this configuration. Instances are interchangeable: each call of a
// hook takes any that is free, and nothing in a guest's memory is promised to survive. Each plugin has a wazero runtime
// of its own, because modules of one runtime can import each other's memory.
//
// A guest gets only what its hook declared to read, and every byte that it writes is validated before it is decoded.
// What goes wrong inside a guest is a fault: the instance is thrown away, and the plugin's failure policy says whether
// the run fails with an [*Error] or goes on as if the plugin had said nothing. An error that the guest reports in a
// document is no fault.
package plugin
