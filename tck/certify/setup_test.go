package certify_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/tck/certify"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// few is a number of random inputs that is enough for a guest whose faults show at once.
const few = 12

func guestFile(t *testing.T, path string) []byte {
	t.Helper()
	code, err := os.ReadFile(path)
	require.NoError(t, err, "run make plugins")
	return code
}

func certified(t *testing.T, code []byte) *certify.Report {
	t.Helper()
	return certifiedWith(t, code, nil)
}

// certifiedWith certifies a guest with a configuration, and with others that it must refuse.
func certifiedWith(t *testing.T, code []byte, config object, refused ...object) *certify.Report {
	t.Helper()
	options := certify.Options{Random: few, Configs: few, Config: mapOf(t, config)}
	for _, values := range refused {
		options.Refused = append(options.Refused, mapOf(t, values))
	}
	return certify.Guest(t.Context(), code, options)
}

func mapOf(t *testing.T, values object) wire.Map {
	t.Helper()
	m, err := wire.MapOf(values)
	require.NoError(t, err)
	return m
}
