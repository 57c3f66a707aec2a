package host_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Who embeds the library links what it imports, and no more: no provider's SDK, no database, no WebAssembly runtime.
func TestTheLibraryAloneLinksNothingElse(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "github.com/agenthost/agenthost/host").Output()
	require.NoError(t, err)
	linked := strings.Fields(string(out))
	require.Contains(t, linked, "github.com/agenthost/agenthost/host/history")
	for _, path := range linked {
		for _, other := range []string{
			"github.com/openai/", "github.com/anthropics/", "google.golang.org/", "cloud.google.com/", "github.com/modelcontextprotocol/",
			"modernc.org/", "github.com/jackc/", "github.com/tetratelabs/", "github.com/extism/", "github.com/spf13/",
			"github.com/agenthost/agenthost/host/model/openai", "github.com/agenthost/agenthost/host/model/anthropic",
			"github.com/agenthost/agenthost/host/model/gemini", "github.com/agenthost/agenthost/host/plugin",
		} {
			require.NotContains(t, path, other)
		}
	}
}
