//go:build !no_serve

package served

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"

	"github.com/agenthost/agenthost/server/config"
)

// Listen opens an address. The file of a socket that a server left is replaced. Errors name the address and the way out.
func Listen(ctx context.Context, at config.Listen) (net.Listener, error) {
	if at.Network() == "unix" {
		if info, err := os.Lstat(at.Address()); err == nil && info.Mode()&os.ModeSocket != 0 {
			if conn, err := (&net.Dialer{}).DialContext(ctx, "unix", at.Address()); err == nil {
				return nil, errors.Join(fmt.Errorf("%s: another server listens there", at), conn.Close())
			}
			if err := os.Remove(at.Address()); err != nil {
				return nil, err
			}
		}
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, at.Network(), at.Address())
	if err != nil {
		return nil, fmt.Errorf("listen %q: %w; %s", at, because(err), wayOut(err))
	}
	return listener, nil
}

// because leaves out the address, which net puts into its errors.
func because(err error) error {
	if wrapped, ok := errors.AsType[*net.OpError](err); ok {
		return wrapped.Err
	}
	return err
}

func wayOut(err error) string {
	if errors.Is(err, syscall.EADDRINUSE) {
		return "end the program that listens there, or choose another port; port 0 takes a free one"
	}
	return "choose another address"
}
