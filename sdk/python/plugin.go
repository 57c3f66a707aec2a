package python

import (
	"bytes"
	"compress/gzip"
	_ "embed" // of the engine
	"fmt"
	"io"
	"sync"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/plugin/anatomy"
)

//go:embed engine.wasm.gz
var compressed []byte

// engine returns the module of the engine. It is decompressed once in a process.
var engine = sync.OnceValues(func() ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		return nil, fmt.Errorf("engine for Python: %w", err)
	}
	return io.ReadAll(r)
})

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
