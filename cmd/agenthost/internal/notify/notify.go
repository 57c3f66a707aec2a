// Package notify tells systemd how far a service has come: https://www.freedesktop.org/software/systemd/man/latest/sd_notify.html.
package notify

import (
	"fmt"
	"net"
	"strings"
)

// The states that a service tells of.
const (
	Ready    = "READY=1"
	Stopping = "STOPPING=1"
)

// Send tells a state to the socket that the variable NOTIFY_SOCKET names; "" is none, and nothing is told.
func Send(socket, state string) error {
	if socket == "" {
		return nil
	}
	if strings.HasPrefix(socket, "@") { // a socket without a file
		socket = "\x00" + socket[1:]
	}
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		return fmt.Errorf("systemd cannot be told %s: %w", state, err)
	}
	_, err = conn.Write([]byte(state))
	if closing := conn.Close(); err == nil {
		err = closing
	}
	return err
}
