package cron

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// values are those of a field: bit n is set for the value n.
type values uint64

// lastDay is the bit of the last day of a month.
const lastDay values = 1 << 63

func (b values) has(n int) bool { return b>>n&1 == 1 }

// kind is a kind of field.
type kind struct {
	name     string
	min, max int
	words    []string // names of the values from min
}

// kinds are the fields of an expression, in their order.
var kinds = []kind{
	{name: "second", max: 59},
	{name: "minute", max: 59},
	{name: "hour", max: 23},
	{name: "day of the month", min: 1, max: 31},
	{name: "month", min: 1, max: 12, words: []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}},
	{name: "day of the week", max: 7, words: []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}},
}

// all returns the values from one to another, with a step.
func all(from, to, step int) values {
	var b values
	for n := from; n <= to; n += step {
		b |= 1 << n
	}
	return b
}

// Values that fields have without a restriction.
var (
	everyDay     = all(1, 31, 1)
	everyHour    = all(0, 23, 1)
	everyWeekday = all(0, 6, 1)
)

func (k *kind) isWeekday() bool { return k.max == 7 }

// parse reads a field.
func (k *kind) parse(text string) (values, error) {
	var out values
	for part := range strings.SplitSeq(text, ",") {
		b, err := k.part(part)
		if err != nil {
			return 0, err
		}
		out |= b
	}
	if k.isWeekday() && out.has(7) { // Sunday
		out = out&^(1<<7) | 1
	}
	return out, nil
}

// part reads a part of a list: a value, a range or *, perhaps with a step.
func (k *kind) part(text string) (values, error) {
	if k.max == 31 && strings.EqualFold(text, "l") {
		return lastDay, nil
	}
	span, stepText, hasStep := strings.Cut(text, "/")
	step := 1
	if hasStep {
		var err error
		if step, err = strconv.Atoi(stepText); err != nil || step < 1 || step > k.max || stepText[0] == '+' {
			return 0, fmt.Errorf("the step of the %s cannot be %q; it is from 1 to %d", k.name, stepText, k.max)
		}
	}
	if span == "*" || span == "?" && (k.max == 31 || k.isWeekday()) {
		to := k.max
		if k.isWeekday() {
			to = 6
		}
		return all(k.min, to, step), nil
	}
	first, last, isRange := strings.Cut(span, "-")
	from, err := k.value(first)
	if err != nil {
		return 0, err
	}
	to := from
	switch {
	case isRange:
		if to, err = k.value(last); err != nil {
			return 0, err
		}
		if to < from {
			return 0, fmt.Errorf("the range %q of the %s ends before it begins; write two ranges with a comma between them", span, k.name)
		}
	case hasStep:
		to = k.max
	}
	return all(from, to, step), nil
}

func (k *kind) value(text string) (int, error) {
	if i := slices.Index(k.words, strings.ToLower(text)); i >= 0 {
		return k.min + i, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < k.min || n > k.max || text[0] == '+' {
		return 0, fmt.Errorf("the %s cannot be %q; it is from %d to %d", k.name, text, k.min, k.max)
	}
	return n, nil
}
