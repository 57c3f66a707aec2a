// Package files gives a model the files of one directory, and no others: to list, read and search them and, if the
// operator says so, to write them.
//
// [Open] opens the directory. Whatever path the model gives, with .. or through a symbolic link, nothing outside of it is
// reached: the operating system resolves every name below the open directory (os.Root), so that there is no moment
// between a check and a use. [Root.Tools] are the tools; [Root.List], [Root.Read], [Root.Search] and [Root.Write] are what they do.
//
// Every result is bounded, in a fixed order, and says what it left out and how to get it. What is wrong with an argument is
// a [*PathError] or an [*ArgumentError], whose text is written for the model.
package files
