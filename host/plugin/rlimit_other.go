//go:build !linux

package plugin

import "time"

// limitProcess does nothing: only the parent's limits apply, GOMEMLIMIT and how long it waits.
func limitProcess(uint64, time.Duration) error { return nil }
