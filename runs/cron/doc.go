// Package cron says when a schedule fires next, in a time zone.
//
// An expression has five fields: minute, hour, day, month, weekday. With six, the first is the second. It can also be
// a name such as @daily. A field is *, a value, a range such as 9-17, either with a step such as */5, or a list of these. If both days are
// restricted, one of them is enough. Sunday is 0 and 7; months and days of the week have names of three letters; L is the last day of a
// month. There are no years, no W and no #.
//
// # When the clocks change
//
// A time that the clocks skip fires at the end of the gap, and a time that they repeat fires once, the first time: what happens daily
// happens every day, once. An expression for every hour goes by elapsed time instead, so that every five minutes stays every five minutes.
//
// # Where to find what
//
//   - expressions and zones: schedule.go, field.go; the next time: next.go, match.go; clocks that change: clock.go
package cron
