package plugin

import (
	"context"
	"sync"

	"github.com/agenthost/agenthost/host/plugin/internal/contract"
)

// contractCodes holds the compiled modules of other contracts that plugins use; plugins of one module share its code. A
// module that no plugin uses any more moves to the codeStore, and comes back from there.
type contractCodes struct {
	store *codeStore

	mu   sync.Mutex
	used map[string]*contractCode // by the digest of the metered module
}

type contractCode struct {
	contract.Code

	plugins int
}

// use returns a module's code for one more plugin, or nil if the module must be compiled.
func (f *contractCodes) use(digest string) contract.Code {
	f.mu.Lock()
	defer f.mu.Unlock()
	if code := f.used[digest]; code != nil {
		code.plugins++
		return code.Code
	}
	if kept, ok := f.store.take(digest); ok {
		if code, ok := kept.(contract.Code); ok {
			f.used[digest] = &contractCode{code, 1}
			return code
		}
	}
	return nil
}

// add takes over code that a plugin has compiled, and returns the code to use: another plugin may have been faster.
func (f *contractCodes) add(digest string, code contract.Code) (contract.Code, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if faster := f.used[digest]; faster != nil {
		faster.plugins++
		return faster.Code, code.Close(context.Background())
	}
	f.used[digest] = &contractCode{code, 1}
	return code, nil
}

// leave is called when a plugin has no instance left. Its share of the budget goes with the code.
func (f *contractCodes) leave(digest string, size int64) error {
	f.mu.Lock()
	code := f.used[digest]
	code.plugins--
	last := code.plugins == 0
	if last {
		delete(f.used, digest)
	}
	f.mu.Unlock()
	if !last {
		f.store.budget.release(size)
		return nil
	}
	return f.store.keep(digest, code.Code, size)
}
