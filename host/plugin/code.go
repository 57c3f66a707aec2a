package plugin

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// mostCode is how many compiled modules without a plugin an engine keeps, so that a module loaded again need not be
// recompiled.
const mostCode = 32

// codeStore keeps compiled modules that no plugin uses. It drops the oldest first when memory is needed.
type codeStore struct {
	budget *memoryBudget

	mu   sync.Mutex
	kept []keptCode
}

type keptCode struct {
	digest string // of the plugin's module
	module compiledCode
	size   int64 // its share of the budget
}

// compiledCode is an [abiCode], or a [contract.Code] of another contract.
type compiledCode interface {
	Close(ctx context.Context) error
}

// keep takes over a module and its share of the budget.
func (s *codeStore) keep(digest string, module compiledCode, size int64) error {
	s.mu.Lock()
	var old *keptCode
	if at := slices.IndexFunc(s.kept, func(c keptCode) bool { return c.digest == digest }); at >= 0 {
		old = new(s.kept[at])
		s.kept = slices.Delete(s.kept, at, at+1)
	} else if len(s.kept) == mostCode {
		old = new(s.kept[0])
		s.kept = slices.Delete(s.kept, 0, 1)
	}
	s.kept = append(s.kept, keptCode{digest, module, size})
	s.mu.Unlock()
	return s.drop(old)
}

// take removes and returns a module, and gives its share of the budget back.
func (s *codeStore) take(digest string) (compiledCode, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := slices.IndexFunc(s.kept, func(c keptCode) bool { return c.digest == digest })
	if at < 0 {
		return nil, false
	}
	c := s.kept[at]
	s.kept = slices.Delete(s.kept, at, at+1)
	s.budget.release(c.size)
	return c.module, true
}

// drop releases a module; its code is freed if no plugin uses it.
func (s *codeStore) drop(c *keptCode) error {
	if c == nil {
		return nil
	}
	s.budget.release(c.size)
	return c.module.Close(context.Background())
}

// reclaim drops the oldest module.
func (s *codeStore) reclaim() bool {
	s.mu.Lock()
	if len(s.kept) == 0 {
		s.mu.Unlock()
		return false
	}
	oldest := s.kept[0]
	s.kept = slices.Delete(s.kept, 0, 1)
	s.mu.Unlock()
	_ = s.drop(&oldest) // the caller wants the memory and cannot handle the error
	return true
}

// size returns the estimated size of everything kept, in bytes.
func (s *codeStore) size() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	var n int64
	for i := range s.kept {
		n += s.kept[i].size
	}
	return n
}

// close drops everything.
func (s *codeStore) close() error {
	s.mu.Lock()
	kept := s.kept
	s.kept = nil
	s.mu.Unlock()
	errs := make([]error, 0, len(kept))
	for i := range kept {
		errs = append(errs, s.drop(&kept[i]))
	}
	return errors.Join(errs...)
}
