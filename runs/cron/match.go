package cron

import (
	"math/bits"
	"time"
)

// horizon is how many days ahead a match is looked for. The longest gap between two matches is that of 29 February around a year such as
// 2100: eight years.
const horizon = 9 * 366

// match returns the first reading of a clock after the given one that fits the expression.
func (s *Schedule) match(reading time.Time) (time.Time, bool) {
	const oneDay = 24 * time.Hour
	from := reading.Add(time.Second)
	day := from.Truncate(oneDay)
	least := int(from.Sub(day) / time.Second) // seconds of the day
	for range horizon {
		if s.hasDay(day) {
			if at, ok := s.clock(least); ok {
				return day.Add(time.Duration(at) * time.Second), true
			}
		}
		day, least = day.Add(oneDay), 0
	}
	return time.Time{}, false
}

func (s *Schedule) hasDay(t time.Time) bool {
	if !s.month.has(int(t.Month())) {
		return false
	}
	inMonth := s.day.has(t.Day()) || s.day&lastDay != 0 && t.AddDate(0, 0, 1).Day() == 1
	inWeek := s.weekday.has(int(t.Weekday()))
	if s.day&everyDay == everyDay || s.weekday == everyWeekday {
		return inMonth && inWeek
	}
	return inMonth || inWeek
}

// clock returns the first time of a day that fits, at or after one, in seconds.
func (s *Schedule) clock(least int) (int, bool) {
	hour, minute, second := least/3600, least/60%60, least%60
	if s.hour.has(hour) {
		if s.minute.has(minute) {
			if at, ok := s.second.from(second); ok {
				return hour*3600 + minute*60 + at, true
			}
		}
		if at, ok := s.minute.from(minute + 1); ok {
			return hour*3600 + at*60 + s.second.least(), true
		}
	}
	if at, ok := s.hour.from(hour + 1); ok {
		return at*3600 + s.minute.least()*60 + s.second.least(), true
	}
	return 0, false
}

// from returns the least value that is at least n.
func (b values) from(n int) (int, bool) {
	rest := uint64(b) >> n << n
	return bits.TrailingZeros64(rest), rest != 0
}

func (b values) least() int { return bits.TrailingZeros64(uint64(b)) }
