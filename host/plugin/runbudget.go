package plugin

import "sync"

// runBudget counts what each active run has used of something.
type runBudget struct {
	mu    sync.Mutex
	spent map[string]int64
}

// spend counts what a run uses, unless it would then have used more than the given maximum.
func (b *runBudget) spend(run string, amount, most int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.spent[run]+amount > most {
		return false
	}
	if b.spent == nil {
		b.spent = map[string]int64{}
	}
	b.spent[run] += amount
	return true
}

// forget removes a run that is over.
func (b *runBudget) forget(run string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.spent, run)
}
