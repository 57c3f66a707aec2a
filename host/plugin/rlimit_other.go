//go:build !linux

package plugin

import "time"

// limitProcess does nothing: the parent's own limits are all there are, GOMEMLIMIT and how long it waits.
func limitProcess(uint64, time.Duration) error { return nil }
