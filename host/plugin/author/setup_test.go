package author_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/agenthost/agenthost/host/plugin"
)

// compiled keeps the modules that tests share.
var compiled = newEngine()

func newEngine() *plugin.Engine {
	e, err := plugin.NewEngine(plugin.EngineConfig{})
	if err != nil {
		panic(err)
	}
	return e
}

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		_ = compiled.Close()
		os.Exit(code)
	}))
}

// faultIn returns the fault of a plugin with the ID bad.
func faultIn(t *testing.T, err error) *plugin.Error {
	t.Helper()
	var fault *plugin.Error
	require.ErrorAs(t, err, &fault)
	require.Equal(t, "bad", fault.Plugin)
	require.Regexp(t, "^sha256:[0-9a-f]{12}$", fault.Digest)
	return fault
}
