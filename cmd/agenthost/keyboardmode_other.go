//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package main

import "errors"

// withoutEcho is for terminals of Unix. Elsewhere what is typed shows amid the output.
func withoutEcho(int) (restore func(), ready func() bool, err error) {
	return nil, nil, errors.ErrUnsupported
}
