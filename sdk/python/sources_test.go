package python_test

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/plugin/anatomy"
	"github.com/agenthost/agenthost/internal/wasmbin"
	"github.com/agenthost/agenthost/sdk/python"
)

// TestTheEngineIsBuiltFromTheseSources compares the digest that the Makefile builds into the engine. Building it takes minutes.
func TestTheEngineIsBuiltFromTheseSources(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	sources := []string{"sdk/rust/Cargo.toml"}
	for _, dir := range []string{"sdk/python/engine", "sdk/rust/src", "sdk/rust/derive"} {
		require.NoError(t, filepath.WalkDir(filepath.Join(root, dir), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				if err == nil && entry.Name() == "target" {
					return fs.SkipDir
				}
				return err
			}
			name, err := filepath.Rel(root, path)
			if base := entry.Name(); strings.HasSuffix(base, ".rs") || strings.HasPrefix(base, "Cargo.") || dir == "sdk/python/engine" && strings.HasSuffix(base, ".py") {
				sources = append(sources, filepath.ToSlash(name))
			}
			return err
		}))
	}
	slices.Sort(sources)
	var sums strings.Builder
	for _, name := range sources {
		content, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(content), name)
	}
	want := fmt.Sprintf("%x", sha256.Sum256([]byte(sums.String())))

	module, err := python.Plugin(python.Script{File: "a.py", Files: map[string]string{"a.py": ""}})
	require.NoError(t, err)
	engine, _, err := anatomy.CutScript(module)
	require.NoError(t, err)
	require.Equal(t, want, section(t, engine, "agenthost.sources"), "the sources changed: run make python and commit sdk/python/engine.wasm.zst")
}

// section returns the content of a custom section.
func section(t *testing.T, module []byte, name string) string {
	t.Helper()
	const header, custom = 8, 0
	sections := wasmbin.NewPart(module, header, len(module))
	for sections.More() {
		id, size := sections.Byte(), sections.U32()
		part := sections.Part(int(size))
		if id == custom && part.Name("section", len(name)) == name && part.Err() == nil {
			return string(part.Bytes(part.Left()))
		}
	}
	require.NoError(t, sections.Err())
	return ""
}
