package plugin

// Usage is what a plugin has used so far.
type Usage struct {
	LoadFuel uint64 // fuel used by everything up to the first configured instance
	Memory   int64  // size of the largest instance, in bytes; 0 if there was none
}

// Usage returns what the plugin has used so far, even if it could not be loaded.
func (p *Plugin) Usage() Usage { return Usage{LoadFuel: p.loadFuel, Memory: p.pool.measured()} }

// CallUsage is what one call of a hook or tool used.
type CallUsage struct {
	Instance uint64 // identifies the instance within the plugin
	Fuel     uint64
	Memory   int64 // size in bytes of the instance's memory after the call
	Input    int   // size in bytes of the document that the guest received
	Reply    int   // size of the last reply of next or host_call that was not empty
	Result   int   // size of the document that the guest wrote
}

// LastCall returns what the last call used, if calls are sequential. It returns false if the instance that served the call
// is gone.
func (p *Plugin) LastCall() (CallUsage, bool) {
	l := p.pool
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.free) == 0 {
		return CallUsage{}, false
	}
	i := l.free[len(l.free)-1]
	return i.last, i.last.Instance != 0
}
