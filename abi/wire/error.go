package wire

import "strconv"

// Error says why a document was refused, and where the problem is. The document was not decoded.
type Error struct {
	Offset int    // byte offset of the offending value
	Reason string // what is wrong, and the limit it breaks
}

func (e *Error) Error() string {
	return "msgpack: at byte " + strconv.Itoa(e.Offset) + ": " + e.Reason
}

func errorAt(offset int, reason string) error { return &Error{Offset: offset, Reason: reason} }

func itoa(n int) string { return strconv.Itoa(n) }
