package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
)

// machine describes in one line where the numbers were measured.
func machine(ctx context.Context) string {
	parts := []string{firstValue("/proc/cpuinfo", "model name"), fmt.Sprintf("%d processors", runtime.NumCPU()), memory(), kernel(ctx), runtime.Version()}
	var known []string
	for _, part := range parts {
		if part != "" {
			known = append(known, part)
		}
	}
	return strings.Join(known, ", ")
}

// firstValue returns the first value of the key in a file of "key : value" lines.
func firstValue(file, key string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == key {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

func memory() string {
	var kilobytes float64
	if _, err := fmt.Sscan(firstValue("/proc/meminfo", "MemTotal"), &kilobytes); err != nil {
		return ""
	}
	return fmt.Sprintf("%.0f GiB of memory", kilobytes/(1<<20))
}

func kernel(ctx context.Context) string {
	out, err := exec.CommandContext(ctx, "uname", "-sr").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}
