package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"

	"github.com/stretchr/testify/require"
)

func gcPercent() uint64 {
	sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

func TestTheFirstCollectionEndsTheDelay(t *testing.T) {
	t.Setenv("GOGC", "")
	const usual = 90
	original := debug.SetGCPercent(usual)
	t.Cleanup(func() { debug.SetGCPercent(original) })
	delayCollection()
	for gcPercent() != usual { // the cleanup runs some time after a collection; the deadline of the tests ends this loop
		runtime.GC()
		runtime.Gosched()
	}
}

func TestGOGCTakesPrecedence(t *testing.T) {
	t.Setenv("GOGC", "70")
	before := gcPercent()
	delayCollection()
	require.Equal(t, before, gcPercent())
}
