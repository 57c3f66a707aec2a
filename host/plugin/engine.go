package plugin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/tetratelabs/wazero"
	"golang.org/x/sync/semaphore"

	"github.com/agenthost/agenthost/host/plugin/internal/contract"
	"github.com/agenthost/agenthost/host/plugin/preflight"
)

// Engine is what the plugins of a process share: compiled modules, the number of concurrent compilations, and the memory
// that all guests may use together. Several agents may share an engine. Close it after them.
type Engine struct {
	cache   wazero.CompilationCache
	speaks  []Contract
	loaders []Loader
	dir     string
	compile CompileFunc
	turns   *semaphore.Weighted // for compiling

	compiling    oneAtATime[preparedKey]
	compilations atomic.Int64

	memory   *memoryBudget
	code     *codeStore
	codes    *sharedCodes
	prepared preparedStore
	files    preparedFiles
	fallback bool // an engine that a plugin created for itself alone
}

// EngineConfig configures an Engine. The zero value is a cache in memory with default limits.
type EngineConfig struct {
	// Dir keeps checked and compiled modules across processes. It is created for the current user only, and it is trusted: anyone
	// who can write to it can run code in the host. "" keeps them in memory.
	Dir string
	// Memory limits the memory that all guests may use together, in bytes; 0 means [DefaultMemory]. A guest that cannot get
	// memory waits for a while, and then fails with [KindMemory].
	Memory int64
	// Compiles is the number of modules that are compiled at once; 0 means 1. Compiling takes much memory.
	Compiles int
	// Compile compiles a new module into Dir, outside this process, so that limits of time and memory can be enforced; see
	// [CompileInChild]. nil compiles in this process, within what the estimate of the preflight allows.
	Compile CompileFunc
	// Contracts are contracts that modules may be written for, in addition to the ABI's own.
	Contracts []Contract
	// Loaders make modules of files that are not modules, such as scripts.
	Loaders []Loader
}

// Loader makes modules of the sources of plugins. Package script has one.
type Loader interface {
	// Loads reports whether the path is one of its sources, which may be a directory.
	Loads(path string) bool
	// Load returns the module. Equal sources must give equal modules.
	Load(path string) ([]byte, error)
	// Files returns the files and directories that Load reads, so that a plugin can be reloaded when one of them changes.
	Files(path string) ([]string, error)
}

// Contract is another way for guests and the host to communicate than the ABI's own. Package extism has one.
type Contract = contract.Contract

// DefaultMemory is the default limit for the memory of all guests of an engine together, in bytes.
const DefaultMemory = 1 << 30

// CompileFunc compiles a module so that the result is stored in the directory.
type CompileFunc func(ctx context.Context, dir string, module []byte) error

// NewEngine makes an engine.
func NewEngine(config EngineConfig) (*Engine, error) {
	if config.Memory <= 0 {
		config.Memory = DefaultMemory
	}
	e := &Engine{
		dir: config.Dir, compile: config.Compile, turns: semaphore.NewWeighted(int64(max(1, config.Compiles))),
		memory: newMemoryBudget(config.Memory), speaks: config.Contracts, loaders: config.Loaders,
	}
	e.code = &codeStore{budget: e.memory}
	e.codes = &sharedCodes{store: e.code, used: map[string]*sharedCode{}}
	e.memory.register(e.code)
	if config.Dir == "" {
		if config.Compile != nil {
			return nil, errors.New("plugin engine: Compile needs a Dir, in which it leaves what it compiled")
		}
		e.cache = wazero.NewCompilationCache()
		return e, nil
	}
	cache, err := openDirectory(config.Dir)
	if err != nil {
		return nil, fmt.Errorf("compilation cache: %w", err)
	}
	e.cache, e.files = cache, newPreparedFiles(filepath.Join(config.Dir, "prepared"))
	return e, nil
}

// contractOf returns the contract that a module is written for, or nil for the ABI's own.
func (e *Engine) contractOf(m *preflight.Module) Contract {
	for _, c := range e.speaks {
		if c.Speaks(m) {
			return c
		}
	}
	return nil
}

// ownCache returns a compilation cache for one module alone, in the engine's directory if it has one.
func (e *Engine) ownCache() (wazero.CompilationCache, error) {
	if e.dir == "" {
		return wazero.NewCompilationCache(), nil
	}
	return openDirectory(e.dir)
}

// opening is held while a directory is opened, because wazero then sets a global variable without a lock.
var opening sync.Mutex

func openDirectory(dir string) (wazero.CompilationCache, error) {
	opening.Lock()
	defer opening.Unlock()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return nil, err
	}
	return wazero.NewCompilationCacheWithDir(dir)
}

// forget empties an engine's directory after an error reading it: an engine did not write its content.
func forget(dir string, err error) {
	if !strings.HasPrefix(err.Error(), "compilationcache:") {
		return
	}
	files, _ := filepath.Glob(filepath.Join(dir, "wazero-*", "*")) // the pattern is well-formed
	for _, file := range files {
		_ = os.Remove(file) // if it cannot be removed, the next attempt says why
	}
}

// Close releases the compiled modules. No plugin may use them any more.
func (e *Engine) Close() error {
	return errors.Join(e.code.close(), e.cache.Close(context.Background()))
}

// Compilations returns how often a module was compiled, or its code read from the engine's directory and validated. It is once for each
// module, however many plugins and agents use it, unless its code was dropped meanwhile because memory was needed.
func (e *Engine) Compilations() int { return int(e.compilations.Load()) }

// Memory returns how many bytes all guests use now, and may use. It does not count compiled code kept for plugins that may
// be loaded again: that is dropped when the memory is needed.
func (e *Engine) Memory() (used, limit int64) {
	used, limit = e.memory.use()
	return max(0, used-e.code.size()), limit
}
