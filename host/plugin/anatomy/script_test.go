package anatomy_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/plugin/anatomy"
	"github.com/agenthost/agenthost/internal/wasmbin"
)

func TestScriptSections(t *testing.T) {
	t.Parallel()
	engine := wasmbin.Binary(wasmbin.Custom("name"), wasmbin.Custom("x", 1, 2))
	module, err := anatomy.WithScript(engine, []byte("first"))
	require.NoError(t, err)
	module, err = anatomy.WithScript(append(module, wasmbin.Custom("y")...), []byte("second"))
	require.NoError(t, err)
	rest, script, err := anatomy.CutScript(module)
	require.NoError(t, err)
	require.Equal(t, "second", string(script))
	require.Equal(t, append(slices.Clone(engine), wasmbin.Custom("y")...), rest)

	_, _, err = anatomy.CutScript(slices.Concat(module, wasmbin.Custom(anatomy.ScriptSection)))
	require.ErrorContains(t, err, "more than one section")
	for name, module := range map[string][]byte{"no script": engine, "empty": nil, "cut": module[:len(module)-1]} {
		rest, script, err := anatomy.CutScript(module)
		require.NoError(t, err, name)
		require.Nil(t, script, name)
		require.Equal(t, module, rest, name)
	}
}
