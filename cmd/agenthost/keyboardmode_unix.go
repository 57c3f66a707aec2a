//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package main

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// withoutEcho lets a terminal keep what is typed for whoever reads next, instead of showing it amid the output. Ctrl-C remains a
// signal, and does not discard what was typed. restore undoes it; ready reports whether something was typed.
func withoutEcho(terminal int) (restore func(), ready func() bool, err error) {
	before, err := unix.IoctlGetTermios(terminal, getTermios)
	if err != nil {
		return nil, nil, fmt.Errorf("the terminal: %w", err)
	}
	silent := *before
	silent.Lflag &^= unix.ECHO | unix.ECHONL | unix.ICANON
	silent.Lflag |= unix.ISIG | unix.NOFLSH
	silent.Cc[unix.VMIN], silent.Cc[unix.VTIME] = 1, 0
	if err := unix.IoctlSetTermios(terminal, setTermios, &silent); err != nil {
		return nil, nil, fmt.Errorf("the terminal: %w", err)
	}
	restore = func() { _ = unix.IoctlSetTermios(terminal, setTermios, before) } // fails only if the terminal is gone
	ready = func() bool {
		var set unix.FdSet
		set.Set(terminal)
		n, err := unix.Select(terminal+1, &set, nil, nil, &unix.Timeval{})
		return err == nil && n > 0
	}
	return restore, ready, nil
}
