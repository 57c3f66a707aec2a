package js

import (
	_ "embed" // of the engine

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/plugin/anatomy"
)

//go:embed engine.wasm
var engine []byte

// Plugin returns the module of a plugin in JavaScript. Errors of the script name the file. A script with errors makes a module
// that does not load.
func Plugin(file, source string) ([]byte, error) {
	script, err := wire.MapOf(map[string]any{"file": file, "source": source})
	if err != nil {
		return nil, err
	}
	return anatomy.WithScript(engine, script.Raw())
}
