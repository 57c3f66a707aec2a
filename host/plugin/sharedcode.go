package plugin

import (
	"context"
	"sync"
)

// sharedCodes holds the compiled modules that plugins use; plugins of one module share its code. A module that no plugin uses
// any more moves to the codeStore, and comes back from there. So loading a module again neither validates nor compiles it.
type sharedCodes struct {
	store *codeStore

	mu   sync.Mutex
	used map[string]*sharedCode // by the digest of the metered module
}

type sharedCode struct {
	compiledCode

	plugins int
}

// use returns a module's code for one more plugin, or nil if the module must be compiled.
func (s *sharedCodes) use(digest string) compiledCode {
	s.mu.Lock()
	defer s.mu.Unlock()
	if code := s.used[digest]; code != nil {
		code.plugins++
		return code.compiledCode
	}
	code, ok := s.store.take(digest)
	if !ok {
		return nil
	}
	s.used[digest] = &sharedCode{code, 1}
	return code
}

// add takes over code that a plugin has compiled, and returns the code to use: another plugin may have been faster.
func (s *sharedCodes) add(digest string, code compiledCode) (compiledCode, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if faster := s.used[digest]; faster != nil {
		faster.plugins++
		return faster.compiledCode, code.Close(context.Background())
	}
	s.used[digest] = &sharedCode{code, 1}
	return code, nil
}

// leave is called when a plugin has no instance left. Its share of the budget goes with the code.
func (s *sharedCodes) leave(digest string, size int64) error {
	s.mu.Lock()
	code := s.used[digest]
	code.plugins--
	last := code.plugins == 0
	if last {
		delete(s.used, digest)
	}
	s.mu.Unlock()
	if !last {
		s.store.budget.release(size)
		return nil
	}
	return s.store.keep(digest, code.compiledCode, size)
}
