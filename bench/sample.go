package main

import "slices"

// A Sample holds the results of the repetitions of one measurement.
type Sample []float64

// median returns the median, or 0 for an empty sample.
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

// spread returns the width of the middle half of the repetitions, as a fraction of the median.
func (s Sample) spread() float64 {
	if len(s) < 4 || s.median() == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	quarter := len(sorted) / 4
	return (sorted[len(sorted)-1-quarter] - sorted[quarter]) / s.median()
}
