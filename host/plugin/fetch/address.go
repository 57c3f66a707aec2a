package fetch

import (
	"context"
	"syscall"

	"github.com/agenthost/agenthost/internal/publicnet"
)

// networks are the networks whose addresses may be dialed besides public ones.
type networks publicnet.Networks

// control checks the address of every socket before it connects.
func (n networks) control(ctx context.Context, network, address string, conn syscall.RawConn) error {
	if publicnet.Networks(n).Control(ctx, network, address, conn) != nil {
		return denied("the host has an address that is not public, and its network is not granted")
	}
	return nil
}
