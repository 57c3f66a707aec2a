package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"strings"
)

// maxStatements is how many statements a connection keeps. The stores have about as many.
const maxStatements = 128

// open opens a database whose connections keep their statements: SQLite otherwise spends a third of a busy server's time with parsing the same texts.
func open(dsn string) (*sql.DB, error) {
	plain, err := sql.Open("sqlite", dsn) // for its driver, which has the functions that were registered
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(&connector{plain.Driver(), dsn}), plain.Close()
}

// connector makes connections.
type connector struct {
	driver driver.Driver
	dsn    string
}

func (c *connector) Driver() driver.Driver { return c.driver }

func (c *connector) Connect(context.Context) (driver.Conn, error) {
	conn, err := c.driver.Open(c.dsn)
	if err != nil {
		return nil, err
	}
	whole, ok := conn.(conversation)
	if !ok {
		return nil, errors.Join(errors.New("the driver of SQLite lacks what its connections need"), conn.Close())
	}
	return &connection{conversation: whole, idle: map[string]statement{}}, nil
}

// conversation is what the driver's connections can.
type conversation interface {
	driver.Conn
	driver.ConnPrepareContext
	driver.ConnBeginTx
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

// statement is what the driver's statements can.
type statement interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// connection is a connection that keeps the statements it has prepared. database/sql uses it from one goroutine at a time.
type connection struct {
	conversation

	idle map[string]statement // by their texts; one that is being used is not among them
}

// take returns a statement that nobody uses.
func (c *connection) take(ctx context.Context, text string) (statement, error) {
	if s, ok := c.idle[text]; ok {
		delete(c.idle, text)
		return s, nil
	}
	prepared, err := c.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	s, ok := prepared.(statement)
	if !ok {
		return nil, errors.Join(errors.New("the driver of SQLite lacks what its statements need"), prepared.Close())
	}
	return s, nil
}

// put keeps a statement, unless it is a script or there are enough.
func (c *connection) put(text string, s statement) error {
	if _, again := c.idle[text]; again || len(c.idle) >= maxStatements || strings.Contains(text, ";") {
		return s.Close()
	}
	c.idle[text] = s
	return nil
}

// ExecContext performs a statement without rows.
func (c *connection) ExecContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Result, error) {
	s, err := c.take(ctx, text)
	if err != nil {
		return nil, err
	}
	result, err := s.ExecContext(ctx, args)
	return result, errors.Join(err, c.put(text, s))
}

// QueryContext performs a query.
func (c *connection) QueryContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Rows, error) {
	s, err := c.take(ctx, text)
	if err != nil {
		return nil, err
	}
	found, err := s.QueryContext(ctx, args)
	if err != nil {
		return nil, errors.Join(err, c.put(text, s))
	}
	return &rows{Rows: found, back: func() error { return c.put(text, s) }}, nil
}

// Close closes the connection.
func (c *connection) Close() error {
	var errs []error
	for _, s := range c.idle {
		errs = append(errs, s.Close())
	}
	return errors.Join(append(errs, c.conversation.Close())...)
}

// rows are those of a query. They use its statement until they are closed.
type rows struct {
	driver.Rows

	back func() error
}

// Close gives the statement back.
func (r *rows) Close() error {
	if r.back == nil {
		return nil
	}
	back := r.back
	r.back = nil
	return errors.Join(r.Rows.Close(), back())
}
