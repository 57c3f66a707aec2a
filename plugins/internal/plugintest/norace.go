//go:build !race

package plugintest

// RaceDetector tells whether the tests were built with the race detector: guests then have less of their real time.
const RaceDetector = false
