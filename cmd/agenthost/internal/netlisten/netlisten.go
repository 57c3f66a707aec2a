// Package netlisten opens addresses for servers of the command.
package netlisten

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"
)

// At listens at an address of a network, "tcp" or "unix". named is the address as the user knows it. Errors name it and the way out.
func At(ctx context.Context, network, address, named string) (net.Listener, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, network, address)
	if err != nil {
		return nil, fmt.Errorf("listen %q: %w; %s", named, because(err), wayOut(err))
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
