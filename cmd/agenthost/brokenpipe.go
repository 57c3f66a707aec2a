//go:build !no_serve

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// outliveClient lets the command go on when its client has closed standard output: the write fails, and runs are stopped and kept in
// order. Without it the signal SIGPIPE ends the process at once. The caller calls what it returns when the client has been served.
func outliveClient() (stop func()) {
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	return func() { signal.Stop(broken) }
}
