package sqldb

import "database/sql"

// Dialect holds the differences between databases. Statements are shared; their arguments are $1, $2, ….
type Dialect struct {
	Name string // names the directory of a schema
	Now  string // expression for the database's own time, in milliseconds since 1970
	Lock string // locks all schemas until the transaction ends; "": a transaction does so by itself
	// Share ends a query to keep others from changing the rows that it finds until the transaction ends. Rows changed meanwhile
	// are read again. "": a transaction keeps everybody out.
	Share string
	// Alone ends a query like Share, but also keeps others from sharing the rows; "" as above.
	Alone string
	// Skip ends a query like Alone, but leaves out rows that others have locked; "" as above.
	Skip string
	// Each is a function in the FROM clause that has a row with the column value for each element of a JSON list.
	Each string
	// Compound reports whether one statement can change several tables, by WITH. Where the database is another process, it then takes one
	// round trip in place of a transaction's four.
	Compound bool
	// Writing is the isolation level of writing transactions: each statement sees what others have committed, and waits for those
	// that change the same row.
	Writing sql.IsolationLevel
	// Snapshot is the isolation level of reading transactions: all their queries see the same snapshot.
	Snapshot sql.IsolationLevel
	// Newer is the error for tables of a newer version.
	Newer error
	// Classify returns what an error of the driver means to the stores, as an error of theirs; nil: nothing that they know.
	Classify func(err error) error
}
