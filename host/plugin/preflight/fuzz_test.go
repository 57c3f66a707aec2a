package preflight_test

import (
	"os"
	"testing"
	"time"

	"github.com/agenthost/agenthost/host/plugin/preflight"
)

// FuzzCheck looks for modules that pass but that crash wazero or take it too long, and for modules that crash Check.
func FuzzCheck(f *testing.F) {
	f.Add(oddities())
	f.Add(module())
	f.Add(program(body(3, 0x41, 0, 0x0d, 0, 0x20, 1, 0x1a)))
	if code, err := os.ReadFile("../testdata/bench.tinygo.wasm"); err == nil {
		f.Add(code[:2_000])
	}
	f.Fuzz(func(t *testing.T, code []byte) {
		m, err := preflight.Check(code, preflight.Default())
		if err != nil {
			return
		}
		outlined(t, code, m)
		if len(code) > 16<<10 {
			return
		}
		start := time.Now()
		_ = compiles(code) // it may refuse what does not type-check, but must not panic
		if took := time.Since(start); took > 5*time.Second {
			t.Fatalf("it took %v to compile", took)
		}
	})
}
