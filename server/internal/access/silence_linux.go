package access

import (
	"net"
	"syscall"
	"time"
)

// userTimeout is TCP_USER_TIMEOUT, which package syscall does not have.
const userTimeout = 18

// boundSilence lets a connection end when its client has not acknowledged anything for some time: one that lost the network would otherwise
// keep its stream for a quarter of an hour. Failures are ignored, since the connection works without.
func boundSilence(conn net.Conn, silence time.Duration) {
	if inner, ok := conn.(interface{ NetConn() net.Conn }); ok { // TLS
		conn = inner.NetConn()
	}
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) {
		_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, userTimeout, int(silence.Milliseconds()))
	})
}
