package plugin

import (
	"context"
	"fmt"
	"os"

	"github.com/tetratelabs/wazero"
)

// Cache keeps compiled modules, so that a module that was loaded once loads fast. Several plugins and agents may share
// one. A directory is trusted: whoever can write to it runs code in the host.
type Cache struct{ cache wazero.CompilationCache }

// NewCache makes a cache in memory.
func NewCache() *Cache { return &Cache{wazero.NewCompilationCache()} }

// OpenCache makes a cache in a directory, which it creates for its user alone.
func OpenCache(dir string) (*Cache, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("compilation cache: %w", err)
	}
	if err := os.Chmod(dir, 0o700); err != nil { //nolint:gosec // a directory that its user enters
		return nil, fmt.Errorf("compilation cache: %w", err)
	}
	cache, err := wazero.NewCompilationCacheWithDir(dir)
	if err != nil {
		return nil, fmt.Errorf("compilation cache: %w", err)
	}
	return &Cache{cache}, nil
}

// Close releases the compiled modules. No plugin may use them any more.
func (c *Cache) Close() error { return c.cache.Close(context.Background()) }
