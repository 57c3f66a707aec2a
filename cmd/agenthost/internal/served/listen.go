//go:build !no_serve

package served

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/netlisten"
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
	return netlisten.At(ctx, at.Network(), at.Address(), string(at))
}
