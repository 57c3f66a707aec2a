package history

// IDs gives ids to messages that have none.
type IDs interface {
	// New returns an unused id.
	New() string
	// Take reports, once for each id, whether the id was handed out in advance and no message of a log has it yet. Such an id
	// needs no look-up.
	Take(id string) bool
}

// noIDs leaves messages without ids unchanged.
type noIDs struct{}

func (noIDs) New() string { return "" }

func (noIDs) Take(string) bool { return false }
