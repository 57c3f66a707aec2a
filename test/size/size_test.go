package size_test

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/test/programs"
)

// The largest sizes of the command without debug information on linux/amd64, in bytes.
const (
	maxFull  = 60_000_000
	maxSmall = 30_000_000
)

func TestSize(t *testing.T) {
	t.Parallel()
	dir, err := programs.Build("cmd/agenthost")
	require.NoError(t, err)
	check(t, filepath.Join(dir, "agenthost"), maxFull)
}

// small returns the program that make small writes.
func small(t *testing.T) string {
	t.Helper()
	program := os.Getenv("AGENTHOST_SMALL")
	if program == "" {
		t.Skip("AGENTHOST_SMALL does not name the program that make small writes")
	}
	return program
}

func TestSizeOfTheSmallBuild(t *testing.T) {
	t.Parallel()
	check(t, small(t), maxSmall)
}

// check checks the size of a program, and that the linker has dropped methods that nothing calls. Both names are functions:
// the first calls methods by their names, and the second is one that only such a call can reach.
func check(t *testing.T, program string, limit int) {
	t.Helper()
	content, err := os.ReadFile(program)
	require.NoError(t, err)
	for _, function := range []string{"text/template.(*state).evalField", "github.com/spf13/cobra.(*Command).GenPowerShellCompletionFile\x00"} {
		if bytes.Contains(content, []byte(function)) {
			t.Errorf("%s contains %q, so it keeps all exported methods, which are megabytes: something executes text/template or html/template, "+
				"or calls reflect's Method or MethodByName. Find it with:\ngo build -tags grpcnotrace -ldflags=-dumpdep -o /dev/null ./cmd/agenthost 2>&1 | grep ReflectMethod\n"+
				"and use internal/plaintemplate in place of a template.", program, function)
		}
	}
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return
	}
	require.LessOrEqual(t, len(content), limit, "make size shows the largest modules; see CONTRIBUTING.md")
}
