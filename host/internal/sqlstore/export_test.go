package sqlstore

import "github.com/agenthost/agenthost/host/checkpoint"

// FindSQL returns the statement that Find performs, and its arguments.
func (s *Store) FindSQL(q *checkpoint.Query) (text string, args []any) {
	selected := find(q)
	return s.db.SQL(selected.text), selected.args
}

// RenewSQL is the statement that renews leases. Its arguments are a list of them and their length.
func (s *Store) RenewSQL() string { return s.db.SQL(renewLeases) }
