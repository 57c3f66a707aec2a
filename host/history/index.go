package history

// shortLog is how many messages a log may have that is searched without an index.
const shortLog = 32

// index finds messages by id. It is built at the first look-up in a log that is not short, and extended as the log grows. Logs
// derived from one another share it, so every answer is checked against the entries.
type index struct {
	places  map[string]int
	covered int
}

// find returns the index of the message with this id; -1 if there is none.
func (l *Log) find(id string) int {
	if id == "" {
		return -1
	}
	if l.index == nil && l.list.Len() <= shortLog {
		return l.list.place(id)
	}
	if l.index == nil {
		l.index = &index{places: make(map[string]int, l.list.Len())}
	}
	x := l.index
	x.covered = min(x.covered, l.list.Len())
	for ; x.covered < l.list.Len(); x.covered++ {
		x.places[l.list.entries[x.covered].message.ID] = x.covered
	}
	at, ok := x.places[id]
	if !ok || at >= l.list.Len() || l.list.entries[at].message.ID != id {
		return -1
	}
	return at
}
