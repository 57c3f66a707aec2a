// Package threadview shows threads to people and to programs, from what their store has alone: no agent, plugin or model is
// needed. What it prints for people cannot steer a terminal; its documents have all there is.
package threadview

import "time"

// moment shows a time to people.
func moment(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05Z") }
