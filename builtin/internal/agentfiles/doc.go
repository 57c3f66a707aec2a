// Package agentfiles is a tree of files as an agent sees it: absolute paths with slashes, and "/" as the root.
//
// [Disk] is a directory of the disk, out of which nothing leads. [State] keeps files in the state of a thread, in the field
// [Field], so that they live and are forked, resumed and shown with it. Both are an [FS], whose methods take clean paths, as
// [Clean] returns them, and report an [*Error].
//
// What is read and searched is bounded, in bytes and in files, and ends with the context.
package agentfiles
