package sqlstore

import "database/sql"

// Dialect is what differs between databases. Statements are written once, with $1, $2, … for their arguments.
type Dialect struct {
	Name string // of the directory of its schema
	Now  string // the expression for the time in milliseconds since 1970, of the database's own clock
	Lock string // the statement that keeps others from changing the schema until the transaction ends; "": a transaction does
	// Share ends a query so that nobody changes the rows it finds until the transaction ends, and rows that are changed
	// meanwhile are looked at again; "": a transaction keeps everybody out.
	Share string
	// Alone ends a query so that nobody changes the rows it finds, and none shares them, until the transaction ends; "" as above.
	Alone string
	// Writing is the isolation of transactions that write: each statement sees what others have committed, and waits for those
	// that change the same row.
	Writing sql.IsolationLevel
	// Snapshot is the isolation of transactions that read: all their queries show one moment.
	Snapshot sql.IsolationLevel
	// Classify returns the error of package checkpoint that says what one of the driver means; nil: none does.
	Classify func(err error) error
}
