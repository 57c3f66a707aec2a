package schema_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/internal/schema"
)

func raw(t require.TestingT, json string) wire.Raw {
	r, err := wire.FromJSON([]byte(json), wire.DefaultLimits)
	require.NoError(t, err, json)
	return r
}

func compile(t *testing.T, json string) *schema.Schema {
	t.Helper()
	s, err := schema.Compile(raw(t, json))
	require.NoError(t, err)
	return s
}
