package plugin

import (
	"log/slog"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host"
)

// TestInstancesMustAgree needs a look inside: a guest has nothing that could make two of its instances differ.
func TestInstancesMustAgree(t *testing.T) {
	t.Parallel()
	code, err := os.ReadFile("testdata/lab.tinygo.wasm")
	require.NoError(t, err, "run make plugins")
	w := Wasm{Grant: Grant{Reads: []string{"todos"}, Writes: []string{"todos"}}}
	p, err := load(t.Context(), code, w, host.Env{Name: "lab", Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	defer func() { require.NoError(t, p.Close()) }()
	_, err = p.newInstance(t.Context())
	require.NoError(t, err)
	p.specBytes = []byte("another")
	_, err = p.newInstance(t.Context())
	require.ErrorContains(t, err, "two instances returned different Descriptions for one configuration")
}
