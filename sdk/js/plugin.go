package js

import (
	_ "embed" // of the engine

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/plugin/anatomy"
	"github.com/agenthost/agenthost/internal/packed"
)

// The npm package contains engine.wasm itself, for Node's WebAssembly.
//
//go:embed engine.wasm.zst
var compressed []byte

// engine returns the module of the engine.
var engine = packed.Module("engine for JavaScript", compressed)

// Script is an ES module that exports a plugin.
type Script struct {
	File   string // names the script in errors
	Source string
	// Files and Lines say where the lines of a bundled source come from: for each line, two numbers, the index of a file and the
	// line there, from 1; a line 0 comes from nowhere. None: errors show the lines of Source.
	Files []string
	Lines []int
}

// Plugin returns the module of a plugin in JavaScript. A script with errors makes a module that does not load.
func Plugin(s Script) ([]byte, error) {
	code, err := engine()
	if err != nil {
		return nil, err
	}
	values := map[string]any{"file": s.File, "source": s.Source}
	if len(s.Lines) > 0 {
		values["files"], values["lines"] = list(s.Files), list(s.Lines)
	}
	script, err := wire.MapOf(values)
	if err != nil {
		return nil, err
	}
	return anatomy.WithScript(code, script.Raw())
}

func list[T any](values []T) []any {
	all := make([]any, len(values))
	for i, v := range values {
		all[i] = v
	}
	return all
}
