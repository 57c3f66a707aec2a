package reference_test

import (
	"context"
	"os"
	"path/filepath"
	"sync"

	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/extism"
	"github.com/agenthost/agenthost/internal/testcache"
	"github.com/agenthost/agenthost/internal/toolchain"
	"github.com/agenthost/agenthost/test/reference"
)

// allFlavors returns every way to perform probes. The flavors are prepared for the probes of all vectors that any
// test runs, so that a plugin is compiled only once in the process.
var allFlavors = sync.OnceValues(func() ([]reference.Flavor, error) {
	files, err := allFiles()
	if err != nil {
		return nil, err
	}
	var vectors []*reference.Vector
	for _, f := range files {
		if f.err == nil {
			vectors = append(vectors, f.vector)
		}
	}
	random, err := everyProbe()
	if err != nil {
		return nil, err
	}
	probes, err := matrixAgent(&matrixCase{}, matrixProbe("A"), matrixProbe("B"))
	if err != nil {
		return nil, err
	}
	vectors = append(vectors, random, probes)
	flavors := []reference.Flavor{reference.Native()}
	for _, guest := range guests() {
		write, err := guest.writer()
		if err != nil {
			return nil, err
		}
		engine, err := openEngine()
		if err != nil {
			return nil, err
		}
		module := reference.NewModule(write, engine)
		if err := module.Prepare(vectors); err != nil {
			return nil, err
		}
		flavors = append(flavors, module.Flavor(guest.name))
	}
	return flavors, nil
})

// guestCode is a build of the guest.
type guestCode struct {
	name   string
	writer func() (reference.Writer, error)
}

// built returns the writer of a module with a placeholder.
func built(code func() ([]byte, error)) func() (reference.Writer, error) {
	return func() (reference.Writer, error) {
		module, err := code()
		if err != nil {
			return nil, err
		}
		placeholder, err := os.ReadFile("guest/bound.bin")
		if err != nil {
			return nil, err
		}
		return reference.Placeholder(module, placeholder)
	}
}

// contents returns what reads a file.
func contents(path string) func() ([]byte, error) {
	return func() ([]byte, error) { return os.ReadFile(path) }
}

// javaScript returns the writer of the guest in JavaScript.
func javaScript() (reference.Writer, error) {
	source, err := os.ReadFile("guest/probe.js")
	return reference.Script(string(source)), err
}

// inPython returns the writer of the guest in Python.
func inPython() (reference.Writer, error) {
	source, err := os.ReadFile("guest/probe.py")
	return reference.PythonScript(string(source)), err
}

// slowVariable asks for the guest in Python in all tests. An instance of it takes so long to start that otherwise only TestTranscripts
// runs it, which compares every byte that it writes.
const slowVariable = "AGENTHOST_SLOW_GUESTS"

func openEngine() (*plugin.Engine, error) {
	return plugin.NewEngine(plugin.EngineConfig{Dir: testcache.Dir(), Memory: 4 << 30, Compiles: 4, Contracts: []plugin.Contract{extism.Extism{}}})
}

// guests returns all builds of the guest. With the race detector it returns only the TinyGo build, because compiling the
// standard Go build then takes minutes. The race detector sees only the host, which does the same for every build.
func guests() []guestCode {
	all := []guestCode{{"tinygo", built(contents("testdata/probe.tinygo.wasm"))}}
	if !raceDetector {
		all = append(all, guestCode{"rust", built(contents("testdata/probe.rust.wasm"))}, guestCode{"go", built(standardGo)},
			guestCode{"extism", built(contents("testdata/probe.extism.wasm"))}, guestCode{"javascript", javaScript})
	}
	if os.Getenv(slowVariable) != "" {
		all = append(all, guestCode{"python", inPython})
	}
	return all
}

// standardGo builds the guest with the Go that runs the test.
func standardGo() ([]byte, error) {
	dir, err := os.MkdirTemp("", "probe")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	build := toolchain.Build{Dir: "guest", Output: filepath.Join(dir, "probe.wasm"), Log: os.Stderr}
	module, err := build.Run(context.Background(), toolchain.Go)
	if err != nil {
		return nil, err
	}
	return os.ReadFile(module)
}
