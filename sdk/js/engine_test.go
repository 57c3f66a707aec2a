package js_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/plugin/anatomy"
	"github.com/agenthost/agenthost/sdk/js"
)

// TestTheEngineIsThatOfTheNPMPackage unpacks the engine of the Go package and compares it with the file that npm gets.
func TestTheEngineIsThatOfTheNPMPackage(t *testing.T) {
	t.Parallel()
	module, err := js.Plugin(js.Script{File: "a.js"})
	require.NoError(t, err)
	engine, _, err := anatomy.CutScript(module)
	require.NoError(t, err)
	want, err := os.ReadFile("engine.wasm")
	require.NoError(t, err)
	require.True(t, bytes.Equal(want, engine), "run make js and commit sdk/js/engine.wasm.zst")
}
