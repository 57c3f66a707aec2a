// Package sqlstore keeps threads and values in an SQL database. The stores in SQLite and PostgreSQL share all of it, and add
// only how a database is opened. Connections, transactions and migrations are those of internal/sqldb.
//
// # Where to find what
//
//   - leases and their default length: lease.go; how they are renewed: renew.go, internal/leases
//   - what a run writes, and how a write is repeated: session.go; reading threads: threads.go; forks: fork.go
//   - finding threads by their state: find.go; how the state is kept: state.go
//   - deleting threads, and going back for good: remove.go
//   - values: values.go; their versions: valuechange.go; quotas and expiry: valuespace.go
//   - tables: schema
package sqlstore
