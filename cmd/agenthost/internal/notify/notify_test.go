package notify_test

import (
	"net"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/notify"
)

func TestSend(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s")
	socket, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	require.NoError(t, err)
	defer func() { require.NoError(t, socket.Close()) }()
	require.NoError(t, notify.Send(path, notify.Ready))
	told := make([]byte, 100)
	n, err := socket.Read(told)
	require.NoError(t, err)
	require.Equal(t, "READY=1", string(told[:n]))
	require.NoError(t, notify.Send("", notify.Ready), "nobody listens")
	require.ErrorContains(t, notify.Send(path+"x", notify.Stopping), "STOPPING=1")
}
