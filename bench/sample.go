package main

import "slices"

// A Sample is what the repetitions of one measurement gave.
type Sample []float64

// median is the middle, and 0 of nothing.
func (s Sample) median() float64 {
	if len(s) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

// spread is how far the middle half of the repetitions lies apart, as a part of the median.
func (s Sample) spread() float64 {
	if len(s) < 4 || s.median() == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	quarter := len(sorted) / 4
	return (sorted[len(sorted)-1-quarter] - sorted[quarter]) / s.median()
}
