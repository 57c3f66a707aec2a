package temporalserver_test

import (
	"net"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/test/pgtest"
	"github.com/agenthost/agenthost/test/temporalserver"
)

func TestTheServerAnswers(t *testing.T) {
	t.Parallel()
	if os.Getenv("AGENTHOST_TEMPORAL") == "" {
		t.Skip("AGENTHOST_TEMPORAL is not set; make fleet-faults-postgres installs a server and sets it")
	}
	s, err := temporalserver.Start(t.Context(), "../../.bin/servers/temporal", pgtest.Own(t))
	require.NoError(t, err)
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", s.Address())
	require.NoError(t, err)
	require.NoError(t, conn.Close())
	s.Stop()
	_, err = (&net.Dialer{}).DialContext(t.Context(), "tcp", s.Address())
	require.Error(t, err)
}
