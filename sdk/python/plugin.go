package python

import (
	_ "embed" // of the engine

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/plugin/anatomy"
	"github.com/agenthost/agenthost/internal/packed"
)

//go:embed engine.wasm.zst
var compressed []byte

// engine returns the module of the engine.
var engine = packed.Module("engine for Python", compressed)

// Script is a program in Python that defines a plugin.
type Script struct {
	File  string            // the file with which the script begins; one of Files
	Files map[string]string // the sources, by paths with slashes that name them in errors; modules of vendor/ are found as well
}

// Plugin returns the module of a plugin in Python. A script with errors makes a module that does not load.
func Plugin(s Script) ([]byte, error) {
	code, err := engine()
	if err != nil {
		return nil, err
	}
	files := make(map[string]any, len(s.Files))
	for path, source := range s.Files {
		files[path] = source
	}
	script, err := wire.MapOf(map[string]any{"file": s.File, "files": files})
	if err != nil {
		return nil, err
	}
	return anatomy.WithScript(code, script.Raw())
}
