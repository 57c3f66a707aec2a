package plugin

import (
	"fmt"
	"sync"
	"time"

	"github.com/agenthost/agenthost/host"
)

// Breaker configures when a plugin that keeps failing is bypassed: after Faults faults within Window. It is then not called
// for the length of the window and counts as having returned nothing, whatever its failure policy; its tools answer that they
// are not available. After that it gets another chance: another fault opens the breaker again, and a successful call closes
// it. Each bypass emits an event of type warn.
type Breaker struct {
	Faults int           // 0: no breaker
	Window time.Duration // 0: one minute
}

func (b Breaker) check() error {
	if b.Faults < 0 || b.Window < 0 || (b.Faults == 0 && b.Window > 0) {
		return fmt.Errorf("breaker: %d faults within %v: neither may be negative, and a window needs faults", b.Faults, b.Window)
	}
	return nil
}

// breaker is the state of a Breaker.
type breaker struct {
	config Breaker

	mu     sync.Mutex
	faults []time.Time // the latest ones
	until  time.Time   // the breaker is open until then
	turn   int         // how often it has opened; a call from an earlier turn does not affect the plugin's chance
	chance bool        // it was open; the next call decides
}

func newBreaker(config Breaker) *breaker {
	if config.Faults == 0 {
		return nil
	}
	if config.Window == 0 {
		config.Window = time.Minute
	}
	return &breaker{config: config}
}

// bypasses reports whether a call must not reach the plugin, and emits a warning if so.
func (b *breaker) bypasses(p *Plugin, rt *host.Runtime) bool {
	if b == nil {
		return false
	}
	b.mu.Lock()
	left := b.until.Sub(rt.Now())
	b.mu.Unlock()
	if left <= 0 {
		return false
	}
	rt.Warn(fmt.Sprintf("plugin %q is bypassed after repeated faults, for another %v", p.name, left.Round(time.Second)))
	return true
}

// status says whether the plugin is bypassed, for display.
func (b *breaker) status(now time.Time) *host.Breaker {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	out := &host.Breaker{Faults: b.config.Faults, Window: b.config.Window, Open: max(0, b.until.Sub(now))}
	for _, at := range b.faults {
		if now.Sub(at) <= b.config.Window {
			out.Recent++
		}
	}
	return out
}

// begin starts a call that reaches the plugin.
func (b *breaker) begin() (turn int) {
	if b == nil {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.turn
}

// end records the outcome of a call.
func (b *breaker) end(p *Plugin, rt *host.Runtime, turn int, faulty bool) {
	if b == nil {
		return
	}
	now := rt.Now()
	b.mu.Lock()
	opened := turn == b.turn && b.counts(now, faulty)
	b.mu.Unlock()
	if opened {
		rt.Warn(fmt.Sprintf("plugin %q made %d faults within %v: it is bypassed for %v", p.name, b.config.Faults, b.config.Window, b.config.Window))
	}
}

// counts records an outcome and reports whether the breaker opens.
func (b *breaker) counts(now time.Time, faulty bool) bool {
	if !faulty {
		if b.chance {
			b.chance, b.faults = false, nil
		}
		return false
	}
	b.faults = append(b.faults, now)
	if len(b.faults) > b.config.Faults {
		b.faults = b.faults[1:]
	}
	full := len(b.faults) == b.config.Faults && now.Sub(b.faults[0]) <= b.config.Window
	if !full && !b.chance {
		return false
	}
	b.faults, b.until, b.chance = nil, now.Add(b.config.Window), true
	b.turn++
	return true
}
