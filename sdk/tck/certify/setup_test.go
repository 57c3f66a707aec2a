package certify_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/agenthost/agenthost/sdk/tck/certify"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// few is enough for a guest whose faults are seen at once.
const few = 12

func guestFile(t *testing.T, path string) []byte {
	t.Helper()
	code, err := os.ReadFile(path)
	require.NoError(t, err, "run make plugins")
	return code
}

func certified(t *testing.T, code []byte) *certify.Report {
	t.Helper()
	return certify.Guest(t.Context(), code, certify.Options{Random: few, Configs: few})
}
