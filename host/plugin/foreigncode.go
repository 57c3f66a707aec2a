package plugin

import (
	"context"
	"sync"

	"github.com/agenthost/agenthost/host/plugin/internal/contract"
)

// foreignCodes are the compiled modules of other contracts that plugins have: those of one module have them together. A
// module that no plugin has any more goes to the codeStore, and comes back from there.
type foreignCodes struct {
	store *codeStore

	mu   sync.Mutex
	used map[string]*foreignCode // by the digest of the module with its meter
}

type foreignCode struct {
	contract.Code

	plugins int
}

// use returns the code of a module for one more plugin; nil if it must be compiled.
func (f *foreignCodes) use(digest string) contract.Code {
	f.mu.Lock()
	defer f.mu.Unlock()
	if code := f.used[digest]; code != nil {
		code.plugins++
		return code.Code
	}
	if kept, ok := f.store.take(digest); ok {
		if code, ok := kept.(contract.Code); ok {
			f.used[digest] = &foreignCode{code, 1}
			return code
		}
	}
	return nil
}

// add takes code over that a plugin has compiled, and returns what it is to use: another may have been faster.
func (f *foreignCodes) add(digest string, code contract.Code) (contract.Code, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if faster := f.used[digest]; faster != nil {
		faster.plugins++
		return faster.Code, code.Close(context.Background())
	}
	f.used[digest] = &foreignCode{code, 1}
	return code, nil
}

// leave is called when a plugin has no instance left. What it holds of the budget goes with the code.
func (f *foreignCodes) leave(digest string, size int64) error {
	f.mu.Lock()
	code := f.used[digest]
	code.plugins--
	last := code.plugins == 0
	if last {
		delete(f.used, digest)
	}
	f.mu.Unlock()
	if !last {
		f.store.budget.give(size)
		return nil
	}
	return f.store.keep(digest, code.Code, size)
}
