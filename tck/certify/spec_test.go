package certify_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/internal/toolchain/toolchaintest"
	"github.com/agenthost/agenthost/tck/certify"
)

// TestTheWorkedExample compiles the C code of SPEC.md, if there is a suitable clang, and certifies it.
func TestTheWorkedExample(t *testing.T) {
	t.Parallel()
	clang, err := exec.LookPath("clang")
	if found, _ := filepath.Glob("/usr/lib/llvm-*/bin/clang"); err != nil && len(found) > 0 { // where Debian installs it
		clang, err = found[0], nil
	}
	if err != nil {
		toolchaintest.Absent(t, "clang")
	}
	text, err := os.ReadFile("../../abi/SPEC.md")
	require.NoError(t, err)
	_, source, ok := strings.Cut(string(text), "```c\n")
	require.True(t, ok)
	source, _, _ = strings.Cut(source, "```")
	dir := t.TempDir()
	in, out := filepath.Join(dir, "turns.c"), filepath.Join(dir, "turns.wasm")
	require.NoError(t, os.WriteFile(in, []byte(source), 0o600))
	said, err := exec.CommandContext(t.Context(), clang, "--target=wasm32", "-O2", "-nostdlib", "-Wl,--no-entry", "-o", out, in).CombinedOutput()
	if err != nil && strings.Contains(string(said), "wasm-ld") {
		toolchaintest.Absent(t, "wasm-ld")
	}
	require.NoError(t, err, string(said))
	r := certified(t, guestFile(t, out))
	require.Empty(t, r.Failed(true), report(r))
}

// TestChecksQuoteTheSpecification shows that the sentences that a check quotes are in SPEC.md, in the section that the
// check names.
func TestChecksQuoteTheSpecification(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../abi/SPEC.md")
	require.NoError(t, err)
	spec := strings.Join(strings.Fields(string(text)), " ")
	seen := map[string]bool{}
	for _, check := range certify.Checks() {
		require.False(t, seen[check.ID], "the check %s appears twice", check.ID)
		seen[check.ID] = true
		require.NotEmpty(t, check.Says, check.ID)
		for _, sentence := range check.Says {
			if !strings.Contains(spec, sentence) {
				require.Fail(t, check.ID+" quotes what SPEC.md does not say", sentence)
			}
		}
	}
}
