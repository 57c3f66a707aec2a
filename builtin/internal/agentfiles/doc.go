// Package agentfiles is a tree of files as an agent sees it: absolute paths with slashes, and "/" as the root.
//
// [Disk] is a directory of the disk. [State] keeps files in the state of a thread, in the field [Field], so that they are
// forked, resumed and shown with the thread. Both are an [FS], whose methods take clean paths, as [Clean] returns them, and
// report an [*Error].
//
// Reading and searching is bounded, in bytes and in files, and ends with the context.
package agentfiles
