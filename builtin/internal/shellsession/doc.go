// Package shellsession keeps a POSIX shell that runs one command after the other: directory, variables and functions last
// from command to command, as in a terminal.
//
// # How a command runs
//
// [Start] starts the shell with pipes for stdin, stdout and stderr. [Session.Run] writes one line to it, which the shell
// reads completely before it begins:
//
//	command eval 'COMMAND' </dev/null 7>&- 8>&-; { command printf …MARKER $?… >&7; command printf …MARKER… >&8; } 2>/dev/null
//
// The marker is random and differs for each command; the output of the command precedes it on stdout and stderr. The line
// contains the marker in two halves, so a shell that shows its input (set -v, set -x) does not show the marker. Descriptors
// 7 and 8 are copies of the shell's stdout and stderr, so a command may redirect these permanently (exec >file); a command
// does not have them. A command reads the end of file from its stdin, and never the next command.
//
// A command that ends the shell (exit, exec, kill) ends the session, and the result says so.
//
// # What ends with the session
//
// Everything that the shell has started: internal/processgroup describes how, and what survives. On Linux, the shell also
// ends when this process does.
package shellsession
