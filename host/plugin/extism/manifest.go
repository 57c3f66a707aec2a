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

// Unpack returns the module of an Extism manifest: its only one, in a file or in the manifest itself. read reads files.
// What the manifest says beside that must be said to agenthost, which would else not do it: so it is refused.
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
		return nil, fmt.Errorf("it has %d modules; plugins of one module are loaded", len(m.Wasm))
	case len(m.Config) > 0:
		return nil, errors.New("it has a config; move it to config beside the plugin")
	case len(m.AllowedHosts) > 0:
		return nil, errors.New("it has allowed_hosts; Extism's HTTP is off: grant http.fetch to a plugin that asks for it")
	case len(m.AllowedPaths) > 0:
		return nil, errors.New("it has allowed_paths; a plugin has no files")
	case m.Timeout != 0:
		return nil, errors.New("it has timeout_ms; use limits.deadline beside the plugin")
	case m.Memory.MaxPages != 0:
		return nil, errors.New("it has memory.max_pages; use limits.memory beside the plugin")
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
