package main

import (
	"fmt"
	"strconv"
	"strings"
)

// duration formats nanoseconds with three digits: 812 ns, 3.61 µs, 1,378 µs, 16.5 ms, 2.1 s.
func duration(ns float64) string {
	switch {
	case ns < 1e3:
		return digits(ns) + " ns"
	case ns < 1e7:
		return digits(ns/1e3) + " µs"
	case ns < 1e10:
		return digits(ns/1e6) + " ms"
	default:
		return digits(ns/1e9) + " s"
	}
}

// size formats a number of bytes.
func size(bytes float64) string {
	switch {
	case bytes < 1e4:
		return digits(bytes) + " B"
	case bytes < 1e7:
		return digits(bytes/1e3) + " KB"
	default:
		return digits(bytes/1e6) + " MB"
	}
}

func times(x float64) string { return digits(x) + "×" }

func milliseconds(ms float64) string { return duration(ms * 1e6) }

// digits formats a number with its first three digits, and separates thousands.
func digits(x float64) string {
	switch {
	case x >= 100:
		return thousands(strconv.FormatFloat(x, 'f', 0, 64))
	case x >= 10:
		return strconv.FormatFloat(x, 'f', 1, 64)
	default:
		return strconv.FormatFloat(x, 'f', 2, 64)
	}
}

func thousands(number string) string {
	var out strings.Builder
	for i, digit := range number {
		if i > 0 && (len(number)-i)%3 == 0 {
			out.WriteByte(',')
		}
		out.WriteRune(digit)
	}
	return out.String()
}

func percent(x float64) string { return fmt.Sprintf("%.0f %%", 100*x) }
