package plugin

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"sync"

	"github.com/agenthost/agenthost/host/plugin/preflight"
)

// mostPrepared is how many bytes of prepared modules an engine keeps.
const mostPrepared = 32 << 20

// preparedModule is a module that has passed the preflight and has been metered.
type preparedModule struct {
	key     preparedKey
	module  *preflight.Module // its structure, without its code
	metered []byte
	digest  string // of metered, SHA-256 in hexadecimal
}

// preparedKey identifies everything that a preparation depends on.
type preparedKey struct {
	code    [sha256.Size]byte
	globals bool // its mutable globals are exported
}

// preparedStore keeps the modules prepared most recently, so that a plugin loaded again, by another agent or a swap, need
// not be checked again.
type preparedStore struct {
	mu   sync.Mutex
	kept []*preparedModule // the last used is the last
}

// get returns a kept module, or nil if it is gone.
func (s *preparedStore) get(key preparedKey) *preparedModule {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := slices.IndexFunc(s.kept, func(p *preparedModule) bool { return p.key == key })
	if at < 0 {
		return nil
	}
	found := s.kept[at]
	s.kept = append(slices.Delete(s.kept, at, at+1), found)
	return found
}

// newPrepared makes a prepared module.
func newPrepared(key preparedKey, module *preflight.Module, metered []byte) *preparedModule {
	sum := sha256.Sum256(metered)
	return &preparedModule{key: key, module: module, metered: metered, digest: hex.EncodeToString(sum[:])}
}

// put keeps a prepared module, and drops others to make room.
func (s *preparedStore) put(p *preparedModule) {
	p.module.Bodies, p.module.Sections = nil, nil
	for i := range p.module.Types { // they are slices of the code, which need not be kept
		t := &p.module.Types[i]
		t.Params, t.Results = slices.Clone(t.Params), slices.Clone(t.Results)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept = append(s.kept, p)
	size := 0
	for _, k := range s.kept {
		size += len(k.metered)
	}
	for size > mostPrepared {
		size -= len(s.kept[0].metered)
		s.kept = slices.Delete(s.kept, 0, 1)
	}
}

// found returns a module that this process or an earlier one has prepared, or nil.
func (e *Engine) found(key preparedKey, code []byte, limits preflight.Limits) *preparedModule {
	ready := e.prepared.get(key)
	if ready == nil {
		if ready = e.files.get(key, code, limits); ready != nil {
			e.prepared.put(ready)
		}
	}
	return ready
}
