package plugin

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host"
)

// TestInstancesMustAgree needs a look inside: a guest has nothing that could make two of its instances differ.
func TestInstancesMustAgree(t *testing.T) {
	t.Parallel()
	w := Wasm{Path: "testdata/lab.tinygo.wasm", Grant: Grant{Reads: []string{"todos"}, Writes: []string{"todos"}}}
	p, err := w.Open(host.Env{})
	require.NoError(t, err, "run make plugins")
	defer func() { require.NoError(t, p.Close()) }()
	require.NoError(t, p.Load(t.Context()))
	_, err = p.newInstance(t.Context())
	require.NoError(t, err)
	p.specBytes = []byte("another")
	_, err = p.newInstance(t.Context())
	require.ErrorContains(t, err, "two instances returned different Descriptions for one configuration")
}
