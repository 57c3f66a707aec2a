// Package packed unpacks the compressed modules that are part of a program: the engines for scripts.
package packed

import (
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// maxModule is the size of the largest module, in bytes. Ours are a third of it.
const maxModule = 64 << 20

// Module returns a function that unpacks a module, which zstd has packed, when it is first called. The name of the module
// begins an error. Callers must not change the result.
func Module(name string, compressed []byte) func() ([]byte, error) {
	return sync.OnceValues(func() ([]byte, error) {
		d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxModule))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		defer d.Close()
		module, err := d.DecodeAll(compressed, nil)
		if err != nil {
			return nil, fmt.Errorf("%s: the packed module is damaged; build agenthost again: %w", name, err)
		}
		return module, nil
	})
}
