// Package sqlruns keeps runs, and what surrounds them, in an SQL database beside its threads. The stores in SQLite and PostgreSQL share
// all of it, and add only how it is opened and how hints spread.
//
// # Locks
//
// Whatever changes which runs of a thread are left to do first locks the row of the thread. The claim of a run locks the thread and the
// run, and passes over those that are locked. So does whatever fires a schedule. A worker's events lock its runs together with others that
// only share them, which keeps them from being claimed meanwhile.
//
// # Where to find what
//
//   - opening, clocks, hints: store.go; differences between databases: dialect.go; tables: schema
//   - rows and their columns: column.go, threadrow.go, runrow.go
//   - threads: thread.go; lists of rows: query.go
//   - runs: submit.go, cancel.go, run.go; who performs them: claim.go, finish.go; events: event.go
//   - assistants: assistant.go; schedules: schedule.go; what becomes old: prune.go
package sqlruns
