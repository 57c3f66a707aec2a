package cron

import (
	"errors"
	"fmt"
	"strings"
	"time"
	_ "time/tzdata" // a container may have no time zones
)

// ErrInvalid means that there is no such schedule. The error that wraps it says why, in words for a client.
var ErrInvalid = errors.New("invalid cron schedule")

// The longest expression and the longest name of a zone, in bytes.
const (
	maxExpression = 256
	maxZone       = 64
)

// names are the names that stand for expressions.
var names = map[string]string{
	"@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *", "@weekly": "0 0 * * 0",
	"@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@hourly": "0 * * * *",
}

// Schedule is an expression in a time zone. It does not change and may be used by several goroutines.
type Schedule struct {
	second, minute, hour, day, month, weekday values
	zone                                      *time.Location
}

// Parse reads an expression and the name of an IANA time zone, such as Europe/Oslo; "" is UTC. The error wraps [ErrInvalid].
func Parse(expression, zone string) (*Schedule, error) {
	location, err := loadZone(zone)
	if err != nil {
		return nil, err
	}
	fields, err := split(expression)
	if err != nil {
		return nil, err
	}
	s := &Schedule{zone: location}
	for i, into := range []*values{&s.second, &s.minute, &s.hour, &s.day, &s.month, &s.weekday} {
		if *into, err = kinds[i].parse(fields[i]); err != nil {
			return nil, fmt.Errorf("%w: %q: %w", ErrInvalid, expression, err)
		}
	}
	return s, nil
}

func loadZone(name string) (*time.Location, error) {
	location, err := time.LoadLocation(name)
	if err != nil || len(name) > maxZone || strings.EqualFold(name, "local") {
		return nil, fmt.Errorf("%w: there is no time zone %.64q; write one such as Europe/Oslo or UTC", ErrInvalid, name)
	}
	return location, nil
}

// split returns the six fields of an expression.
func split(expression string) ([]string, error) {
	if len(expression) > maxExpression {
		return nil, fmt.Errorf("%w: it has %d bytes; at most %d are possible", ErrInvalid, len(expression), maxExpression)
	}
	fields := strings.Fields(expression)
	if len(fields) == 1 && strings.HasPrefix(fields[0], "@") {
		known, ok := names[strings.ToLower(fields[0])]
		if !ok {
			return nil, fmt.Errorf("%w: %q: the names are @hourly, @daily, @weekly, @monthly and @yearly; write '*/5 * * * *' for every 5 minutes",
				ErrInvalid, expression)
		}
		fields = strings.Fields(known)
	}
	switch len(fields) {
	case 5:
		return append([]string{"0"}, fields...), nil
	case 6:
		return fields, nil
	default:
		return nil, fmt.Errorf("%w: %q has %d fields; five are needed (minute, hour, day, month, weekday), such as "+
			"'*/5 * * * *' for every 5 minutes", ErrInvalid, expression, len(fields))
	}
}
