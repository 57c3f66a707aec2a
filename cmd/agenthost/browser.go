package main

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"time"
)

// browserTime is how long the program that opens a browser may take. Some of them are the browser itself, which stays.
const browserTime = 3 * time.Second

// openBrowser opens an address, which must begin with https:// or http://, in the user's browser.
func openBrowser(address string) error {
	command := []string{"xdg-open", address}
	switch runtime.GOOS {
	case "darwin":
		command = []string{"open", address}
	case "windows":
		command = []string{"rundll32", "url.dll,FileProtocolHandler", address}
	}
	opener := exec.CommandContext(context.Background(), command[0], command[1:]...) //nolint:gosec // the address was checked
	if err := opener.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- opener.Wait() }()
	timer := time.NewTimer(browserTime)
	defer timer.Stop()
	select {
	case err := <-ended:
		return err
	case <-timer.C:
		return nil
	}
}

// hasDisplay reports whether this person seems to sit at a display of this machine.
func hasDisplay() bool {
	switch runtime.GOOS {
	case "darwin", "windows":
		return os.Getenv("SSH_CONNECTION") == ""
	default:
		return os.Getenv("DISPLAY") != "" || os.Getenv("WAYLAND_DISPLAY") != ""
	}
}
