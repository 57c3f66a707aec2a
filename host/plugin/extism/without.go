//go:build no_extism

package extism

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/tetratelabs/wazero"

	"github.com/agenthost/agenthost/host/plugin/internal/contract"
	"github.com/agenthost/agenthost/host/plugin/preflight"
	"github.com/agenthost/agenthost/internal/leftout"
	"github.com/agenthost/agenthost/internal/wasmbin"
)

// Extism recognizes Extism plugins, and refuses them.
type Extism struct{}

var _ contract.Contract = Extism{}

var errLeftOut = &leftout.Error{Part: "support for Extism plugins", Tag: "no_extism"}

// Name returns the name that messages use.
func (Extism) Name() string { return "Extism" }

// Unpack refuses an Extism manifest.
func (Extism) Unpack(file []byte, path string, _ func(path string) ([]byte, error)) ([]byte, error) {
	if bytes.HasPrefix(bytes.TrimSpace(file), []byte("{")) {
		return nil, fmt.Errorf("Extism manifest %s: %w", path, errLeftOut)
	}
	return file, nil
}

// Speaks reports whether a module imports from Extism's modules.
func (Extism) Speaks(m *preflight.Module) bool {
	return slices.ContainsFunc(m.Imports, func(i preflight.Import) bool { return i.Module == envModule || i.Module == userModule })
}

// Import returns the name.
func (Extism) Import(name string) string { return name }

// CheckImport refuses the import.
func (Extism) CheckImport(_, _ string, _ wasmbin.FuncType) error { return errLeftOut }

// CheckExport accepts the export. CheckImport has refused the module.
func (Extism) CheckExport(string, wasmbin.FuncType) error { return nil }

// Compile refuses the module.
func (Extism) Compile(
	context.Context, []byte, wazero.RuntimeConfig, wazero.CompilationCache, []contract.Function,
) (contract.Code, error) {
	return nil, errLeftOut
}
