// Package registry moves plugins and agents between machines: it pushes them to OCI registries, such as those that keep container
// images, and pulls them from there.
//
//	client := registry.New(registry.Options{})
//	pushed, err := client.PushPlugin(ctx, ref, &registry.Module{Bytes: module, Name: "acme/redact", Version: "1.2"})
//	pulled, err := client.PullPlugin(ctx, ref, keys...)
//
// A plugin is one WebAssembly module, in the layout that the CNCF describes for Wasm artifacts. An agent is a manifest with the files
// that it names, each a layer of its own. Signatures are those of minisign, and are kept as referrers of what they sign. Other tools
// for OCI artifacts can copy all of it.
//
// Whatever comes from a registry is hostile until it is checked: sizes are bounded before anything is read, and digests and signatures
// are checked before anything is returned. Credentials are those that 'docker login' keeps. They are sent to the registry that they
// belong to, and to the token server that it names.
//
// A run does not use this package: package lock says which modules it loads, and package cache has them.
package registry
