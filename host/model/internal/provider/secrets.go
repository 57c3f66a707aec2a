package provider

import (
	"slices"
	"sync"

	"github.com/agenthost/agenthost/internal/mask"
)

// secrets are the credentials to hide in what a server answers. Those in the configuration are known from the beginning; the tokens of
// a platform appear when a request is signed, and change while the program runs.
type secrets struct {
	mu      sync.Mutex
	fixed   []string
	learned []string // the latest last
	hidden  *mask.Mask
}

// maxLearned is how many credentials are remembered in addition to the fixed ones. A token is renewed about once an hour, and no response
// takes that long.
const maxLearned = 16

func newSecrets(fixed []string) *secrets {
	return &secrets{fixed: fixed, hidden: mask.Of(minSecret, fixed...)}
}

// learn adds credentials.
func (s *secrets) learn(values ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	changed := false
	for _, value := range values {
		if value == "" || slices.Contains(s.learned, value) {
			continue
		}
		s.learned, changed = append(s.learned, value), true
	}
	if !changed {
		return
	}
	s.learned = slices.Clone(s.learned[max(0, len(s.learned)-maxLearned):])
	s.hidden = mask.Of(minSecret, slices.Concat(s.fixed, s.learned)...)
}

// mask returns the mask of all credentials so far; nil if there are none.
func (s *secrets) mask() *mask.Mask {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hidden
}
