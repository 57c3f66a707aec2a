//go:build !no_extism

package extism

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	sdk "github.com/extism/go-sdk"
)

// Unpack returns the only module of an Extism manifest, from a file or from the manifest itself. It calls read to read
// files. It refuses a manifest with other settings, because agenthost would ignore them; they belong in agenthost's own
// manifest.
func (Extism) Unpack(file []byte, path string, read func(path string) ([]byte, error)) ([]byte, error) {
	if !bytes.HasPrefix(bytes.TrimSpace(file), []byte("{")) {
		return file, nil
	}
	var m sdk.Manifest
	if err := m.UnmarshalJSON(file); err != nil {
		return nil, fmt.Errorf("Extism manifest %s: %w", path, err)
	}
	module, err := moduleIn(&m, filepath.Dir(path), read)
	if err != nil {
		return nil, fmt.Errorf("Extism manifest %s: %w", path, err)
	}
	return module, nil
}

func moduleIn(m *sdk.Manifest, dir string, read func(path string) ([]byte, error)) ([]byte, error) {
	switch {
	case len(m.Wasm) != 1:
		return nil, fmt.Errorf("it has %d modules; a plugin must have exactly one", len(m.Wasm))
	case len(m.Config) > 0:
		return nil, errors.New("it has a config; move it to the plugin's config in the manifest of agenthost")
	case len(m.AllowedHosts) > 0:
		return nil, errors.New("it has allowed_hosts; Extism's HTTP is off: grant http.fetch to a plugin that asks for it")
	case len(m.AllowedPaths) > 0:
		return nil, errors.New("it has allowed_paths; a plugin has no files")
	case m.Timeout != 0:
		return nil, errors.New("it has timeout_ms; use the plugin's limits.deadline in the manifest of agenthost")
	case m.Memory.MaxPages != 0:
		return nil, errors.New("it has memory.max_pages; use the plugin's limits.memory in the manifest of agenthost")
	case m.Memory.MaxVarBytes > 0:
		return nil, errors.New("it has memory.max_var_bytes; Extism's variables are off: grant kv to a plugin that asks for it")
	}
	var module []byte
	var hash string
	switch w := m.Wasm[0].(type) {
	case sdk.WasmData:
		module, hash = w.Data, w.Hash
	case sdk.WasmFile:
		file := w.Path
		if !filepath.IsAbs(file) {
			file = filepath.Join(dir, file)
		}
		var err error
		if module, err = read(file); err != nil {
			return nil, err
		}
		hash = w.Hash
	case sdk.WasmUrl:
		return nil, errors.New("its module has a url; download it, and name the file")
	default:
		return nil, errors.New("its module is neither in a file nor in data")
	}
	sum := sha256.Sum256(module)
	if got := hex.EncodeToString(sum[:]); hash != "" && !strings.EqualFold(hash, got) {
		return nil, fmt.Errorf("its module has the hash %s, not %s", got, hash)
	}
	return module, nil
}
