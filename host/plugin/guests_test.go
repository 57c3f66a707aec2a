package plugin_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/internal/testcache"
	"github.com/agenthost/agenthost/internal/toolchain"
)

// compiled keeps the modules that tests share: standard Go's take a second to compile.
var compiled = newEngine(plugin.EngineConfig{Dir: testcache.Dir(), Memory: 4 << 30, Compiles: 2})

func newEngine(config plugin.EngineConfig) *plugin.Engine {
	e, err := plugin.NewEngine(config)
	if err != nil {
		panic(err)
	}
	return e
}

// goGuests are the guests of testdata/guests that standard Go has built, by name.
var goGuests = struct {
	sync.Mutex
	built map[string][]byte
}{built: map[string][]byte{}}

// buildDirectory holds what the tests build.
var buildDirectory string

func TestMain(m *testing.M) {
	if len(os.Args) == 3 { // this process is a child of a test
		os.Exit(child(os.Args[1], os.Args[2]))
	}
	dir, err := os.MkdirTemp("", "agenthost-guests-")
	if err != nil {
		panic(err)
	}
	buildDirectory = dir
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		_ = compiled.Close()
		_ = os.RemoveAll(dir)
		os.Exit(code)
	}))
}

// tinyGuest returns the guest of this name as TinyGo built it; it is committed.
func tinyGuest(t testing.TB, name string) []byte {
	t.Helper()
	code, err := os.ReadFile(filepath.Join("testdata", name+".tinygo.wasm"))
	require.NoError(t, err, "run make plugins")
	return code
}

// rustGuest returns the same guest as Rust built it; it is committed.
func rustGuest(t testing.TB) []byte {
	t.Helper()
	code, err := os.ReadFile(filepath.Join("testdata", "bench.rust.wasm"))
	require.NoError(t, err, "run make rust")
	return code
}

// goGuest returns the same guest as standard Go builds it, now. With the race detector it skips the test: compiling such a guest
// takes a minute then, and shows nothing of the host that TinyGo's does not.
func goGuest(t testing.TB, name string) []byte {
	t.Helper()
	if raceDetector {
		t.Skip("guests of standard Go are left to tests without the race detector")
	}
	goGuests.Lock()
	defer goGuests.Unlock()
	if code, ok := goGuests.built[name]; ok {
		return code
	}
	build := toolchain.Build{
		Dir: filepath.Join("testdata", "guests", name), Output: filepath.Join(buildDirectory, name+".wasm"), Debug: true, Log: t.Output(),
	}
	module, err := build.Run(t.Context(), toolchain.Go)
	require.NoError(t, err)
	code, err := os.ReadFile(module)
	require.NoError(t, err)
	goGuests.built[name] = code
	return code
}
