package perform

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/internal/mask"
)

// seeds are the random numbers of the runs of a case: the same in every performance, and each one only once.
type seeds struct{ last atomic.Uint64 }

func (s *seeds) next() uint64 { return s.last.Add(1) }

func memoryThreads() checkpoint.Store { return memory.New() }

// secrets are the values of variables that are named like a secret.
type secrets struct {
	mu    sync.Mutex
	known []string
}

func (s *secrets) add(name, value string) {
	if value == "" || !mask.IsCredential(strings.ToLower(name)) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(s.known, value) {
		s.known = append(s.known, value)
	}
}

func (s *secrets) addAll(values map[string]string) {
	for name, value := range values {
		s.add(name, value)
	}
}

func (s *secrets) values() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.known)
}
