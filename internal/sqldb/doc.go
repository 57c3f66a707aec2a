// Package sqldb is what stores in SQL databases share: connections, transactions, migrations, the differences between databases,
// and the meaning of their errors. Several families of tables may live in one database, over the same connections: each has a
// table of its own with the version of its schema.
//
// # Where to find what
//
//   - connections and transactions: database.go; what an error means: error.go
//   - tables and their versions: migrate.go; differences between databases: dialect.go
package sqldb
