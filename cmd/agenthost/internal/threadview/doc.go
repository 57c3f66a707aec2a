// Package threadview shows threads to people and programs. It needs only the store: no agent, plugin or model. Text for
// people cannot control their terminal; documents for programs are complete.
package threadview

import "time"

// moment formats a time for people.
func moment(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05Z") }
