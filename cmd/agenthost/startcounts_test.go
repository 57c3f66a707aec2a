package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strings"
)

// asCounted is the environment variable that turns the test binary into the command, which counts what it does.
const asCounted = "AGENTHOST_TEST_COUNTED"

// startCounts is what the command did from main to the end of a run. None of it depends on how fast the machine is.
type startCounts struct {
	Allocations uint64 `json:"allocations"`
	Allocated   uint64 `json:"allocated"`   // bytes
	Collections uint32 `json:"collections"` // of garbage
	Reads       int64  `json:"reads"`       // calls of read, since the process began
	Read        int64  `json:"read"`        // bytes, since the process began
}

// countedStart performs the command, and prints what it counted as the last line of its output.
func countedStart() int {
	delayCollection()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	code := execute(context.Background(), os.Args[1:], streams{in: os.Stdin, out: os.Stdout, err: os.Stderr})
	runtime.ReadMemStats(&after)
	counts := startCounts{
		Allocations: after.Mallocs - before.Mallocs, Allocated: after.TotalAlloc - before.TotalAlloc, Collections: after.NumGC - before.NumGC,
	}
	io, err := os.ReadFile("/proc/self/io")
	if err == nil {
		_, err = fmt.Sscanf(strings.ReplaceAll(string(io), "\n", " "), "rchar: %d wchar: %d syscr: %d", &counts.Read, new(int64), &counts.Reads)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return exitFailed
	}
	if err := json.NewEncoder(os.Stdout).Encode(counts); err != nil {
		return exitFailed
	}
	return code
}
