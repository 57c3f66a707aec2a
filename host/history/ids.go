package history

// IDs gives ids to messages that come without.
type IDs interface {
	// New returns an id that no message has.
	New() string
	// Take reports whether an id was given ahead of time and no message of a log has it yet, once for each. Such an id
	// need not be looked for.
	Take(id string) bool
}

// noIDs leaves messages without ids as they are.
type noIDs struct{}

func (noIDs) New() string { return "" }

func (noIDs) Take(string) bool { return false }
