// Package files gives a model the files of one directory, and no others. The model can list, read and search them and, if
// the operator allows it, write them.
//
// [Open] opens the directory. No path that the model gives leads out of it, neither with ".." nor through a symbolic link:
// the operating system resolves every name below the open directory (os.Root), so there is no moment between a check and a
// use. [Root.Tools] returns the tools; they call [Root.List], [Root.Read], [Root.Search] and [Root.Write].
//
// Every result has a bounded size and a fixed order, and says what it left out and how to get it. A wrong argument is
// reported as a [*PathError] or an [*ArgumentError], whose text is written for the model.
//
// # Where to find what
//
//   - which paths can be reached, links and special files: internal/rootdir, dir.go and walk.go
//   - what a glob matches: internal/filetext, glob.go; pages of lines: lines.go; searches: search.go
//   - similar names for a missing path: near.go; bounds of results: window.go and list.go
package files
