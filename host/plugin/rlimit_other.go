//go:build !linux

package plugin

import "time"

// patience is how many times its processor time compiling may take in all. Nothing else limits it here.
const patience = 3

// limitProcess does nothing: only the parent's limits apply, GOMEMLIMIT and how long it waits.
func limitProcess(uint64, time.Duration) error { return nil }
