// Package backend says where the files of an agent are. The middleware filesystem, memory and skills, and Claude's own tools
// for files, work on a [Backend]:
//
//   - [State] keeps files in the state of the thread;
//   - [Disk] is a directory of the disk;
//   - [Store] keeps files in the agent's store, where they outlive the thread;
//   - [Sandbox] is a directory in a sandbox, which scripts for a POSIX shell read and write;
//   - [Composite] combines several backends in one tree, by the prefix of a path.
//
// The names are those of deepagents' backends. [Of] makes a backend of [Files] of your own, and package backendtest tests them.
//
// A tree of files has absolute paths with slashes, and "/" as its root. The methods of [Files] take clean paths, as [Clean]
// returns them, and report an [*Error], whose text is for the model. Reading and searching is bounded, in bytes and in files,
// and ends with the context. Permissions of files belong to the middleware and apply above every backend.
//
// # Where to find what
//
//   - the interfaces: backend.go ([Backend], [Opened]), files.go ([Files], [Info]); paths: path.go; errors: error.go; edits: edit.go
//   - files in the state: state.go, statechanges.go for the calls of one step, stateview.go for what one call sees, field.go and
//     change.go for the field and its updates
//   - the other backends: disk.go, store.go and storefiles.go, composite.go and compositefiles.go; sandbox.go, sandboxfiles.go,
//     sandboxscript.go for what goes to and fro, and sandbox.sh, which runs in the sandbox
//   - searches where the files are: searcher.go
package backend
