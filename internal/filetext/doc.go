// Package filetext finds files by name and text in files, for tools that show files to a model. It does not open files
// itself: package rootdir and the state of a thread do that.
//
//   - [Glob] matches paths. All tools share its dialect, which is that of doublestar.
//   - [ReadLines] reads a page of lines.
//   - [Search] looks at the lines of many files.
//
// All of them are bounded, in bytes and in time: a file or a pattern may be hostile.
package filetext
