package cron

import "time"

// Next returns the first time after the given one at which the schedule fires, in the zone of the schedule. It reports false if there is
// none: the 30th of February never comes. That takes the longest, a tenth of a millisecond.
func (s *Schedule) Next(after time.Time) (time.Time, bool) {
	after = after.Truncate(time.Second).In(s.zone)
	if s.hour == everyHour {
		return s.byElapsedTime(after)
	}
	return s.byClock(after)
}

// byClock returns the next time of a schedule whose hours are times of day.
func (s *Schedule) byClock(after time.Time) (time.Time, bool) {
	reading := readingOf(after)
	for range 3 { // a fold is passed in one step
		next, ok := s.match(reading)
		if !ok {
			return time.Time{}, false
		}
		if at := instantOf(next, s.zone); at.After(after) {
			return at, true
		} else if _, end := at.ZoneBounds(); !end.IsZero() { // the clock was set back, and shows times again that have fired
			reading = readingOf(end.Add(-time.Second))
		}
	}
	return time.Time{}, false
}

// byElapsedTime returns the next time of a schedule for every hour. Between two changes of the clock, it is as in a zone without any.
func (s *Schedule) byElapsedTime(after time.Time) (time.Time, bool) {
	reading, from := readingOf(after), after
	for turn := range 10 {
		next, ok := s.match(reading)
		if !ok {
			return time.Time{}, false
		}
		_, end := from.ZoneBounds()
		if at := from.Add(next.Sub(readingOf(from))); end.IsZero() || at.Before(end) {
			return at, true
		}
		from = end
		if turn > 0 { // nothing fires before that day, however often the clock changes until then
			if day := instantOf(next.Truncate(24*time.Hour), s.zone); day.After(from) {
				from = day
			}
		}
		reading = readingOf(from).Add(-time.Second)
	}
	return time.Time{}, false
}
