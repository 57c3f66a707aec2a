// Package shellsession keeps a POSIX shell that runs one command after the other: directory, variables and functions last
// from command to command, as in a terminal.
//
// # How a command runs
//
// [Start] starts the shell with pipes for stdin, stdout and stderr. [Session.Run] writes one line to it, which the shell has
// read whole before it begins:
//
//	command eval 'COMMAND' </dev/null 7>&- 8>&-; { command printf …MARKER $?… >&7; command printf …MARKER… >&8; } 2>/dev/null
//
// The marker is random, and other for each command; what stands before it on stdout and stderr is what the command wrote. In
// the line it is cut in halves, so that a shell which shows its input (set -v, set -x) does not show the marker. Descriptors 7
// and 8 are copies of the shell's stdout and stderr, so that a command may redirect these for good (exec >file); a command does
// not have them. A command reads the end of file from its stdin, and never the next command.
//
// A command that ends the shell (exit, exec, kill) ends the session; the result says so.
//
// # What ends with the session
//
// The shell is the leader of a session and a process group of its own, without a terminal. When it ends, or is ended, the
// whole group is killed, before the id of the shell can be another's. On Linux, processes that have left the group are looked
// for too, by the session that they are in and by a variable in their environment, and the shell ends when this process does.
// A process that hides from all of that stays; one that must not needs a container.
package shellsession
