package cron

import "time"

// What a clock on the wall shows is written as a time in UTC, in which every second comes once.

// readingOf returns what a clock shows in the zone of a time.
func readingOf(t time.Time) time.Time {
	_, offset := t.Zone()
	return t.UTC().Add(time.Duration(offset) * time.Second)
}

// instantOf returns when a clock of a zone shows the reading: the first time if it does so twice, and the end of the gap if never.
func instantOf(reading time.Time, zone *time.Location) time.Time {
	year, month, day := reading.Date()
	hour, minute, second := reading.Clock()
	at := time.Date(year, month, day, hour, minute, second, 0, zone)
	start, end := at.ZoneBounds()
	switch shown := readingOf(at); {
	case shown.After(reading):
		return start // time.Date chose a time after the gap
	case shown.Before(reading):
		return end
	case start.IsZero():
		return at
	}
	_, before := start.Add(-time.Second).Zone()
	_, now := at.Zone()
	if earlier := at.Add(-time.Duration(before-now) * time.Second); earlier.Before(start) && readingOf(earlier.In(zone)).Equal(reading) {
		return earlier
	}
	return at
}
