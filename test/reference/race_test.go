//go:build race

package reference_test

// raceDetector says whether the test was built with the race detector.
const raceDetector = true
