// Package filewatch notices changes of files. It looks at them at each tick of a clock in place of asking the operating system for
// events: so it sees every way in which editors write, files that appear and directories that vanish, and it works on every file system.
package filewatch
